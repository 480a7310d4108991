"""Herding (Welling 2009): word after word, so that their mean stays near a target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.compose.kinds import Compose, Floats, Ids, framed
from nomdeplume.devices import Card, card
from nomdeplume.distance.arrays import Array, all_bits, back, namespace, put, room
from nomdeplume.errors import InputError, got

Float32s = NDArray[np.float32]

MOST = 1e6
DOCUMENTS = 1 << 9  # composed together here: bounds the memory, whatever is asked for
SCORES = 1 << 27  # of documents that a card composes together


@dataclass(frozen=True)
class Herding:
    """Word j + 1 is the one nearest to (j + 1)·z minus the sum of the words so far.

    The mean of N words is then about 1/N from z, or from the nearest mean that words can
    have. Each time a word is taken it counts as farther away, by `penalty` times the mean
    squared distance of words from their centre: else few words make up a document. A word
    of small public weight counts as farther from the start, by as much for each factor of e.
    """

    penalty: float = 3.0
    name: str = "herding"

    def __post_init__(self) -> None:
        if not 0 <= self.penalty <= MOST:
            raise InputError(f"penalty must be from 0 to {MOST:g}, got {got(self.penalty)}.")

    @property
    def settings(self) -> dict[str, float | str]:
        return {"compose": self.name, "penalty": self.penalty}

    def elsewhere(self) -> Herding:
        return self

    def over(self, places: Floats, ids: Ids, weights: Floats | None = None) -> Compose:
        rows, frame = framed(places)
        half = (rows * rows).sum(axis=1, keepdims=True) / 2
        if weights is not None:
            half -= self.penalty / 2 * np.log(weights / weights.max())[:, None]
        tall = np.hstack((rows, -half)).astype(np.float32)  # (Y, m + 1)
        charge = np.float32(self.penalty / 2)
        placed = cache(lambda found: put(tall, found))  # once on each card

        def compose(target: Floats, size: int, rng: Generator) -> Ids:  # noqa: ARG001
            z = frame(target).astype(np.float32)
            found = card(float(len(z)) * size * tall.size)
            return np.asarray(ids[_herded(z, placed(found), charge, size, found)])

        return compose


def _herded(z: Float32s, tall: Array, charge: np.float32, size: int, on: Card | None) -> Ids:
    """Rows of `tall` for each target, (n, size), some targets at a time."""
    step = max(1, SCORES // len(tall)) if on else DOCUMENTS
    taken = np.empty((len(z), size), dtype=np.int64)
    with all_bits(on):
        for start in range(0, len(z), step):
            some = z[start : start + step]
            every = put(np.arange(len(some)), on)
            taken[start : start + step] = back(_taken(put(some, on), every, tall, charge, size))
    return taken


def _taken(z: Array, every: Array, tall: Array, charge: np.float32, size: int) -> Array:
    """argmax of T·v − ‖v‖²/2 less what v was charged so far, one word after the other.

    T is the target times j + 1 less the sum so far; ‖T − v‖² is least where this is most.
    """
    xp, n = namespace(z), len(z)
    left = xp.column_stack((z, xp.ones_like(z[:, 0])))
    scores, taken = room((n, len(tall)), tall), room((n, size), every)
    charged = xp.zeros_like(scores)
    for j in range(size):
        xp.matmul(left, tall.T, out=scores)
        scores -= charged
        best = taken[:, j] = scores.argmax(axis=1)
        charged[every, best] += charge
        left[:, :-1] += z - tall[best, :-1]
    return taken
