"""Noise on a word's direction and on its length, each for itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan, atan2, exp, log, pi, sin, sqrt, tan
from typing import Self

import numpy as np
from numpy.random import Generator

from nomdeplume.distance import Polar
from nomdeplume.distance.ground import angles, directions
from nomdeplume.errors import positive
from nomdeplume.noise.kinds import Floats, drawable
from nomdeplume.noise.sphere import around, below, inside, lift, seen_from, two_or_more
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

LEAST = 2.0**-53 - 1  # next to −1, whose logarithm is none


@dataclass(frozen=True)
class PolarLaplace:
    """A direction with density ∝ exp(−ε·arc·θ), θ the angle to the word's, and a Laplace length.

    The two are drawn independently, so their losses add up to ε·(arc·θ + |r − r′|). Lengths
    below 0 become 0, which is looking at what was drawn and nothing else (docs/proofs/polar.md).
    """

    epsilon: float
    arc: float  # the radius at which angles are measured, public
    longest: float  # difference in length between any two words
    name: str = "polar"

    def __post_init__(self) -> None:
        drawable(self.epsilon)
        positive("arc", self.arc)

    @classmethod
    def of(cls, table: Table, epsilon: float) -> Self:
        """Noise that measures angles at the mean length of the table's vectors."""
        lengths = np.concatenate([np.linalg.norm(rows, axis=1) for rows in table.blocks()])
        return cls(epsilon, float(lengths.mean()) or 1.0, float(np.ptp(lengths)))

    @property
    def settings(self) -> dict[str, float | str]:
        return {"arc": self.arc}

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, Polar(self.arc, self.longest), proofs=("polar",))

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        n, k = vectors.shape
        two_or_more(k)
        angle = angles_drawn(self.epsilon * self.arc, k, n, rng)
        length = np.linalg.norm(vectors, axis=1) + rng.laplace(0, 1 / self.epsilon, n)
        drawn = around(directions(vectors), np.cos(angle), np.sin(angle), rng)
        return np.asarray(np.maximum(length, 0)[:, None] * drawn)

    def at(self, epsilon: float) -> Self:
        return replace(self, epsilon=epsilon)

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        """Chances of angle and length as normal numbers, and these as standard noise.

        Given that a length stayed above 0, it is Laplace beyond that; others tell no direction.
        """
        from scipy.special import gammaincc, gammainccinv, gammaincinv, ndtri

        k, rate = vectors.shape[1], self.epsilon * self.arc
        was, is_ = np.linalg.norm(vectors, axis=1), np.linalg.norm(noisy, axis=1)
        angle, beside = seen_from(directions(vectors), noisy)
        aside = below(angle, k, lambda theta: -rate * theta, atan2(k - 1, rate))
        beyond = _above(self.epsilon * (is_ - was)) / _above(-self.epsilon * was)
        far = np.sqrt(2 * gammaincinv((k - 1) / 2, inside(aside)))  # a chi number
        normal = np.column_stack((far[:, None] * beside, -ndtri(inside(beyond))))
        length = np.linalg.norm(normal, axis=1)
        due = gammainccinv(k, inside(gammaincc(k / 2, length**2 / 2)))
        scale = np.where(is_ > 0, due / np.maximum(length, 1e-300), np.nan)
        return np.asarray(scale[:, None] * normal)

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        two_or_more(vectors.shape[1])
        lengths = np.linalg.norm(noisy, axis=1)[:, None]
        aside = self.arc * angles(directions(noisy), directions(vectors))
        along = np.abs(lengths - np.linalg.norm(vectors, axis=1))
        return np.asarray(-self.epsilon * (np.where(lengths > 0, aside, 0) + along))

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        return lift(table, 10 * (table.radius or 1.0)), epsilon

    def fitted(self, table: Table, epsilon: float) -> Self:
        made = self.of(table, epsilon)
        return replace(self, epsilon=epsilon, arc=made.arc, longest=made.longest)


def angles_drawn(rate: float, k: int, n: int, rng: Generator) -> Floats:
    """n angles with density ∝ sin^(k−2)θ·exp(−rate·θ) on [0, π]: exactly, by rejection.

    The logarithm g of the density is concave, so its tangents lie above it: the envelope is
    the level of the mode, and the tangents √2 standard deviations from it. Of a normal law it
    takes 89 %, and here about as much, whatever the rate and k. In the plane g is a line.
    """
    if k == 2:
        return np.asarray(-np.log1p(rng.random(n) * np.expm1(-rate * pi)) / rate)
    envelope = _Envelope.of(rate, k - 2)
    found, missing = np.empty(n), np.arange(n)
    while len(missing):
        angle, level = envelope.draw(len(missing), rng)
        taken = np.log1p(-rng.random(len(missing))) <= envelope.log_density(angle) - level
        found[missing[taken]] = angle[taken]
        missing = missing[~taken]
    return found


@dataclass(frozen=True)
class _Envelope:
    """exp(steep·(θ − left)) to the left, 1 between, exp(−fall·(θ − right)) to the right."""

    rate: float
    power: int  # of the sine
    mode: float
    left: float
    right: float
    steep: float
    fall: float

    @classmethod
    def of(cls, rate: float, power: int) -> _Envelope:
        """From the tangents at ln tan(θ/2) = that of the mode ± √(2/power).

        There a step of 1/√power is a standard deviation, and no step leads out of (0, π).
        """
        mode = atan2(power, rate)
        before, after = (2 * atan(tan(mode / 2) * exp(side * sqrt(2 / power))) for side in (-1, 1))
        bare = cls(rate, power, mode, 0, 0, 0, 0)
        steep, fall = power / tan(before) - rate, rate - power / tan(after)
        left = before - float(bare.log_density(before)) / steep
        right = after + float(bare.log_density(after)) / fall
        return replace(bare, left=left, right=right, steep=steep, fall=fall)

    def log_density(self, angle: Floats | float) -> Floats:
        """g, less what it is at the mode."""
        with np.errstate(divide="ignore"):
            sines = np.log(np.sin(angle)) - log(sin(self.mode))
        return np.asarray(self.power * sines - self.rate * (angle - self.mode))

    def draw(self, n: int, rng: Generator) -> tuple[Floats, Floats]:
        """Angles under the envelope, and how high it is there."""
        before = -np.expm1(-self.steep * self.left) / self.steep
        after = -np.expm1(-self.fall * (pi - self.right)) / self.fall
        flat = self.right - self.left
        at = rng.random(n) * (before + flat + after) - before  # below 0, in [0, flat), beyond
        down = np.log1p(np.clip(at * self.steep, LEAST, 0))
        up = np.log1p(np.clip((flat - at) * self.fall, LEAST, 0))
        angle = self.left + down / self.steep + np.clip(at, 0, flat) - up / self.fall
        return np.clip(angle, 0, pi), down + up


def _above(length: Floats) -> Floats:
    """The chance that a Laplace number is above this."""
    tail = np.exp(-np.abs(length)) / 2
    return np.where(length > 0, tail, 1 - tail)
