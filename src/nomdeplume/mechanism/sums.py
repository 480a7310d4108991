"""Draws by weights: a tile of answers by its sum, and then an answer of the tile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance.arrays import Array, back, namespace, put, room
from nomdeplume.mechanism.weights import TILE, Weights
from nomdeplume.threads import each

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

ROWS = 256 << 20  # bytes of sums that are kept, at most: on 50,000 words those of 42,000
GATHERED = 1 << 25  # numbers of the answers that a card gathers at a time


class Sums:
    """Sums of tiles, running, of as many words as memory allows; forgotten when it is full.

    Threads that share a mechanism take turns here: a row must not move while it is read.
    """

    def __init__(self, weights: Weights, words: int, tall: Callable[[Ids], Floats]) -> None:
        self._weights, self._tall, self._lock = weights, tall, Lock()
        tiles = -(-len(weights.tall) // TILE)
        self.most = int(np.clip(ROWS // (8 * tiles), 16, words))
        self._row = np.full(words, -1, dtype=np.int64)
        self._used = 0
        self._below = room((self.most, tiles), weights.tall)

    def unknown(self, ids: Ids) -> int:
        """How many of these words have no sums yet."""
        return len(np.unique(ids[self._row[ids] < 0]))

    def draw(self, ids: Ids, chance: Floats) -> Ids:
        """One answer for each id, by two chances for each."""
        released = np.empty(len(ids), dtype=np.int64)
        for part in self.parts(ids):
            released[part] = self._drawn(ids[part], chance[:, part])
        return released

    def parts(self, ids: Ids) -> list[Ids]:
        """Indices of the ids in parts, none of more distinct words than are kept."""
        distinct, which = np.unique(ids, return_inverse=True)
        if len(distinct) <= self.most:
            return [np.arange(len(ids))]
        group = which // self.most
        return [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]

    def _drawn(self, ids: Ids, chance: Floats) -> Ids:
        card = self._weights.card
        first, second = (put(row, card) for row in np.ascontiguousarray(chance))
        with self._lock:
            tiles = self.find(put(self.rows(ids), card), first)
        distinct, which = np.unique(ids, return_inverse=True)
        wide = self._weights.wide(self._tall(distinct))
        within = self._by_tile if card is None else self._by_draw
        return within(wide, put(which, card), tiles, second)

    def rows(self, ids: Ids) -> Ids:
        """Where the sums of these words are; they are made if need be."""
        distinct = np.unique(ids)
        missing = distinct[self._row[distinct] < 0]
        if self._used + len(missing) > self.most:
            self._row[:], self._used, missing = -1, 0, distinct
        if len(missing):
            self._make(missing)
        return np.asarray(self._row[ids])

    def find(self, rows: Array, chance: Array) -> Array:
        """The tile of each draw: the first whose running sum is above its chance; by halving."""
        xp, last = namespace(rows), self._below.shape[1] - 1
        low, high = xp.zeros_like(rows), xp.full_like(rows, last)
        sought = chance * self._below[rows, -1]
        for _ in range(last.bit_length()):
            middle = (low + high) // 2
            above = self._below[rows, middle] > sought
            high, low = xp.where(above, middle, high), xp.where(above, low, middle + 1)
        return low.clip(max=last)  # a chance next to 1 may be rounded up to the whole sum

    def _make(self, ids: Ids) -> None:
        weights = self._weights

        def make(some: slice) -> None:
            logs = weights.tiles(weights.wide(self._tall(ids[some])))
            xp = namespace(logs)
            logs -= xp.amax(logs, axis=1, keepdims=True)
            into = slice(self._used + some.start, self._used + some.start + len(logs))
            xp.cumsum(xp.exp(logs, out=logs), axis=1, out=self._below[into])

        weights.in_blocks(make, len(ids))
        self._row[ids] = np.arange(self._used, self._used + len(ids))
        self._used += len(ids)

    def _by_tile(self, wide: Floats, which: Ids, tiles: Ids, chance: Floats) -> Ids:
        """The answers of draws within their tiles: for all draws in one tile, by one product."""
        weights, found = self._weights, np.empty(len(tiles), dtype=np.int64)
        order = np.argsort(tiles, kind="stable")
        present, firsts = np.unique(tiles[order], return_index=True)
        ends = np.append(firsts[1:], len(tiles))

        def within(number: int) -> None:
            start = present[number] * TILE
            mine = order[firsts[number] : ends[number]]
            logs = weights.logs(wide[which[mine]], slice(start, start + TILE))
            found[mine] = start + _picked(logs, chance[mine])

        each(within, range(len(present)), weights.threads)
        return found

    def _by_draw(self, wide: Array, which: Array, tiles: Array, chance: Array) -> Ids:
        """The same on a card: for some draws at a time, each with the answers of its tile.

        A card is slow at many small products, and fast at one that reads as much memory.
        """
        weights, count = self._weights, len(self._weights.tall)
        inside = put(np.arange(TILE), weights.card)
        step = max(1, GATHERED // (TILE * wide.shape[1]))

        def within(start: int) -> Ids:
            some = slice(start, start + step)
            answers = tiles[some, None] * TILE + inside  # (n, TILE)
            logs = weights.logs(wide[which[some]], answers.clip(max=count - 1))
            logs[answers >= count] = -np.inf  # the last tile may be narrower
            found = tiles[some] * TILE + _picked(logs, chance[some])
            return back(found.clip(max=count - 1))

        parts = each(within, range(0, len(tiles), step), weights.threads)
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _picked(logs: Array, chance: Array) -> Array:
    """Of each row of weights, the first whose running sum is above a chance of them all."""
    xp = namespace(logs)
    logs -= xp.amax(logs, axis=1, keepdims=True)
    below = xp.exp(logs, out=logs).cumsum(axis=1)
    chosen = (below <= chance[:, None] * below[:, -1:]).sum(axis=1)
    return chosen.clip(max=logs.shape[1] - 1)
