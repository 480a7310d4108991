"""Independent losses to be added up, and the tilt under which their sum is best looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nomdeplume.privacy.angles import Angles, Floats

Ints = NDArray[np.int64]

DISTINCT = 512  # losses: more are rounded up to so many
SHALLOW, STEEP = 1e-3, 1e5  # least tilt, in deviations of the sum, and largest, in pure losses


class Moments(NamedTuple):
    """Of a sum under a tilt λ: log E e^(λ·sum), mean and variance, and the ways taken."""

    moment: float
    mean: float
    variance: float
    taken: Ints  # places among all mixtures, one for each term


@dataclass(frozen=True)
class Mixture:
    """A loss that is that of a move, in k dimensions, each move with its share."""

    dimensions: int
    losses: tuple[float, ...]  # of the moves, at least 0, ascending
    shares: tuple[float, ...]  # above 0, that sum to 1

    @property
    def pure(self) -> float:
        return self.losses[-1]


@dataclass(frozen=True, eq=False)
class Terms:
    """What is added up: `counts[i]` independent losses, each as one of the mixtures `ways[i]`.

    All ways are right, and whichever is least under a tilt is taken.
    """

    ways: Sequence[tuple[Mixture, ...]]
    counts: Sequence[int]

    @property
    def pure(self) -> float:
        most = [min(mixture.pure for mixture in ways) for ways in self.ways]
        return sum(count * pure for count, pure in zip(self.counts, most, strict=True))

    @cached_property
    def mixtures(self) -> list[Mixture]:
        return [mixture for ways in self.ways for mixture in ways]

    @cached_property
    def laws(self) -> dict[int, Angles]:
        """All losses above 0, by dimensions, each once."""
        found: dict[int, set[float]] = {}
        for mixture in self.mixtures:
            found.setdefault(mixture.dimensions, set()).update(mixture.losses)
        return {k: Angles(k, _rounded(losses)) for k, losses in found.items()}

    def rounded(self, mixture: Mixture) -> Floats:
        """The losses of a mixture as they are among the laws; 0 stays 0."""
        laws, losses = self.laws[mixture.dimensions].losses, np.array(mixture.losses)
        row = np.minimum(np.searchsorted(laws, losses), len(laws) - 1)
        return np.where(losses > 0, laws[row], 0.0)

    def moments(self, tilt: float) -> Moments:
        """What is known of the sum under a tilt."""
        found = [angles.moments(tilt) for angles in self.laws.values()]
        logs, means, variances = (
            np.concatenate([[0.0], *each])[self._rows] for each in zip(*found, strict=True)
        )
        logs = logs + self._log_shares
        top = np.maximum.reduceat(logs, self._starts)
        weights = np.exp(logs - top.repeat(self._lengths))
        total = np.add.reduceat(weights, self._starts)
        weights /= total.repeat(self._lengths)
        mean = np.add.reduceat(weights * means, self._starts)
        spread = variances + (means - mean.repeat(self._lengths)) ** 2
        moment = top + np.log(total)
        variance = np.add.reduceat(weights * spread, self._starts)
        counts, taken = np.array(self.counts, dtype=np.float64), self._least(moment)
        sums = [float(counts @ each[taken]) for each in (moment, mean, variance)]
        return Moments(sums[0], sums[1], sums[2], taken)

    def tilt_for_loss(self, loss: float) -> float:
        """The tilt under which the sum is that loss on average, about."""
        return self._tilt(lambda sums, _: sums.mean - loss)

    def tilt_for_delta(self, log_delta: float) -> float:
        """The tilt under which the sum is on average the loss at a δ, by its saddle point."""

        def excess(sums: Moments, tilt: float) -> float:
            bell = -log(sqrt(2 * pi * sums.variance) * tilt * (1 + tilt) + 1e-300)
            return tilt * sums.mean - sums.moment - min(bell, log_worst(tilt)) + log_delta

        return self._tilt(excess)

    def _tilt(self, excess: Callable[[Moments, float], float]) -> float:
        """Where `excess`, which grows with the tilt, is about 0; all are right, this is sharp."""
        deviation = sqrt(self.moments(0.0).variance)
        low = log(SHALLOW / deviation)
        high = max(low, log(STEEP / self.pure))
        while high - low > 0.05:
            middle = (low + high) / 2
            below = excess(self.moments(exp(middle)), exp(middle)) < 0
            low, high = (middle, high) if below else (low, middle)
        return exp(low)

    def _least(self, moments: Floats) -> Ints:
        """Of the ways of each term the place of the one with the least moment."""
        ends = np.cumsum([len(ways) for ways in self.ways])
        parts = np.split(moments, ends[:-1])
        return ends - [len(part) for part in parts] + [int(part.argmin()) for part in parts]

    @cached_property
    def _lengths(self) -> Ints:
        return np.array([len(mixture.losses) for mixture in self.mixtures])

    @cached_property
    def _starts(self) -> Ints:
        return np.cumsum(self._lengths) - self._lengths

    @cached_property
    def _log_shares(self) -> Floats:
        return np.asarray(np.log([share for each in self.mixtures for share in each.shares]))

    @cached_property
    def _rows(self) -> Ints:
        """Where each loss is among all laws, one after the other; a word that stays comes first."""
        begins, rows = {}, []
        seen = 1
        for k, angles in self.laws.items():
            begins[k], seen = seen, seen + len(angles.losses)
        for mixture in self.mixtures:
            losses = self.rounded(mixture)
            place = np.searchsorted(self.laws[mixture.dimensions].losses, losses)
            rows.append(np.where(losses > 0, begins[mixture.dimensions] + place, 0))
        return np.concatenate(rows)


def log_worst(tilt: float) -> float:
    """log of the most that (1 − e⁻ˣ)·e^(−λx) can be."""
    return tilt * log(tilt / (1 + tilt)) - log1p(tilt)


def _rounded(losses: set[float]) -> Floats:
    """The losses above 0, ascending; of too many, those that they are rounded up to.

    Farther apart is never safer (docs/proofs/loss-law.md), so this is the safe side.
    """
    found = np.array(sorted(losses - {0.0}))
    if len(found) <= DISTINCT:
        return found
    ladder = found[-1] * np.arange(1, DISTINCT + 1) / DISTINCT
    ladder[-1] = found[-1]
    return np.unique(ladder[np.searchsorted(ladder, found)])
