"""Exact nearest words at the speed of a matrix product.

‖q − t‖² = ‖q‖² − 2(q·t − ‖t‖²/2), so the nearest word has the largest score
q·t − ‖t‖²/2: one float32 product, with the half norm as an extra column. Words
come in tiles small enough for the cache, and only the largest score of each
tile is kept. Every tile that could hold the answer, given how far float32 can
be off, is then looked at again, and what is left is decided in float64. The
result is that of float64 brute force; the first word wins a tie.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from nomdeplume.table import Table

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]

QUERIES, WORDS = 1024, 512  # one tile of scores: 2 MiB, a core's share of the cache
PAIRS = 1 << 14  # candidates decided together in float64


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, eq=False)
class Exact:
    """The words of `table`, or those with the given ids, ready to be searched."""

    table: Table
    ids: Ids | None = None
    threads: int = field(default_factory=_cores)

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, as float64 brute force would find it."""
        if not len(queries):
            return np.empty(0, dtype=np.int64)
        _ = self._tall, self._tiles  # made once, before threads ask for them
        step = min(QUERIES, -(-len(queries) // self.threads))
        starts = range(0, len(queries), step)
        return np.concatenate(
            _each(lambda i: self._nearest(queries[i : i + step]), starts, self.threads)
        )

    def _nearest(self, queries: Floats) -> Ids:
        centred = queries - self.table.centre
        wide = np.ones((len(queries), self._tall.shape[1]), dtype=np.float32)
        wide[:, :-1] = centred
        maxima = self._maxima(wide)  # (tiles, n)
        best = maxima.max(axis=0)
        enough = best - 2 * self._doubt(centred)
        query, row = self._candidates(wide, maxima, enough)
        return self._rows[self._decide(queries, query, row)]

    def _maxima(self, wide: Float32s) -> Float32s:
        """The largest score in each tile of words, for each query."""
        maxima = np.empty((len(self._tiles), len(wide)), dtype=np.float32)
        scores = np.empty((len(wide), WORDS), dtype=np.float32)
        for i, tile in enumerate(self._tiles):
            words = self._tall[tile]
            np.matmul(wide, words.T, out=scores[:, : len(words)])
            scores[:, : len(words)].max(axis=1, out=maxima[i])
        return maxima

    def _doubt(self, centred: Floats) -> Floats:
        """How far a float32 score can be from the true one (docs/proofs/nearest.md).

        A sum of m products in any order errs by at most m·u/(1 − m·u) of the sum
        of their sizes, u = 2⁻²⁴; rounding the factors to float32 adds 3u.
        """
        m, unit = self._tall.shape[1], 2.0**-24
        size = np.linalg.norm(centred, axis=1) * self.table.radius + self.table.radius**2 / 2
        return np.asarray((m + 4) * unit / (1 - m * unit) * size)

    def _candidates(self, wide: Float32s, maxima: Float32s, enough: Floats) -> tuple[Ids, Ids]:
        """Pairs (query, row) whose float32 score leaves open that the row is the nearest."""
        found = []
        tiles, queries = np.nonzero(maxima >= enough)
        bounds = np.searchsorted(tiles, np.arange(len(self._tiles) + 1))
        for tile in np.unique(tiles):
            some = queries[bounds[tile] : bounds[tile + 1]]
            scores = wide[some] @ self._tall[self._tiles[tile]].T
            i, j = np.nonzero(scores >= enough[some, None])
            found.append((some[i], j + self._tiles[tile].start))
        query, row = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((row, query))
        return query[order], row[order]

    def _decide(self, queries: Floats, query: Ids, row: Ids) -> Ids:
        """Of each query's candidates, the row at the smallest float64 distance."""
        first = np.flatnonzero(np.diff(query, prepend=-1))
        if len(first) == len(query):
            return row  # no query has two candidates
        squared = np.empty(len(row))
        for i in range(0, len(row), PAIRS):
            part = slice(i, i + PAIRS)
            moved = queries[query[part]] - self.table.vectors[self._rows[row[part]]]
            squared[part] = np.einsum("nk,nk->n", moved, moved)
        least = np.minimum.reduceat(squared, first)
        hit = np.flatnonzero(squared == least[query])
        return row[hit[np.flatnonzero(np.diff(query[hit], prepend=-1))]]

    @cached_property
    def _rows(self) -> Ids:
        return np.arange(len(self.table)) if self.ids is None else self.ids

    @cached_property
    def _tall(self) -> Float32s:
        """Centred vectors, and minus half their squared norms as the last column."""
        tall = np.empty((len(self._rows), self.table.dimensions + 1), dtype=np.float32)
        for part in self._parts(1 << 14):
            centred = self.table.vectors[self._rows[part]] - self.table.centre
            tall[part, :-1] = centred
            tall[part, -1] = np.einsum("nk,nk->n", centred, centred) / -2
        return tall

    @cached_property
    def _tiles(self) -> list[slice]:
        return list(self._parts(WORDS))

    def _parts(self, size: int) -> Iterator[slice]:
        count = len(self._rows)
        return (slice(i, min(i + size, count)) for i in range(0, count, size))


def _each(work: Callable[[int], Ids], starts: range, threads: int) -> list[Ids]:
    """`work` on every start: one matrix product per thread, several threads at a time."""
    if threads == 1 or len(starts) == 1:
        return [work(start) for start in starts]
    with _ONE_BLAS_THREAD, ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, starts))


class _OneBlasThread:
    """Keeps BLAS to one thread while anybody is inside; the last to leave restores it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()


_ONE_BLAS_THREAD = _OneBlasThread()


@lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    return ThreadpoolController()
