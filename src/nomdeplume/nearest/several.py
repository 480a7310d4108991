"""The several nearest words, found as the nearest one is.

The best scores of `top` different tiles belong to `top` different words, so the least of them
is no better than the `top`-th best of all: what may be better is looked at again in float64.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import whole
from nomdeplume.nearest.exact import PAIRS, QUERIES, WORDS, Exact, Floats, Ids
from nomdeplume.table import Table
from nomdeplume.threads import each


@dataclass(frozen=True, eq=False)
class Several(Exact):
    """The words of a table, or those with the given ids, searched for the `top` nearest."""

    top: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("top", self.top, most=len(self._rows))

    def several(self, queries: Floats) -> tuple[Ids, Floats]:
        """Ids of the nearest words of each query and their distances, nearest first.

        As float64 brute force would find them; the first word wins a tie.
        """
        if not len(queries):
            return np.empty((0, self.top), dtype=np.int64), np.empty((0, self.top))
        _ = self._tall, self._tile_norms  # made once, before threads ask for them
        step = min(QUERIES, -(-len(queries) // self.threads))
        starts = range(0, len(queries), step)
        parts = each(lambda i: self._several(queries[i : i + step]), starts, self.threads)
        ids, distances = zip(*parts, strict=True)
        return np.concatenate(ids), np.concatenate(distances)

    def _several(self, queries: Floats) -> tuple[Ids, Floats]:
        best = _Leading(queries, self.table, self._rows, self.top)
        for query, row in self._candidates(queries, self.top):
            best.consider(query, row)
        rows, squared = best.decided()
        return self._rows[rows], np.sqrt(squared)

    @cached_property
    def _tiles(self) -> list[slice]:
        """Tiles of words, more of them than words are asked for."""
        return list(self._parts(int(np.clip(len(self._rows) // (4 * self.top), 1, WORDS))))


class _Leading:
    """The `top` nearest rows found so far for each query, decided in float64."""

    def __init__(self, queries: Floats, table: Table, rows: Ids, top: int) -> None:
        self._queries, self._table, self._ids, self._top = queries, table, rows, top
        self._query, self._row = np.empty((2, 0), dtype=np.int64)
        self._squared = np.empty(0)
        self._waiting: list[tuple[Ids, Ids]] = []
        self._count = 0
        self._most = max(PAIRS, 2 * top * len(queries))

    def consider(self, query: Ids, row: Ids) -> None:
        self._waiting.append((query, row))
        self._count += len(query)
        if self._count >= self._most:
            self._decide()

    def decided(self) -> tuple[Ids, Floats]:
        self._decide()
        shape = len(self._queries), self._top
        return self._row.reshape(shape), self._squared.reshape(shape)

    def _decide(self) -> None:
        """Keep the first of what was kept and what waits, by distance, then by row."""
        query = np.concatenate([self._query, *(query for query, _ in self._waiting)])
        row = np.concatenate([self._row, *(row for _, row in self._waiting)])
        fresh = slice(len(self._query), None)
        squared = np.concatenate([self._squared, self._apart(query[fresh], row[fresh])])
        self._waiting, self._count = [], 0
        order = np.lexsort((row, squared, query))
        ordered = query[order]
        rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        first = order[rank < self._top]
        self._query, self._row, self._squared = query[first], row[first], squared[first]

    def _apart(self, query: Ids, row: Ids) -> NDArray[np.float64]:
        squared = np.empty(len(query))
        for start in range(0, len(query), PAIRS):
            some = slice(start, start + PAIRS)
            moved = self._queries[query[some]] - self._table.vectors[self._ids[row[some]]]
            squared[some] = np.einsum("nk,nk->n", moved, moved)
        return squared
