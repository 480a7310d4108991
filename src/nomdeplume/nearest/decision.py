"""Which candidates are nearest: decided in float64, by their distances themselves."""

from __future__ import annotations

import numpy as np

from nomdeplume.nearest.rows import Floats, Ids
from nomdeplume.table import Table

PAIRS = 1 << 14  # candidates decided together


class Best:
    """The nearest word found so far for each query, decided in float64."""

    def __init__(self, queries: Floats, table: Table) -> None:
        self._queries, self._table = queries, table
        self._id = np.full(len(queries), -1)
        self._squared = np.full(len(queries), np.inf)
        self._waiting: list[tuple[Ids, Ids]] = []
        self._count = 0

    def consider(self, query: Ids, word: Ids) -> None:
        """Candidates, decided a block at a time."""
        self._waiting.append((query, word))
        self._count += len(query)
        if self._count >= PAIRS:
            self._decide()

    def decided(self) -> Ids:
        self._decide()
        return self._id

    def _decide(self) -> None:
        """Take over every candidate that is nearer; the first word wins a tie."""
        if not self._waiting:
            return
        queries = np.concatenate([query for query, _ in self._waiting])
        words = np.concatenate([word for _, word in self._waiting])
        self._waiting, self._count = [], 0
        for start in range(0, len(queries), PAIRS):
            query, word = queries[start : start + PAIRS], words[start : start + PAIRS]
            moved = self._queries[query] - self._table.vectors[word]
            squared = np.einsum("nk,nk->n", moved, moved)
            order = np.lexsort((word, squared, query))
            first = order[np.flatnonzero(np.diff(query[order], prepend=-1))]
            query, word, squared = query[first], word[first], squared[first]
            before = self._squared[query]
            nearer = (squared < before) | ((squared == before) & (word < self._id[query]))
            self._squared[query[nearer]] = squared[nearer]
            self._id[query[nearer]] = word[nearer]


class Leading:
    """The `top` nearest words found so far for each query, decided in float64."""

    def __init__(self, queries: Floats, table: Table, top: int) -> None:
        self._queries, self._table, self._top = queries, table, top
        self._query, self._word = np.empty((2, 0), dtype=np.int64)
        self._squared = np.empty(0)
        self._waiting: list[tuple[Ids, Ids]] = []
        self._count = 0
        self._most = max(PAIRS, 2 * top * len(queries))

    def consider(self, query: Ids, word: Ids) -> None:
        self._waiting.append((query, word))
        self._count += len(query)
        if self._count >= self._most:
            self._decide()

    def decided(self) -> tuple[Ids, Floats]:
        self._decide()
        shape = len(self._queries), self._top
        return self._word.reshape(shape), self._squared.reshape(shape)

    def _decide(self) -> None:
        """Keep the first of what was kept and what waits, by distance, then by id."""
        query = np.concatenate([self._query, *(query for query, _ in self._waiting)])
        word = np.concatenate([self._word, *(word for _, word in self._waiting)])
        fresh = slice(len(self._query), None)
        squared = np.concatenate([self._squared, self._apart(query[fresh], word[fresh])])
        self._waiting, self._count = [], 0
        order = np.lexsort((word, squared, query))
        ordered = query[order]
        rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        first = order[rank < self._top]
        self._query, self._word, self._squared = query[first], word[first], squared[first]

    def _apart(self, query: Ids, word: Ids) -> Floats:
        squared = np.empty(len(query))
        for start in range(0, len(query), PAIRS):
            some = slice(start, start + PAIRS)
            moved = self._queries[query[some]] - self._table.vectors[word[some]]
            squared[some] = np.einsum("nk,nk->n", moved, moved)
        return squared
