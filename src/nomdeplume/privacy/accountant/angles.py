"""The law of the loss in an angle, where it is smooth: many laws at once, by quadrature.

With ℓ = s·cos θ the law of LossLaw has on [0, π] the density

    ∝ exp(−s·sin²(θ/2)) · sin^(k−2) θ · (s²·sin² θ + κ),

without a singularity for any k ≥ 2. A tilt by e^(λℓ) puts (1 + 2λ)·s in the place of s in the
exponent. For k = 1 the middle of the law has the density ½·s·exp(−s·sin²(θ/2))·sin(θ)/2, and
chances of ½ and ½e^(−s) sit at its two ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from nomdeplume.distance.cloud import Floats

DROP = 50.0  # nats below its peak where a density may be left: e⁻⁵⁰ is beyond rounding
MOMENT_NODES = 128  # of Gauss and Legendre
TINY = 1e-300
STEPS, NAUGHT = 256, 1e-8  # of the sum for a Bessel function, and where its series will do


def gauss(low: Floats, high: Floats, nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre between `low` and `high`, on a new last axis."""
    x, w = _rule(nodes)
    half = ((high - low) / 2)[..., None]
    return low[..., None] + half * (1 + x), half * w


@cache
def _rule(nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(nodes)


def bessel_ratio(z: Floats) -> Floats:
    """z·K₁(z)/K₀(z) for numbers above 0, to the last digits.

    K_ν(z) = ∫ exp(−z·cosh t)·cosh(νt) dt over t ≥ 0 falls so fast that equal steps sum it up to
    rounding, where they end past e⁻⁴⁰ of its height. Below NAUGHT the first term of its series,
    K₀(z) ≈ −log(z/2) − γ and z·K₁(z) ≈ 1, is as precise.
    """
    above = np.maximum(z, NAUGHT)
    steps = 2 * np.arcsinh(np.sqrt(20 / above))[:, None] * (np.arange(STEPS) / STEPS)
    mass = np.exp(-2 * above[:, None] * np.sinh(steps / 2) ** 2)
    mass[:, 0] /= 2
    summed = above * (mass * np.cosh(steps)).sum(axis=1) / mass.sum(axis=1)
    series = 1 / (np.log(2) - np.log(np.minimum(z, NAUGHT)) - np.euler_gamma)
    return np.asarray(np.where(z < NAUGHT, series, summed))


@dataclass(frozen=True, eq=False)
class Angles:
    """The laws of the loss in k dimensions, one for each pure loss in `losses`, all above 0."""

    dimensions: int
    losses: Floats  # (n,)

    @cached_property
    def kappa(self) -> Floats:
        """κ = 4(k−1)·q, q = z·K_{k/2}(z)/K_{k/2−1}(z) at z = s/2: by a recurrence that is stable.

        q_ν = 2ν + z²/q_{ν−1} from q_0 = z·K₁(z)/K₀(z) or q_{−½} = z: nothing over- or underflows.
        """
        z, order = self.losses / 2, 0.0 if self.dimensions % 2 == 0 else -0.5
        q = bessel_ratio(z) if order == 0 else z
        while order < self.dimensions / 2 - 1:
            order += 1
            q = 2 * order + z * (z / q)
        return np.asarray(4 * (self.dimensions - 1) * q)

    @cached_property
    def norm(self) -> Floats:
        """The logarithm of what the density must be divided by."""
        if self.dimensions == 1:
            return np.zeros(len(self.losses))
        theta, weights = gauss(*self.span(0.0), MOMENT_NODES)
        hav = haversine(theta)
        logs = self._log_bell(hav, 0.0) + self._factor(hav)
        top = logs.max(axis=1)
        return np.asarray(top + np.log((np.exp(logs - top[:, None]) * weights).sum(axis=1)))

    @property
    def power(self) -> int:
        """The power of sin θ in the density."""
        return self.dimensions - 2 if self.dimensions > 1 else 1

    def log_density(self, hav: Floats, tilt: float) -> Floats:
        """The logarithm of e^(λ(ℓ−s)) times the density, where sin²(θ/2) is `hav`, (n, ...)."""
        return self._log_bell(hav, tilt) + self._factor(hav) - _beside(self.norm, hav)

    def short(self, hav: Floats) -> Floats:
        """s − ℓ: how far below the pure loss the loss is."""
        return np.asarray(2 * _beside(self.losses, hav) * hav)

    def span(self, tilt: float) -> tuple[Floats, Floats]:
        """Angles outside of which the tilted density is negligible.

        Its first two factors, exp(−2A·sin²(θ/2))·sin^p θ with A = (½ + λ)s, rise up to one angle,
        cos θ = y with A(1 − y²) = p·y, and fall from there on, at first as a bell of width σ.
        Towards 0 they fall faster than that bell, towards π it is looked how far they fall.
        """
        middle, width = self.peak(tilt)
        peak = self._log_bell(haversine(middle), tilt)
        high, reach = middle, 10.0
        while ((peak - self._log_bell(haversine(high), tilt) < DROP) & (high < np.pi)).any():
            high = np.minimum(middle + reach * width, np.pi)
            reach *= 1.5
        return np.maximum(middle - 10 * width, 0), high

    def peak(self, tilt: float) -> tuple[Floats, Floats]:
        """Where the tilted density is about largest, and the width σ of its bell."""
        a = (0.5 + tilt) * self.losses
        if not self.power:
            return np.zeros_like(a), 1 / np.sqrt(1 + a)
        ratio = a / self.power
        y = 2 * ratio / (1 + np.sqrt(1 + 4 * ratio**2))
        square = 2 / (1 + np.sqrt(1 + 4 * ratio**2))  # 1 − y², without cancellation
        width = 1 / np.sqrt(a * y + self.power / square)
        return np.arctan2(np.sqrt(square), y), width

    def log_outside(self, low: Floats, high: Floats, tilt: float) -> Floats:
        """The logarithm of a bound on the tilted mass before and past the ends of the span.

        The first two factors of the density fall from there on, and the last is bounded.
        """
        with np.errstate(divide="ignore"):  # nothing lies before 0 or past π
            before = np.log(low) + self._log_bell(haversine(low), tilt)
            past = np.log(np.pi - high) + self._log_bell(haversine(high), tilt)
        return np.asarray(np.logaddexp(before, past) + self._highest - self.norm)

    @property
    def _highest(self) -> Floats:
        """The last factor is nowhere larger."""
        if self.dimensions == 1:
            return np.asarray(np.log(self.losses / 4))
        return np.asarray(np.log(self.losses**2 + self.kappa))

    def atoms(self, tilt: float) -> Floats:
        """Logarithms of e^(λ(ℓ−s)) times the chances at s and at −s, (n, 2): only k = 1 has any."""
        if self.dimensions > 1:
            return np.full((len(self.losses), 2), -np.inf)
        return np.asarray(
            np.stack([0 * self.losses, -(1 + 2 * tilt) * self.losses], axis=1) - np.log(2)
        )

    def moments(self, tilt: float) -> tuple[Floats, Floats, Floats]:
        """log E e^(λL), and mean and variance of the loss under that tilt."""
        theta, weights = gauss(*self.span(tilt), MOMENT_NODES)
        hav = haversine(theta)
        logs = self.log_density(hav, tilt) + np.log(weights)
        logs = np.concatenate([logs, self.atoms(tilt)], axis=1)
        short = np.concatenate([self.short(hav), np.outer(self.losses, [0, 2])], axis=1)
        top = logs.max(axis=1)
        mass = np.exp(logs - top[:, None])
        total = mass.sum(axis=1)
        mass /= total[:, None]
        mean = (mass * short).sum(axis=1)
        variance = (mass * (short - mean[:, None]) ** 2).sum(axis=1)
        return tilt * self.losses + top + np.log(total), self.losses - mean, variance

    def _log_bell(self, hav: Floats, tilt: float) -> Floats:
        falls = (1 + 2 * tilt) * _beside(self.losses, hav) * hav
        if not self.power:
            return np.asarray(-falls)
        return np.asarray(self.power / 2 * np.log(np.maximum(_sine_squared(hav), TINY)) - falls)

    def _factor(self, hav: Floats) -> Floats:
        s = _beside(self.losses, hav)
        if self.dimensions == 1:
            return np.log(s / 4) + 0 * hav
        return np.asarray(np.log(s**2 * _sine_squared(hav) + _beside(self.kappa, hav)))


def haversine(theta: Floats) -> Floats:
    """sin²(θ/2), the haversine of θ."""
    return np.asarray(np.sin(theta / 2) ** 2)


def _sine_squared(hav: Floats) -> Floats:
    """sin² θ."""
    return np.asarray(4 * hav * (1 - hav))


def _beside(values: Floats, other: Floats) -> Floats:
    """One value for each law, beside an array whose rows are laws."""
    return values.reshape(-1, *(1,) * (other.ndim - 1))
