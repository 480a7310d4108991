"""Which words are brought too far apart: a penalty while a map is learnt, and a mending after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance.cloud import distances
from nomdeplume.features.placing import placed

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

PENALTY = 5.0
SOME = 1_200  # words whose pairs are looked at together
COMMON, BLOCK = 8_000, 500  # words among which the worst pairs are sought, a block at a time
WORST = 300  # of them
ROUNDS = 300  # of mending, at most
SLACK = 2e-3  # by which pairs may stay too far apart, which is divided out afterwards


@dataclass(eq=False)
class Steepness:
    """Pairs of words, and how far apart values may be: no farther than the words are."""

    vectors: Floats  # (words, k)
    weights: Floats  # (words,) by which words are looked at, if they are too many for all
    _worst: Ids = field(default_factory=lambda: np.empty(0, dtype=np.int64), init=False)

    @property
    def few(self) -> bool:
        """Whether all pairs can be looked at together."""
        return len(self.vectors) <= SOME

    def some(self, rng: Generator) -> Ids:
        """Words to look at: all if they are few, else some by weight and those that are worst."""
        if self.few:
            return np.arange(len(self.vectors))
        chance = np.sqrt(self.weights) + 1e-12
        drawn = rng.choice(len(chance), SOME, replace=False, p=chance / chance.sum())
        return np.union1d(drawn, self._worst)

    def slopes(self, some: Ids, values: Floats) -> Floats:
        """Of Σ max(0, ‖φ(v) − φ(w)‖/d − 1)² over pairs of some words, in their values."""
        inverse = _inverse(self.vectors[some])
        far = distances(values, values)
        over = np.maximum(far * inverse - 1, 0)
        pull = 2 * PENALTY / len(some) * over * inverse / np.maximum(far, 1e-9)
        return np.asarray(pull.sum(axis=1)[:, None] * values - pull @ values)

    def seek(self, values: Callable[[Ids], Floats]) -> None:
        """Note the words that are brought apart most, each with its partner, of common ones."""
        if self.few:
            return
        common = np.argsort(-self.weights, kind="stable")[:COMMON]
        found = values(common)
        top, partner = np.zeros(len(common)), np.zeros(len(common), dtype=np.int64)
        for start in range(0, len(common), BLOCK):
            part = slice(start, start + BLOCK)
            far = distances(self.vectors[common[part]], self.vectors[common])
            ratio = distances(found[part], found) / np.where(far > 0, far, np.inf)
            top[part], partner[part] = ratio.max(axis=1), ratio.argmax(axis=1)
        worst = np.argsort(-top, kind="stable")[:WORST]
        self._worst = np.unique(common[np.concatenate((worst, partner[worst]))])

    def mended(self, values: Floats) -> Floats:
        """Values that are hardly too far apart, moved as little as that takes.

        Every pair that is too far apart is drawn together, all of them at once and by a share
        of what it takes, so that no word is drawn too far by many: averaged projections. Too
        many words for that are placed one after the other, those that weigh most first.
        """
        if not self.few:
            lengths = np.sqrt((values * values).sum(axis=1))
            order = np.argsort(-(self.weights + 1e-9) * lengths, kind="stable")
            return placed(self.vectors, values, order)
        inverse = _inverse(self.vectors)
        for _ in range(ROUNDS):
            ratio = distances(values, values) * inverse
            if ratio.max(initial=0.0) <= 1 + SLACK:
                break
            pull = np.maximum(1 - 1 / np.maximum(ratio, 1e-9), 0) / 2
            many = np.sqrt(np.maximum((pull > 1e-6).sum(axis=1), 1))
            pull /= many[:, None] * many
            values = values - (pull.sum(axis=1)[:, None] * values - pull @ values)
        return values


def _inverse(vectors: Floats) -> Floats:
    """1/d of all pairs; 0 where two are one."""
    far = distances(vectors, vectors)
    np.fill_diagonal(far, np.inf)
    return np.asarray(1 / np.where(far > 0, far, np.inf))
