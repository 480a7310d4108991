"""Exact nearest words at the speed of a matrix product.

‖q − t‖² = ‖q‖² − 2(q·t − ‖t‖²/2), so the nearest word has the largest score
q·t − ‖t‖²/2: one float32 product, with the half norm as an extra column. Words
come in tiles small enough for the cache, and only the largest score of each
tile is kept. Every tile that could hold the answer, given how far float32 can
be off, is then looked at again, and what is left is decided in float64. The
result is that of float64 brute force; the first word wins a tie.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import floor, log2

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]

QUERIES, WORDS = 1024, 512  # one tile of scores: 2 MiB, a core's share of the cache
PAIRS = 1 << 14  # candidates decided together in float64


@dataclass(frozen=True, eq=False)
class Exact:
    """The words of `table`, or those with the given ids, ready to be searched."""

    table: Table
    ids: Ids | None = None
    threads: int = field(default_factory=cores)

    def __post_init__(self) -> None:
        if self.ids is not None and not len(self.ids):
            raise InputError("at least one word must be left to search among, got none.")

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, as float64 brute force would find it."""
        if not len(queries):
            return np.empty(0, dtype=np.int64)
        _ = self._tall, self._tile_norms  # made once, before threads ask for them
        step = min(QUERIES, -(-len(queries) // self.threads))
        starts = range(0, len(queries), step)
        return np.concatenate(
            each(lambda i: self._nearest(queries[i : i + step]), starts, self.threads)
        )

    def _nearest(self, queries: Floats) -> Ids:
        best = _Best(queries, self.table, self._rows)
        for query, row in self._candidates(queries):
            best.consider(query, row)
        return self._rows[best.decided()]

    def _candidates(self, queries: Floats, top: int = 1) -> Iterator[tuple[Ids, Ids]]:
        """Queries, and rows that may be among their `top` nearest; a tile of words at a time."""
        centred = (queries - self.table.centre) * self._scale
        wide = np.ones((len(queries), self._tall.shape[1]), dtype=np.float32)
        wide[:, :-1] = centred
        lengths = np.linalg.norm(centred, axis=1)
        maxima = self._maxima(wide)  # (tiles, n)
        doubts = self._doubt(lengths, self._tile_norms)
        least = _largest(maxima - doubts, top)  # the true score of the best is at least this
        tiles, some = np.nonzero(maxima + doubts >= least)
        bounds = np.searchsorted(tiles, np.arange(len(self._tiles) + 1))
        for tile in np.unique(tiles):
            asked = some[bounds[tile] : bounds[tile + 1]]
            rows = self._tiles[tile]
            scores = wide[asked] @ self._tall[rows].T
            doubt = self._doubt(lengths[asked], self._norms[rows]).T
            i, j = np.nonzero(scores + doubt >= least[asked, None])
            yield asked[i], j + rows.start

    def _maxima(self, wide: Float32s) -> Float32s:
        """The largest score in each tile of words, for each query."""
        maxima = np.empty((len(self._tiles), len(wide)), dtype=np.float32)
        scores = np.empty((len(wide), WORDS), dtype=np.float32)
        for i, tile in enumerate(self._tiles):
            words = self._tall[tile]
            np.matmul(wide, words.T, out=scores[:, : len(words)])
            scores[:, : len(words)].max(axis=1, out=maxima[i])
        return maxima

    def _doubt(self, lengths: Floats, norms: Floats) -> Floats:
        """How far float32 scores can be from the true ones (docs/proofs/nearest.md).

        A sum of m products in any order errs by at most m·u/(1 − m·u) of the sum
        of their sizes, u = 2⁻²⁴; rounding the factors to float32 adds 3u, and
        what is too small for float32 at most 2⁻¹²⁶ a product.
        """
        m, unit = self._tall.shape[1], 2.0**-24
        sizes = norms[:, None] * lengths + norms[:, None] ** 2 / 2  # (norms, lengths)
        return np.asarray((m + 4) * unit / (1 - m * unit) * sizes + 4 * m * 2.0**-126)

    @cached_property
    def _rows(self) -> Ids:
        return np.arange(len(self.table)) if self.ids is None else self.ids

    @cached_property
    def _scale(self) -> float:
        """A power of two that brings the table's radius near 1: it is exact and cannot overflow."""
        return 2.0 ** -floor(log2(self.table.radius or 1.0))

    @cached_property
    def _tall(self) -> Float32s:
        """Centred, scaled vectors, and minus half their squared norms as the last column."""
        tall = np.empty((len(self._rows), self.table.dimensions + 1), dtype=np.float32)
        for part in self._parts(1 << 14):
            centred = (self.table.vectors[self._rows[part]] - self.table.centre) * self._scale
            tall[part, :-1] = centred
            tall[part, -1] = np.einsum("nk,nk->n", centred, centred) / -2
        return tall

    @cached_property
    def _norms(self) -> Floats:
        """Upper bounds of the rows' norms, above what float32 left of them."""
        norms = np.sqrt(-2.0 * self._tall[:, -1].astype(np.float64))
        return np.maximum(norms * (1 + 2.0**-20), 2.0**-60)

    @cached_property
    def _tile_norms(self) -> Floats:
        return np.array([self._norms[tile].max() for tile in self._tiles])

    @cached_property
    def _tiles(self) -> list[slice]:
        return list(self._parts(WORDS))

    def _parts(self, size: int) -> Iterator[slice]:
        count = len(self._rows)
        return (slice(i, min(i + size, count)) for i in range(0, count, size))


def _largest(scores: Floats, top: int) -> Floats:
    """The `top`-th largest number of each column."""
    return np.asarray(scores.max(axis=0) if top == 1 else np.partition(scores, -top, axis=0)[-top])


class _Best:
    """The nearest row found so far for each query, decided in float64."""

    def __init__(self, queries: Floats, table: Table, rows: Ids) -> None:
        self._queries, self._table, self._ids = queries, table, rows
        self._row = np.zeros(len(queries), dtype=np.int64)
        self._squared = np.full(len(queries), np.inf)
        self._waiting: list[tuple[Ids, Ids]] = []
        self._count = 0

    def consider(self, query: Ids, row: Ids) -> None:
        """Candidates, in ascending order of rows from call to call; decided a block at a time."""
        self._waiting.append((query, row))
        self._count += len(query)
        if self._count >= PAIRS:
            self._decide()

    def decided(self) -> Ids:
        self._decide()
        return self._row

    def _decide(self) -> None:
        """Take over every candidate that is nearer; the first row wins a tie."""
        if not self._waiting:
            return
        queries = np.concatenate([query for query, _ in self._waiting])
        rows = np.concatenate([row for _, row in self._waiting])
        self._waiting, self._count = [], 0
        for start in range(0, len(queries), PAIRS):
            query, row = queries[start : start + PAIRS], rows[start : start + PAIRS]
            moved = self._queries[query] - self._table.vectors[self._ids[row]]
            squared = np.einsum("nk,nk->n", moved, moved)
            order = np.lexsort((row, squared, query))
            first = order[np.flatnonzero(np.diff(query[order], prepend=-1))]
            nearer = first[squared[first] < self._squared[query[first]]]
            self._squared[query[nearer]] = squared[nearer]
            self._row[query[nearer]] = row[nearer]
