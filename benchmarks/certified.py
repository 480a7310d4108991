"""Is the answer of the exact searches that of float64 brute force?

    python benchmarks/certified.py

100,000 noisy words of a real table of 341,479 words, noise from 1 % to 90 % unchanged, against
the product in float64; where answers differ, distances decide, computed one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from common import glove_100d, record
from nomdeplume import Laplace, Table, seeded
from nomdeplume.bench import eager
from nomdeplume.nearest import Exact
from nomdeplume.threads import cores, each

QUERIES = 25_000  # of each noise
NOISES = (5.0, 8.0, 13.0, 24.0)
BLOCK, TILE = 1250, 4096


def main() -> None:
    table = glove_100d()
    searches = {"exact, float32": Exact(table, plain=True), "auto, 8 bits": eager(Exact(table))}
    centred = table.vectors[:] - table.centre
    halves = np.einsum("nk,nk->n", centred, centred) / 2
    wrong, unchanged = dict.fromkeys(searches, 0), {}
    rng = seeded(5)
    for epsilon in NOISES:
        ids = rng.integers(0, len(table), QUERIES)
        noisy = Laplace(epsilon).add(table.vectors[ids].astype(np.float64), rng)
        truth = brute(centred, halves, noisy - table.centre)
        unchanged[epsilon] = round(float((truth == ids).mean()), 3)
        for name, search in searches.items():
            wrong[name] += differing(table, noisy, search.nearest(noisy), truth)
        print(epsilon, unchanged[epsilon], wrong, flush=True)
    record(
        "certified",
        {
            "words": len(table),
            "dimensions": table.dimensions,
            "noisy words": QUERIES * len(NOISES),
            "unchanged, by epsilon": {f"{e:g}": share for e, share in unchanged.items()},
            "farther than the nearest": wrong,
        },
    )


def brute(
    vectors: NDArray[np.float64], halves: NDArray[np.float64], queries: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The row with the largest q·t − ‖t‖²/2, all in float64."""

    def work(start: int) -> NDArray[np.int64]:
        some = queries[start : start + BLOCK]
        best, found = np.full(len(some), -np.inf), np.zeros(len(some), dtype=np.int64)
        for first in range(0, len(vectors), TILE):
            tile = slice(first, first + TILE)
            scores = some @ vectors[tile].T
            scores -= halves[tile]
            at = scores.argmax(axis=1)
            score = scores[np.arange(len(some)), at]
            found, best = np.where(score > best, at + first, found), np.maximum(score, best)
        return found

    return np.concatenate(each(work, range(0, len(queries), BLOCK), cores()))


def differing(
    table: Table,
    noisy: NDArray[np.float64],
    found: NDArray[np.int64],
    truth: NDArray[np.int64],
) -> int:
    """How many answers are farther than those of brute force, by distances in float64."""
    some = np.flatnonzero(found != truth)
    mine, theirs = (
        ((noisy[some] - table.vectors[ids[some]]) ** 2).sum(axis=1) for ids in (found, truth)
    )
    return int((mine > theirs).sum())


if __name__ == "__main__":
    main()
