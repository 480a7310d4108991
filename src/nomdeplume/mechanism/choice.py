"""Chances of words that are chosen directly, P(y|x) ∝ q(y)·exp(−a·s(x, y)), and draws by them.

A row of weights for every word of a large table would not fit into memory, and one made
anew for every word of a text would be slow. So answers come in tiles of 64: what is kept of
a word's row are the sums of its tiles, made once. A draw picks a tile by its sum, and then a
word of the tile, whose weights are made for all draws in that tile by one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance.cloud import PAIRS, squared
from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism.inputs import made_of
from nomdeplume.mechanism.scores import Score
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Map = Callable[[Floats], Floats]
T = TypeVar("T")

TILE = 64  # answers whose weights are summed up
NUMBERS = 1 << 20  # of a block of rows
BLOCK = 512  # answers whose distances to as many are taken at a time
ROWS = 256 << 20  # bytes of sums that are kept, at most: on 50,000 words those of 42,000
DRAWS = 1 << 18  # made together
NEAR = 1e-3  # of the largest squared norms: nearer pairs are computed directly


@dataclass(frozen=True, eq=False)
class Choice:
    """P(y|x) ∝ q(y)·exp(−a·s(x, y)) over the answers, ids of the table in ascending order."""

    table: Table
    answers: Ids
    score: Score
    a: float
    log_q: Floats | None = None  # of each answer; all alike if none are given
    image: Map | None = None  # of vectors, before distances are taken
    threads: int = field(default_factory=cores)

    def __post_init__(self) -> None:
        positive("a", self.a)
        if not len(self.answers):
            raise InputError("at least one word must be left to choose from, got none.")

    def distances(self, ids: Ids) -> Floats:
        """How far these words are from the answers; a word is exactly 0 from itself."""
        return self._apart(self._wide(ids))

    def _wide(self, ids: Ids) -> Floats:
        """Vectors times −2, with their squared norms and ones beside them."""
        x = self._around(ids)
        return np.column_stack((-2 * x, squared(x), np.ones(len(x))))

    def _apart(self, wide: Floats, answers: slice = slice(None)) -> Floats:
        """Distances to some answers. One product gives ‖x‖² + ‖y‖² − 2·x·y.

        It loses digits where that is small, so these pairs, which are few, are computed directly.
        """
        tall = self._answers[answers]
        squares = wide @ tall.T
        limit = NEAR * (wide[:, -2].max(initial=0.0) + tall[:, -1].max(initial=0.0))
        near = np.nonzero(squares <= limit)
        for start in range(0, len(near[0]), PAIRS):
            i, j = (each[start : start + PAIRS] for each in near)
            squares[i, j] = squared(wide[i, :-2] / -2 - tall[j, :-2])
        return np.asarray(np.sqrt(squares, out=squares))

    def log_weights(self, ids: Ids) -> Floats:
        """ln q(y) − a·s(x, y), (n, answers)."""
        return self._weighed(self.distances(ids))

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V)."""
        logs = self.log_weights(ids)
        logs -= logs.max(axis=1, keepdims=True)
        chances = np.exp(logs, out=logs)
        chances /= chances.sum(axis=1, keepdims=True)
        if len(self.answers) == len(self.table):
            return chances
        full = np.zeros((len(ids), len(self.table)))
        full[:, self.answers] = chances
        return full

    def log_totals(self, ids: Ids, tell: Callable[[int], None] | None = None) -> Floats:
        """ln Z of each word, the logarithm of the sum of its weights."""
        if np.array_equal(ids, self.answers):
            return self._log_totals(tell)

        def total(start: int) -> Floats:
            logs = self.tiles(ids[start : start + self.block])
            if tell:
                tell(len(logs))
            return _log_sums(logs)

        parts = self.in_blocks(total, len(ids))
        return np.concatenate([np.empty(0), *parts])

    def _log_totals(self, tell: Callable[[int], None] | None) -> Floats:
        """The same for all answers: a distance is one both ways, so each is taken once.

        A word is an answer to itself, with a score of 0: Z is at least its weight.
        """
        count = len(self.answers)
        q = np.ones(count) if self.log_q is None else np.exp(self.log_q - self.log_q.max())

        def from_block(start: int) -> Floats:
            totals, mine = np.zeros(count), slice(start, min(start + BLOCK, count))
            wide = self._wide(self.answers[mine])
            for other in range(start, count, BLOCK):
                theirs = slice(other, min(other + BLOCK, count))
                kernel = self.score.of(self._apart(wide, theirs))
                kernel *= -self.a
                np.exp(kernel, out=kernel)
                totals[mine] += kernel @ q[theirs]
                if other > start:
                    totals[theirs] += q[mine] @ kernel
            if tell:
                tell(mine.stop - start)
            return totals

        _ = self._answers
        parts = each(from_block, range(0, count, BLOCK), self.threads)
        shift = 0.0 if self.log_q is None else self.log_q.max()
        return np.asarray(np.log(np.sum(parts, axis=0)) + shift)

    def tiles(self, ids: Ids) -> Floats:
        """Logarithms of the sums of weights in each tile, (n, tiles)."""
        logs = self.log_weights(ids)
        top = np.maximum.reduceat(logs, self._starts, axis=1)
        logs -= np.repeat(top, self._widths, axis=1)
        sums = np.add.reduceat(np.exp(logs, out=logs), self._starts, axis=1)
        return np.asarray(top + np.log(sums))

    def draw(self, ids: Ids, rng: Generator) -> Ids:
        """One answer for each id. Rows are made once for each distinct word, and kept."""
        released = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), DRAWS):
            some = ids[start : start + DRAWS]
            chance = rng.random((2, len(some)))
            for part in self._sums.parts(some):
                released[start + part] = self._drawn(some[part], chance[:, part])
        return self.answers[released]

    def _drawn(self, ids: Ids, chance: Floats) -> Ids:
        tiles = self._sums.tiles(ids, chance[0])
        distinct, which = np.unique(ids, return_inverse=True)
        wide = self._wide(distinct)
        found = np.empty(len(ids), dtype=np.int64)
        order = np.argsort(tiles, kind="stable")
        present, firsts = np.unique(tiles[order], return_index=True)
        ends = np.append(firsts[1:], len(ids))

        def within(number: int) -> None:
            start = self._starts[present[number]]
            inside = slice(start, start + TILE)
            mine = order[firsts[number] : ends[number]]
            logs = self._weighed(self._apart(wide[which[mine]], inside), inside)
            logs -= logs.max(axis=1, keepdims=True)
            below = np.exp(logs, out=logs).cumsum(axis=1)
            chosen = (below <= chance[1, mine, None] * below[:, -1:]).sum(axis=1)
            found[mine] = start + np.minimum(chosen, below.shape[1] - 1)

        each(within, range(len(present)), self.threads)
        return found

    __getstate__ = made_of  # rows can be made again

    @property
    def block(self) -> int:
        """Words whose rows are made together."""
        return max(1, NUMBERS // len(self.answers))

    def in_blocks(self, work: Callable[[int], T], count: int) -> list[T]:
        _ = self._answers, self._starts, self._widths  # made once, before threads ask for them
        return each(work, range(0, count, self.block), self.threads)

    def _weighed(self, away: Floats, answers: slice = slice(None)) -> Floats:
        """Logarithms of weights, in the place of distances."""
        logs = self.score.of(away)
        logs *= -self.a
        if self.log_q is not None:
            logs += self.log_q[answers]
        return logs

    def _around(self, ids: Ids) -> Floats:
        vectors = self.table.vectors[ids].astype(np.float64)
        return self.image(vectors) if self.image else vectors - self.table.centre

    @cached_property
    def _answers(self) -> Floats:
        """Vectors of the answers, with ones and their squared norms beside them."""
        y = self._around(self.answers)
        return np.column_stack((y, np.ones(len(y)), squared(y)))

    @cached_property
    def _starts(self) -> Ids:
        return np.arange(0, len(self.answers), TILE)

    @cached_property
    def _widths(self) -> Ids:
        return np.diff(np.append(self._starts, len(self.answers)))

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self)


class _Sums:
    """Sums of tiles, running, of as many words as memory allows; forgotten when it is full.

    Threads that share a mechanism take turns here: a row must not move while it is read.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice, self._lock = choice, Lock()
        tiles = -(-len(choice.answers) // TILE)
        self.most = int(np.clip(ROWS // (8 * tiles), 16, len(choice.table)))
        self._row = np.full(len(choice.table), -1, dtype=np.int64)
        self._used = 0
        self._below = np.empty((0, tiles))

    def parts(self, ids: Ids) -> list[Ids]:
        """Indices of the ids in parts, none of more distinct words than are kept."""
        distinct, which = np.unique(ids, return_inverse=True)
        if len(distinct) <= self.most:
            return [np.arange(len(ids))]
        group = which // self.most
        return [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]

    def tiles(self, ids: Ids, chance: Floats) -> Ids:
        """The tile of each draw."""
        with self._lock:
            return self.find(self.rows(ids), chance)

    def rows(self, ids: Ids) -> Ids:
        """Where the sums of these words are; they are made if need be."""
        distinct = np.unique(ids)
        missing = distinct[self._row[distinct] < 0]
        if self._used + len(missing) > self.most:
            self._row[:], self._used, missing = -1, 0, distinct
        if len(missing):
            self._make(missing)
        return np.asarray(self._row[ids])

    def find(self, rows: Ids, chance: Floats) -> Ids:
        """The tile of each draw: the first whose running sum is above its chance; by halving."""
        low = np.zeros(len(rows), dtype=np.int64)
        high = np.full(len(rows), self._below.shape[1] - 1)
        sought = chance * self._below[rows, -1]
        while (low < high).any():
            middle = (low + high) // 2
            above = self._below[rows, middle] > sought
            high, low = np.where(above, middle, high), np.where(above, low, middle + 1)
        return low

    def _make(self, ids: Ids) -> None:
        choice = self._choice
        end = self._used + len(ids)
        if end > len(self._below):
            room = min(self.most, max(end, 2 * len(self._below)))
            self._below = np.resize(self._below, (room, self._below.shape[1]))

        def make(start: int) -> None:
            logs = choice.tiles(ids[start : start + choice.block])
            logs -= logs.max(axis=1, keepdims=True)
            into = slice(self._used + start, self._used + start + len(logs))
            np.cumsum(np.exp(logs, out=logs), axis=1, out=self._below[into])

        choice.in_blocks(make, len(ids))
        self._row[ids] = np.arange(self._used, end)
        self._used = end


def _log_sums(logs: Floats) -> Floats:
    top = logs.max(axis=1)
    return np.asarray(top + np.log(np.exp(logs - top[:, None]).sum(axis=1)))
