"""Herding (Welling 2009): word after word, so that their mean stays near a target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.compose.kinds import Compose, Floats, Ids, framed
from nomdeplume.errors import InputError

Float32s = NDArray[np.float32]

MOST = 1e6


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
            raise InputError(f"penalty must be from 0 to {MOST:g}, got {self.penalty!r}.")

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

        def compose(target: Floats, size: int, rng: Generator) -> Ids:  # noqa: ARG001
            z = frame(target).astype(np.float32)
            return np.asarray(ids[_herded(z, tall, charge, size)])

        return compose


def _herded(z: Float32s, tall: Float32s, charge: np.float32, size: int) -> Ids:
    """Rows of `tall` for each target: argmax of T·v − ‖v‖²/2 less what v was charged so far.

    T is the target times j + 1 less the sum so far; ‖T − v‖² is least where this is most.
    """
    n, m = z.shape
    left = np.ones((n, m + 1), dtype=np.float32)
    left[:, :m] = z
    charged = np.zeros((n, len(tall)), dtype=np.float32)
    scores, every = np.empty_like(charged), np.arange(n)
    taken = np.empty((n, size), dtype=np.int64)
    for j in range(size):
        np.matmul(left, tall.T, out=scores)
        scores -= charged
        best = taken[:, j] = scores.argmax(axis=1)
        charged[every, best] += charge
        left[:, :m] += z - tall[best, :m]
    return taken
