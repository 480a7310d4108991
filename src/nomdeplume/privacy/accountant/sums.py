"""The sum of independent losses: tilted, on one grid, by the Fourier transform.

A tilt by e^(λℓ) moves the middle of the sum to where it matters, so that a chance of 10⁻³⁰ has
as many digits as one of ½. Errors are counted in tilted mass, of which there is 1, and added
(docs/proofs/accounting.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, exp, expm1, hypot, inf, log, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance.cloud import Floats
from nomdeplume.privacy.accountant.angles import Angles
from nomdeplume.privacy.accountant.grid import Row, allowance, on_grid
from nomdeplume.privacy.accountant.terms import Mixture, Terms, by_dimensions, log_worst

TOLERANCE = 3e-4  # of the loss: about as much a grid may add to it
FEW = 100  # words
MANY = 10**8  # words: of more, Chernoff's bound is as good as any
FEWEST, MOST = 1 << 10, 1 << 20  # points of the grid
REFINED = 1 << 19  # points, of all terms together, where a grid is made finer than usual
LAWS, CELLS = 64, 1 << 18  # laws that are put on a grid together, and about their cells
REACHES = (10.0, 20.0, 40.0, 80.0)  # deviations around its middle that the grid may cover
FURTHER = np.array([0.5, 1.0, 2.0, 4.0])  # tilts by which it is bounded what lies outside
OUTSIDE = 1e-8  # of tilted mass may lie outside; else the grid is made wider
EPS = 2.0**-52

STAYS = Row(np.zeros(1, np.int64), np.ones(1), 0.0, 0.0)  # a word that does


@dataclass(frozen=True, eq=False)
class TiltedSum:
    """The sum of losses on a grid, tilted, its mass as a share of e^`moment`."""

    tilt: float
    moment: float  # log E e^(λ·sum), as it is computed
    losses: Floats  # the grid
    masses: Floats
    error: float  # so much mass may be missing or misplaced
    step: float
    count: int  # of losses

    def log_delta(self, loss: float) -> float:
        """The logarithm of a δ such that P(S) ≤ e^loss·P′(S) + δ for all S.

        Σ (1 − e^(loss−ℓ))·p(ℓ) over ℓ > loss, where p(ℓ) = e^(moment − λℓ) times the tilted
        mass. No mass counts for more than `worst`, whether misplaced or all of it.
        """
        worst = exp(log_worst(self.tilt))
        first = np.searchsorted(self.losses, loss, side="right")
        over = self.losses[first:] - loss
        counts = -np.expm1(-over) * np.exp(-self.tilt * over)
        found = float((counts * self.masses[first:]).sum())
        counted = min(worst * (1 + self.error), found + worst * self.error)
        digits = 8 * EPS * (abs(self.moment) + self.tilt * abs(loss) + 1)
        return min(0.0, self.moment - self.tilt * loss + log(counted) + digits)

    def added(self, loss: float) -> float:
        """About what the grid adds to a loss: count·(1 + slope)·h²/12, the slope that of −ln δ."""
        beside = max(self.step, 1e-3 * loss)
        slope = (self.log_delta(loss) - self.log_delta(loss + beside)) / beside
        return self.count * (1 + max(slope, self.tilt)) * self.step**2 / 12


def summed(
    terms: Terms, tilt: float, *, tolerance: float = TOLERANCE, finest: float = inf
) -> TiltedSum:
    """The sum under a tilt, on a grid so wide that what lies outside is negligible.

    A step h adds about count·(1 + λ)·h²/12 to the loss, which may be a share of `tolerance`; a
    step as small as `finest` can be asked for. Tails fall like those of a bell, or as slowly
    as e^(−(½+λ)|ℓ|).
    """
    if sum(terms.counts) > MANY:
        return _chernoff(terms, tilt)
    _, mean, variance, taken = terms.moments(tilt)
    mixtures, count = [terms.mixtures[i] for i in taken], sum(terms.counts)
    pure = sum(n * mixture.pure for n, mixture in zip(terms.counts, mixtures, strict=True))
    allowed = tolerance * min(max(count / FEW, 0.1), 1) ** 2  # few words can have a finer grid
    usual = sqrt(12 * allowed * max(mean, sqrt(variance)) / (count * (1 + tilt)))
    for reach in REACHES:
        wide = 2 * reach * hypot(sqrt(variance), 1 / (0.5 + tilt))
        wanted = max(min(usual, 0.5 / (1 + tilt), wide / FEWEST), wide / MOST)
        wanted = min(wanted, max(finest, len(mixtures) * wide / REFINED))
        step = 2.0 ** np.floor(np.log2(wanted))  # so that all places are floats
        deviation = hypot(wide / (2 * reach), sqrt(count) * step / 2)
        low = max(mean - reach * deviation, -pure - count * step)
        high = min(mean + reach * deviation, pure + count * step)
        size = 1 << ceil(log2((high - low) / step + 3))
        start = int(np.floor(low / step)) - 1
        window = _Window(terms, mixtures, tilt, step, start, size, deviation)
        found, outside = window.total()
        if outside < OUTSIDE:
            break
    return found


@dataclass(frozen=True, eq=False)
class _Window:
    """A grid of `size` points from `start` on, and what is to be added up on it."""

    terms: Terms
    mixtures: list[Mixture]
    tilt: float
    step: float
    start: int
    size: int
    deviation: float

    def total(self) -> tuple[TiltedSum, float]:
        """The sum, around a circle, and a bound on what lies outside: it is part of the error."""
        spectrum = np.ones(self.size // 2 + 1, dtype=np.complex128)
        sums, tails = np.zeros(4), np.zeros((2, len(FURTHER)))
        for count, row in self._rows():
            circle = np.bincount(row.places % self.size, row.masses, minlength=self.size)
            spectrum *= _to_the(np.fft.rfft(circle), count)
            sums += count * np.array([row.moment, row.error, row.places.min(), row.places.max()])
            tails += count * self._tails(row)
        moment, errors, first, last = sums.tolist()
        masses = np.roll(np.fft.irfft(spectrum, self.size), -(self.start % self.size))
        losses = np.asarray((self.start + np.arange(self.size)) * self.step, dtype=np.float64)
        up, down = tails - np.outer([losses[-1], -losses[0]], FURTHER / self.deviation)
        outside = exp(min(0, down.min())) if first < self.start else 0.0
        outside += exp(min(0, up.min())) if last >= self.start + self.size else 0.0
        count = sum(self.terms.counts)
        error = _compounded(errors) + outside + _rounding(count, self.size)
        masses = np.maximum(masses, 0)
        return TiltedSum(self.tilt, moment, losses, masses, error, self.step, count), outside

    def _tails(self, row: Row) -> Floats:
        """log E e^(ηℓ), and of e^(−ηℓ), for further tilts η: Chernoff's bound, by its factors."""
        exponents = np.outer(FURTHER / self.deviation, row.places * self.step)
        logs = np.log(row.masses) + np.stack([exponents, -exponents])
        top = logs.max(axis=2, keepdims=True)
        return np.asarray(top[..., 0] + np.log(np.exp(logs - top).sum(axis=2)))

    def _rows(self) -> Iterator[tuple[int, Row]]:
        """The laws of the terms, with how often each is taken; some at a time."""
        waiting: list[tuple[int, Mixture]] = []
        for count, mixture in zip(self.terms.counts, self.mixtures, strict=True):
            waiting.append((count, mixture))
            if sum(len(each.losses) for _, each in waiting) >= LAWS:
                yield from self._mixed(waiting)
                waiting = []
        yield from self._mixed(waiting)

    def _mixed(self, waiting: list[tuple[int, Mixture]]) -> Iterator[tuple[int, Row]]:
        wanted = by_dimensions(mixture for _, mixture in waiting)
        known = {key: row for k, some in wanted.items() for key, row in self._laws(k, some)}
        for count, mixture in waiting:
            parts = [known.get((mixture.dimensions, loss), STAYS) for loss in mixture.losses]
            yield count, _mixture(parts, np.array(mixture.shares))

    def _laws(self, k: int, losses: set[float]) -> Iterator[tuple[tuple[int, float], Row]]:
        ordered = np.array(sorted(losses - {0.0}))
        many = int(np.clip(CELLS * self.step / (2 * max(losses)), 1, LAWS))
        for start in range(0, len(ordered), many):
            some = ordered[start : start + many]
            grid = on_grid(Angles(k, some), self.tilt, self.step)
            yield from (((k, loss), grid.row(i)) for i, loss in enumerate(some.tolist()))


def _mixture(parts: list[Row], shares: Floats) -> Row:
    """The law that is each of the parts with its share."""
    if len(parts) == 1:
        return parts[0]
    logs = np.array([row.moment for row in parts]) + np.log(shares)
    top = float(logs.max())
    weights = np.exp(logs - top)
    total = float(weights.sum())
    weights /= total
    places = np.concatenate([row.places for row in parts])
    masses = np.concatenate([w * row.masses for w, row in zip(weights, parts, strict=True)])
    error = float(weights @ np.array([row.error for row in parts]))
    held = masses > 0
    return Row(places[held], masses[held], top + log(total), error)


def _chernoff(terms: Terms, tilt: float) -> TiltedSum:
    """The sum of very many: all that is known is its mass, and that may be anywhere.

    Its moment is that of the laws themselves, without a grid, and ten times what quadrature
    may err by on one.
    """
    errors = [float(allowance(angles, tilt).max()) for angles in terms.laws.values()]
    moment = terms.moments(tilt).moment + 10 * sum(terms.counts) * max(errors)
    nothing = np.zeros(0)
    return TiltedSum(tilt, moment, nothing, nothing, error=1.0, step=0.0, count=0)


def _to_the(values: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """`values` to the power `count`, by squaring: errors grow no faster than `count`."""
    found = np.ones_like(values)
    while count:
        found = found * values if count % 2 else found
        values, count = values * values if count > 1 else values, count // 2
    return found


def _compounded(errors: float) -> float:
    """Errors that are shares of words' masses, as a share of the sum's: ∏(1 + e) − 1 and more."""
    return expm1(errors) if errors < 700 else inf


def _rounding(count: int, size: int) -> float:
    """What rounding in the Fourier transforms may add up to in mass.

    None of |values| ≤ 1 errs by more than 8·log₂(size) last places, nor their product by more
    than `count` times that; back from the transform that is √size times as much in all.
    """
    return 8 * EPS * (count + 2) * log2(size) * sqrt(size)
