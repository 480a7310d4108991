"""Exact nearest words at the speed of a matrix product.

Words come in tiles small enough for the cache, and only bounds of the best score in each
tile are kept. Every tile that could hold the answer, given how far a quick product can be
off, is then looked at again in float32, and what is left is decided in float64. The result
is that of float64 brute force; the first word wins a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from nomdeplume.errors import InputError
from nomdeplume.nearest.decision import Best
from nomdeplume.nearest.products import QUERIES, Float32, Product, quickest
from nomdeplume.nearest.rows import Asked, Floats, Ids, Rows, parts
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

T = TypeVar("T")

WORDS = 512  # of a tile
BLOCK = 4096  # queries of a thread at a time, at most
BOUNDS = 1 << 22  # of tiles for queries, that are held at a time
WORTH = 1 << 31  # scores after which other products than float32 are worth loading
USELESS = 1 / 8  # of all tiles: bounds that leave more are given up


@dataclass(eq=False)
class Exact:
    """The words of `table`, or those with the given ids, ready to be searched.

    With `plain` by float32 products alone; else, when there is much to search, by the fastest
    that this machine has. The answer is the same.
    """

    table: Table
    ids: Ids | None = None
    threads: int = field(default_factory=cores)
    plain: bool = False
    searched: int = field(default=0, init=False, repr=False)  # scores so far
    product: Product | None = field(default=None, init=False, repr=False)  # the fastest here

    def __post_init__(self) -> None:
        if self.ids is not None and not len(self.ids):
            raise InputError("at least one word must be left to search among, got none.")

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, as float64 brute force would find it."""
        if not len(queries):
            return np.empty(0, dtype=np.int64)
        return np.concatenate(self._in_blocks(self._nearest, queries))

    def _in_blocks(self, work: Callable[[Floats], T], queries: Floats) -> list[T]:
        """`work` on blocks of queries, several at a time."""
        self._prepare(len(queries))
        blocks = self.threads * -(-len(queries) // (self.threads * BLOCK))  # of about one size
        step = -(-len(queries) // blocks)
        starts = range(0, len(queries), step)
        return each(lambda i: work(queries[i : i + step]), starts, self.threads)

    def _prepare(self, queries: int) -> None:
        """Make what all threads share, and a faster product as soon as one is worth it."""
        _ = self._rows.tiles, self._rows.tops, self._rows.tile_norms, self._plain
        self.searched += queries * len(self._rows)
        if self.product is None and not self.plain and self.searched > WORTH:
            self.product = quickest(self._rows) or self._plain

    def _nearest(self, queries: Floats) -> Ids:
        best = Best(queries, self.table)
        for query, row in self._candidates(queries):
            best.consider(query, self._rows.ids[row])
        return best.decided()

    def _candidates(self, queries: Floats, top: int = 1) -> Iterator[tuple[Ids, Ids]]:
        """Queries, and rows that may be among their `top` nearest; a tile of words at a time."""
        rows = self._rows
        asked = rows.asked(queries)
        least, tiles, some = self._left(asked, top)
        enough = least[some] - rows.doubt(asked.lengths[some], tiles) + rows.tops[tiles]
        enough = np.nextafter(enough.astype(np.float32), -np.inf)[:, None]
        wide = asked.wide[some]
        starts = np.flatnonzero(np.diff(tiles, prepend=-1))
        ends = np.append(starts[1:], len(tiles))
        for number, start, end in zip(tiles[starts], starts, ends, strict=True):  # few steps each
            tile = rows.tiles[number]
            near = wide[start:end] @ rows.wide[tile].T >= enough[start:end]
            i, j = np.divmod(np.flatnonzero(near), near.shape[1])
            yield some[start + i], j + tile.start

    def _left(self, asked: Asked, top: int) -> tuple[Floats, Ids, Ids]:
        """What the best score is at least; tiles in which it may be, in order, and for which."""
        known = np.empty(len(asked))
        tiles, some = [], []
        held = int(np.clip(BOUNDS // len(self._rows.tiles), 64, QUERIES))
        for part in parts(len(asked), held):
            known[part], tile, query = self._bounded(asked[part], top)
            tiles.append(tile)
            some.append(query + part.start)
        number = np.concatenate(tiles)
        order = np.argsort(number, kind="stable")
        return known, number[order], np.concatenate(some)[order]

    def _bounded(self, asked: Asked, top: int) -> tuple[Floats, Ids, Ids]:
        product = self.product or self._plain
        most, least = product.bounds(asked)
        known = _largest(least, top)
        left = ~(most < known)
        if product is not self._plain and left.mean() > USELESS:
            self.product = self._plain  # it cannot tell the words of this table apart
            return self._bounded(asked, top)
        tiles, queries = np.nonzero(left)
        return known, tiles, queries

    @cached_property
    def _plain(self) -> Float32:
        return Float32(self._rows)

    @cached_property
    def _rows(self) -> Rows:
        return Rows.of(self.table, self.ids, WORDS)


def _largest(scores: Floats, top: int) -> Floats:
    """The `top`-th largest number of each column."""
    return np.asarray(scores.max(axis=0) if top == 1 else np.partition(scores, -top, axis=0)[-top])
