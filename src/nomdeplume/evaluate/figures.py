"""Figures: what was measured, and the interval in which a repetition would fall."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError

Floats = NDArray[np.float64]

LEVEL = 0.95
BEYOND, DIGITS = 1e15, 6


@dataclass(frozen=True)
class Figure:
    """A measured value and its 95 % interval."""

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not max(map(abs, (self.value, self.low, self.high))) < BEYOND:
            raise InputError("a figure and its interval must be numbers below 10¹⁵.")

    @classmethod
    def exact(cls, value: float) -> Figure:
        """A value that is known, not measured: its interval is the value."""
        return cls(value, value, value)

    @property
    def wide(self) -> bool:
        """True if the interval is more than the value."""
        return self.low < self.value or self.value < self.high

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def figure(
    values: Floats,  # (draws, units)
    weights: Floats | None = None,  # (units,)
    *,
    count: float = inf,
    least: float = 0.0,
    share: bool = True,
    level: float = LEVEL,
) -> Figure:
    """The weighted mean over draws and units, with Student's interval.

    Units are folds, or authors. Two things vary, noise from draw to draw and texts from unit
    to unit: the variances of both means are added. Few units can agree by luck, so the mean
    never varies less than a share of `count` texts does, p(1−p)/count, nor than `least`.
    """
    from scipy.stats import t

    draws, units = values.shape
    w = np.ones(units) if weights is None else np.asarray(weights, dtype=np.float64)
    w = w / w.sum()
    mean = float(values.mean(axis=0) @ w)
    variance, freedom = max(least, max(mean * (1 - mean), 0.25 / count) / count), inf
    if units > 1:
        between = float(w**2 @ (values.mean(axis=0) - mean) ** 2) * units / (units - 1)
        variance, freedom = max(variance, between), units - 1
    if draws > 1:
        variance += float((values @ w).var(ddof=1)) / draws
    half = float(t.ppf((1 + level) / 2, freedom)) * sqrt(variance)
    low, high = mean - half, mean + half
    return _rounded(mean, max(0.0, low), min(1.0, high)) if share else _rounded(mean, low, high)


def proportion(hits: float, count: float, level: float = LEVEL) -> Figure:
    """A share of `count` independent trials, with Wilson's interval."""
    if not count:
        return Figure(0.0, 0.0, 1.0)
    z, p = NormalDist().inv_cdf((1 + level) / 2), hits / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    low, high = middle - half, middle + half
    return _rounded(p, low if hits else 0.0, high if hits < count else 1.0)  # exactly, at the ends


def _rounded(*values: float) -> Figure:
    """To more digits than any measurement has, so that a mean of ones is 1."""
    return Figure(*(round(value, DIGITS) for value in values))
