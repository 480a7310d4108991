"""How near is the exact search to the product it consists of, by words and dimensions?

    python benchmarks/nearest.py

The ceiling is the same blocked product in float32 without looking at its scores, at its best
block, measured in turn with the searches: exact (float32), auto (8-bit products where there are
any) and scan (compressed), at noise from 1 % to 90 % of words unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import glove_50d, glove_100d, glove_300d, record
from nomdeplume import Laplace, Table, seeded
from nomdeplume.bench import best, ceiling, eager
from nomdeplume.nearest import Exact, Scan

QUERIES = 8192
NOISES = {"glove-6b-100d": (5.0, 8.0, 13.0, 24.0)}  # about 1, 10, 40 and 90 % unchanged
USUAL = (6.0,)


def main() -> None:
    tables = (Table.bundled(), glove_50d(), glove_100d(), glove_300d())
    record("nearest", {"queries": QUERIES, "tables": [measure(table) for table in tables]})


def measure(table: Table) -> dict[str, Any]:
    exact, auto, scan = Exact(table, plain=True), eager(Exact(table)), Scan(table)
    rounds = [
        searched(table, epsilon, exact, auto, scan) for epsilon in NOISES.get(table.name, USUAL)
    ]
    return {
        "table": table.name,
        "words": len(table),
        "dimensions": table.dimensions,
        "product of auto": type(auto.product).__name__,
        "noise": rounds,
    }


def searched(table: Table, epsilon: float, exact: Exact, auto: Exact, scan: Scan) -> dict[str, Any]:
    rng = seeded(1)
    ids = rng.integers(0, len(table), QUERIES)
    noisy = Laplace(epsilon).add(table.vectors[ids].astype(np.float64), rng)
    answers = exact.nearest(noisy)
    top, block = ceiling(exact._rows, noisy, exact.threads)
    rate = {name: _rate(each.nearest, noisy) for name, each in _named(exact, auto, scan)}
    again, _ = ceiling(exact._rows, noisy, exact.threads, 1)  # once more, after the searches
    top = max(top, again)
    found = {
        "epsilon": epsilon,
        "unchanged": round(float((answers == ids).mean()), 3),
        "float32 product, words per second": round(top),
        "best block": block,
        "exact, words per second": round(rate["exact"]),
        "exact, share of the product": round(rate["exact"] / top, 3),
        "auto, words per second": round(rate["auto"]),
        "auto, times the product": round(rate["auto"] / top, 2),
        "auto, times exact": round(rate["auto"] / rate["exact"], 2),
        "auto, same as exact": float((auto.nearest(noisy) == answers).mean()),
        "scan, words per second": round(rate["scan"]),
        "scan, times exact": round(rate["scan"] / rate["exact"], 2),
        "scan, same as exact": round(float((scan.nearest(noisy) == answers).mean()), 4),
    }
    print(found, flush=True)
    return found


def _named(exact: Exact, auto: Exact, scan: Scan) -> list[tuple[str, Any]]:
    return [("exact", exact), ("auto", auto), ("scan", scan)]


def _rate(search: Callable[[NDArray[np.float64]], object], noisy: NDArray[np.float64]) -> float:
    return len(noisy) / best(lambda: search(noisy))


if __name__ == "__main__":
    main()
