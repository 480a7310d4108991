"""Independent losses to be added up, and the tilt under which their sum is best looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np

from nomdeplume.distance.cloud import Floats, Ints
from nomdeplume.privacy.accountant.angles import Angles

DISTINCT = 512  # losses: more are rounded up to so many
TINIEST = 1e-100  # loss: lesser ones are rounded up to it
SHALLOW, STEEPEST = 1e-3, 1e3  # tilts, in deviations of the sum: the least, and
STEEP = 1e5  # in pure losses: the larger of the two is the largest


class Moments(NamedTuple):
    """Of a sum under a tilt λ: log E e^(λ·sum), mean and variance, and the ways taken."""

    moment: float
    mean: float
    variance: float
    taken: Ints  # places among all mixtures, one for each term


@dataclass(frozen=True, order=True)
class Mixture:
    """A loss that is that of a move, in k dimensions, each move with its share."""

    dimensions: int
    losses: tuple[float, ...]  # of the moves, at least 0, ascending
    shares: tuple[float, ...]  # above 0, that sum to 1

    @property
    def pure(self) -> float:
        return self.losses[-1]

    def rounded(self, rungs: Mapping[float, float]) -> Mixture:
        """The same with each loss on its rung, and moves that are then the same as one."""
        shares: dict[float, float] = {}
        for loss, share in zip(self.losses, self.shares, strict=True):
            shares[rungs[loss]] = shares.get(rungs[loss], 0.0) + share
        return Mixture(self.dimensions, tuple(shares), tuple(shares.values()))


def by_dimensions(mixtures: Iterable[Mixture]) -> dict[int, set[float]]:
    """All losses of some mixtures, by the dimensions that they are in."""
    found: dict[int, set[float]] = {}
    for mixture in mixtures:
        found.setdefault(mixture.dimensions, set()).update(mixture.losses)
    return found


Ways = tuple[Mixture, ...]  # to see one release, all of them right


@dataclass(frozen=True, eq=False)
class Terms:
    """What is added up: `counts[i]` independent losses, each as one of the mixtures `ways[i]`.

    All ways are right, and whichever is least under a tilt is taken.
    """

    ways: Sequence[Ways]
    counts: Sequence[int]

    @classmethod
    def of(cls, counted: Sequence[tuple[Ways, int]]) -> Terms:
        """With few distinct losses, and terms that are then the same as one of a larger count."""
        found = by_dimensions(mixture for ways, _ in counted for mixture in ways)
        rungs = {k: _rungs(losses) for k, losses in found.items()}
        merged: Counter[Ways] = Counter()
        for ways, count in counted:
            merged[tuple(each.rounded(rungs[each.dimensions]) for each in ways)] += count
        return cls(list(merged), list(merged.values()))

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
        found = by_dimensions(self.mixtures)
        return {k: Angles(k, np.array(sorted(losses - {0.0}))) for k, losses in found.items()}

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
        high = log(max(STEEP / self.pure, STEEPEST / deviation))
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
        rows: dict[tuple[int, float], int] = {}
        seen = 1
        for k, angles in self.laws.items():
            rows |= {(k, loss): seen + i for i, loss in enumerate(angles.losses.tolist())}
            seen += len(angles.losses)
        places = [
            rows[each.dimensions, loss] if loss else 0
            for each in self.mixtures
            for loss in each.losses
        ]
        return np.array(places)


def log_worst(tilt: float) -> float:
    """log of the most that (1 − e⁻ˣ)·e^(−λx) can be."""
    return tilt * log(tilt / (1 + tilt)) - log1p(tilt)


def _rungs(losses: Iterable[float]) -> dict[float, float]:
    """What each loss is rounded up to: itself, unless it is tiny or there are too many.

    Farther apart is never safer (docs/proofs/loss-law.md), so this is the safe side. Half of
    the rungs are equally far apart and half have equally many losses between them, so that
    neither far losses coarsen near ones nor rare ones common ones.
    """
    found = np.array(sorted(set(losses) - {0.0}))
    high = np.maximum(found, TINIEST)
    if len(found) > DISTINCT:
        half = np.arange(1, DISTINCT // 2 + 1) / (DISTINCT // 2)
        ranks = np.ceil(half * len(found)).astype(np.int64) - 1
        ladder = np.unique(np.concatenate([half * high[-1], high[ranks]]))
        ladder = np.append(ladder[ladder < high[-1]], high[-1])
        high = ladder[np.searchsorted(ladder, high)]
    return {0.0: 0.0, **dict(zip(found.tolist(), high.tolist(), strict=True))}
