"""Nearest words by a compressed scan: faiss reads all words at four bits for two dimensions.

Noisy vectors lie off the words, where graphs and partitions of the words lead astray, so
nothing is skipped. Those that look best are compared exactly. Now and then the nearest
word is not among them: that is a loss of use, and no promise depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nomdeplume.errors import InputError
from nomdeplume.extras import extra
from nomdeplume.nearest.decision import Best
from nomdeplume.nearest.rows import Float32s, Floats, Ids, Rows, parts
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

LEAST = 4096  # words: fewer are not worth compressing
BITS = 4  # for two dimensions
TRAINED = 50_000  # words, at most, that the code is fitted to
LEFT = 512  # words that are compared exactly
QUERIES = 1024  # of a thread at a time
COMPARED = 32  # of them at a time with what is left for each
PASSES = 0x444444  # six times four queries for one reading of the codes


@dataclass(frozen=True, eq=False)
class Scan:
    """The words of `table`, or those with the given ids, in a compressed form."""

    table: Table
    ids: Ids | None = None
    threads: int = field(default_factory=cores)

    def __post_init__(self) -> None:
        extra("faiss", "compressed scans", "scan")
        if (count := len(self.table if self.ids is None else self.ids)) < LEAST:
            raise InputError(f"a compressed scan is for {LEAST:,} words or more, got {count:,}.")

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, of those that look best."""
        if not len(queries):
            return np.empty(0, dtype=np.int64)
        _ = self._codes  # made once, before threads ask for them
        step = min(QUERIES, -(-len(queries) // self.threads))
        starts = range(0, len(queries), step)
        return np.concatenate(
            each(lambda i: self._nearest(queries[i : i + step]), starts, self.threads)
        )

    def _nearest(self, queries: Floats) -> Ids:
        rows = self._rows
        asked, best = rows.asked(queries), Best(queries, self.table)
        left = self._left(asked.wide)
        for part in parts(len(asked), COMPARED):
            some, these = asked[part], left[part]
            scores = np.matmul(rows.wide[these], some.wide[:, :, None])[:, :, 0]
            scores = scores - rows.tops[these // rows.tile]
            enough = scores.max(axis=1) - 2 * rows.doubt(some.lengths, -1)
            query, place = np.nonzero(scores >= enough[:, None])
            best.consider(query + part.start, rows.ids[these[query, place]])
        return best.decided()

    def _left(self, wide: Float32s) -> Ids:
        """Rows that look best, of each query."""
        with _on_one_core():
            _, rows = self._codes.search(self._paired(wide), min(LEFT, len(self._rows)))
        return np.asarray(rows)

    def _paired(self, wide: Float32s) -> Float32s:
        """Vectors with an even number of dimensions, without what stands beside them."""
        vectors = wide[:, :-1]
        odd = vectors.shape[1] % 2
        return np.ascontiguousarray(np.pad(vectors, ((0, 0), (0, odd))) if odd else vectors)

    @cached_property
    def _codes(self) -> Any:
        vectors = self._paired(self._rows.wide)
        with _on_one_core() as faiss:
            codes = faiss.IndexPQFastScan(vectors.shape[1], vectors.shape[1] // 2, BITS)
            codes.qbs = PASSES
            codes.train(vectors[:: -(-len(vectors) // TRAINED)])
            codes.add(vectors)
        return codes

    @cached_property
    def _rows(self) -> Rows:
        return Rows.of(self.table, self.ids, LEAST)


@contextmanager
def _on_one_core() -> Iterator[Any]:
    """faiss, that keeps to this thread: its own would wait for each other, turning."""
    faiss = extra("faiss", "compressed scans", "scan")
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(before)
