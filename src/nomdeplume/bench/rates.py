"""Noisy words, and the ceiling that a search is held against."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.nearest.products import APART
from nomdeplume.nearest.rows import Rows, parts
from nomdeplume.noise import Laplace
from nomdeplume.stopwatch import best
from nomdeplume.table import Table
from nomdeplume.threads import each

Floats = NDArray[np.float64]

BLOCKS = ((1024, 256), (1024, 512), (2048, 256), (2048, 320), (2048, 512), (2048, 1024))


def queries(table: Table, count: int, epsilon: float, rng: Generator) -> Floats:
    """Random words of a table under Laplace noise."""
    ids = rng.integers(0, len(table), count)
    return Laplace(epsilon).add(table.vectors[ids].astype(np.float64), rng)


def ceiling(rows: Rows, noisy: Floats, threads: int, rounds: int = 2) -> tuple[float, str]:
    """Words per second of the float32 product that a search consists of, and its best block.

    Blocks of queries and words, one thread each with one of BLAS; nobody looks at the scores.
    """
    wide = rows.asked(noisy).wide
    work = {(n, m): partial(_product, rows, wide, n, m, threads) for n, m in BLOCKS}
    rates = {block: len(noisy) / best(product, rounds) for block, product in work.items()}
    n, m = max(rates, key=rates.__getitem__)
    return rates[n, m], f"{n} queries × {m} words"


def _product(rows: Rows, wide: NDArray[np.float32], n: int, m: int, threads: int) -> None:
    step = min(n, -(-len(wide) // threads))

    def work(start: int) -> None:
        some = wide[start : start + step]
        scores = np.empty((len(some), m + APART), dtype=np.float32)
        for tile in parts(len(rows), m):
            words = rows.wide[tile]
            np.matmul(some, words.T, out=scores[:, : len(words)])

    each(work, range(0, len(wide), step), threads)
