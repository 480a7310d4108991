"""How does the search scale with words to release, words of the table, and threads?

    python benchmarks/scaling.py

On the 341,479 words of glove-6b-100d, and its first so many, by float32 and by 8 bits.
Ratios are against the smallest of each series, in the same run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from common import glove_100d, record
from nomdeplume import Table, seeded
from nomdeplume.bench import best, eager, queries
from nomdeplume.nearest import Exact

SIZES = (10_000, 40_000, 160_000, 341_479)
COUNTS = (1, 64, 512, 4096, 32_768)


def main() -> None:
    table = glove_100d()
    noisy = queries(table, COUNTS[-1], 8.0, seeded(1))
    record(
        "scaling",
        {
            "by words of the table, words per second times words": {
                f"{size:,}": rates(_first(table, size), noisy[:4096], size) for size in SIZES
            },
            "by words to release, words per second": {
                f"{count:,}": rates(table, noisy[:count]) for count in COUNTS
            },
            "by threads, words per second": {
                str(threads): rates(table, noisy[:4096], threads=threads) for threads in (1, 2)
            },
        },
    )


def rates(table: Table, noisy: np.ndarray[Any, Any], times: int = 1, **parts: Any) -> Any:
    plain = Exact(table, plain=True, **parts)
    quick = eager(Exact(table, **parts))
    quick.nearest(noisy[:1])
    found = {
        name: round(times * len(noisy) / best(lambda index=index: index.nearest(noisy)))  # type: ignore[misc]
        for name, index in (("exact", plain), ("auto", quick))
    }
    print(len(table), len(noisy), found, flush=True)
    return found


def _first(table: Table, size: int) -> Table:
    return Table(table.words[:size], table.vectors[:size], table.name)


if __name__ == "__main__":
    main()
