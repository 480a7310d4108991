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
from math import inf

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.devices import Card, card
from nomdeplume.distance.arrays import back
from nomdeplume.distance.cloud import squared
from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism.inputs import made_of
from nomdeplume.mechanism.scores import Score
from nomdeplume.mechanism.sums import Sums
from nomdeplume.mechanism.weights import TILE, Weights, log_sums
from nomdeplume.table import Table
from nomdeplume.threads import cores

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Map = Callable[[Floats], Floats]

DRAWS = 1 << 18  # made together


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
        return np.asarray(self._weights.apart(self._weights.wide(self._tall(ids))))

    def log_weights(self, ids: Ids) -> Floats:
        """ln q(y) − a·s(x, y), (n, answers)."""
        return np.asarray(self._weights.logs(self._weights.wide(self._tall(ids))))

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

    def tiles(self, ids: Ids) -> Floats:
        """Logarithms of the sums of weights in each tile, (n, tiles)."""
        return np.asarray(self._weights.tiles(self._weights.wide(self._tall(ids))))

    def log_totals(self, ids: Ids, tell: Callable[[int], None] | None = None) -> Floats:
        """ln Z of each word, the logarithm of the sum of its weights."""
        row = self._weights.tall.size  # products for one word
        if np.array_equal(ids, self.answers):
            return self._on(card(len(ids) * row / 2)).log_totals(tell)
        weights = self._on(card(len(ids) * row))

        def total(some: slice) -> Floats:
            found = back(log_sums(weights.tiles(weights.wide(self._tall(ids[some])))))
            if tell:
                tell(len(found))
            return found

        return np.concatenate([np.empty(0), *weights.in_blocks(total, len(ids))])

    def draw(self, ids: Ids, rng: Generator) -> Ids:
        """One answer for each id. Rows are made once for each distinct word, and kept."""
        released = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), DRAWS):
            some = ids[start : start + DRAWS]
            chance = rng.random((2, len(some)))
            released[start : start + DRAWS] = self._sums_for(some).draw(some, chance)
        return self.answers[released]

    __getstate__ = made_of  # rows can be made again

    def _sums_for(self, ids: Ids) -> Sums:
        """Where these words are drawn: once rows were made on a card, there, while it is chosen."""
        row = self._weights.tall.size
        work = self._sums.unknown(ids) * row + len(ids) * TILE * row / len(self.answers)
        found = card(inf if self._drawing else work)
        if found is None:
            return self._sums
        if found not in self._drawing:
            self._drawing.setdefault(found, Sums(self._on(found), len(self.table), self._tall))
        return self._drawing[found]

    def _on(self, found: Card | None) -> Weights:
        if found is None:
            return self._weights
        if found not in self._placed:
            self._placed.setdefault(found, self._weights.on(found))
        return self._placed[found]

    def _tall(self, ids: Ids) -> Floats:
        """Vectors, with ones and their squared norms beside them."""
        vectors = self.table.vectors[ids].astype(np.float64)
        y = self.image(vectors) if self.image else vectors - self.table.centre
        return np.column_stack((y, np.ones(len(y)), squared(y)))

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self._tall(self.answers), self.score, self.a, self.log_q, self.threads)

    @cached_property
    def _sums(self) -> Sums:
        return Sums(self._weights, len(self.table), self._tall)

    @cached_property
    def _placed(self) -> dict[Card, Weights]:
        """Weights on cards; once there, they stay."""
        return {}

    @cached_property
    def _drawing(self) -> dict[Card, Sums]:
        """Sums on cards."""
        return {}
