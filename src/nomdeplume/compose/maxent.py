"""Maximum entropy: words drawn from the least informative law with a given mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator

from nomdeplume.compose.kinds import Compose, Floats, Ids, framed
from nomdeplume.devices import card
from nomdeplume.distance.arrays import Array, back, namespace, put
from nomdeplume.errors import InputError, positive

LEAST = 1e-6
STEPS, COMMON = 30, 6  # of Newton's method, at most, and as a rule
NEAR = 1e-6  # of a unit: a mean this near to its target is met
HALVED = 20  # times a step is halved, at most
BLOCK = 64  # documents tilted together


@dataclass(frozen=True)
class MaxEnt:
    """Words drawn from p(v) ∝ π(v)·exp(λ·φ(v)), λ such that their mean is the target.

    Of all laws on the output words with that mean it is the one nearest to their public
    weights π, and the one of most entropy where these are equal. No law has a
    mean outside the words' hull: λ is kept small by λ²/2 times `ridge`, which gives up a
    little of the mean for a law that exists wherever the target is.
    """

    ridge: float = 0.01
    name: str = "maxent"

    def __post_init__(self) -> None:
        if not LEAST <= positive("ridge", self.ridge) <= 1 / LEAST:
            raise InputError(f"ridge must be from {LEAST:g} to {1 / LEAST:g}, got {self.ridge:g}.")

    @property
    def settings(self) -> dict[str, float | str]:
        return {"compose": self.name, "ridge": self.ridge}

    def elsewhere(self) -> MaxEnt:
        return self

    def over(self, places: Floats, ids: Ids, weights: Floats | None = None) -> Compose:
        before = np.zeros(len(ids)) if weights is None else np.log(weights / weights.max())
        rows, frame = framed(places)

        placed = cache(lambda found: (put(rows, found), put(before, found)))  # once on each card

        def compose(target: Floats, size: int, rng: Generator) -> Ids:
            z = frame(target)
            found = card(COMMON * float(len(z)) * rows.size * (rows.shape[1] + 3))
            taken = np.empty((len(z), size), dtype=np.int64)
            for i in range(0, len(z), BLOCK):
                chances = _tilted(put(z[i : i + BLOCK], found), *placed(found), self.ridge)
                taken[i : i + BLOCK] = _drawn(back(chances), size, rng)
            return np.asarray(ids[taken])

        return compose


def _tilted(z: Array, rows: Array, before: Array, ridge: float) -> Array:
    """The chances of all words for each target, (n, Y).

    λ maximises λ·z − ln Σ π·exp(λ·φ) − ridge·‖λ‖²/2, which is concave; Newton's steps, halved
    while they overshoot.
    """
    xp, (n, m) = namespace(z), z.shape
    tilt = xp.zeros_like(z)
    chances, value = _law(z, rows, before, tilt, ridge)
    for _ in range(STEPS):
        mean = chances @ rows
        slope = z - mean - ridge * tilt
        if abs(slope).max() < NEAR:
            break
        second = xp.stack([(rows.T * each) @ rows for each in chances])
        second -= mean[:, :, None] * mean[:, None, :]
        second.reshape(n, -1)[:, :: m + 1] += ridge  # on the diagonals
        step = xp.linalg.solve(second, slope[:, :, None])[:, :, 0]
        share = xp.ones_like(z[:, :1])
        for halved in range(HALVED + 1):
            found, better = _law(z, rows, before, tilt + share * step, ridge)
            worse = better < value - 1e-12
            if not worse.any():
                break
            share[worse] = share[worse] / 2 if halved < HALVED - 1 else 0.0  # then stay
        tilt, chances, value = tilt + share * step, found, better
    return chances


def _law(z: Array, rows: Array, before: Array, tilt: Array, ridge: float) -> tuple[Array, Array]:
    xp = namespace(z)
    logs = tilt @ rows.T + before
    top = xp.amax(logs, axis=1, keepdims=True)
    weights = xp.exp(logs - top)
    total = weights.sum(axis=1, keepdims=True)
    value = (tilt * z).sum(axis=1) - (top + xp.log(total))[:, 0]
    return weights / total, value - ridge * (tilt * tilt).sum(axis=1) / 2


def _drawn(chances: Floats, size: int, rng: Generator) -> Ids:
    """`size` rows drawn by each document's chances."""
    ends = np.cumsum(chances, axis=1)
    drawn = rng.random((len(chances), size)) * ends[:, -1:]
    found = [np.searchsorted(end, one, side="right") for end, one in zip(ends, drawn, strict=True)]
    return np.asarray(np.minimum(found, chances.shape[1] - 1), dtype=np.int64)
