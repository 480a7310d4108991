"""Effects along a dial, over the range in which they change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from nomdeplume.calibrate.dial import Dial, Point
from nomdeplume.errors import whole

ROWS = 13
EDGE = 0.01  # of all that can change, left beyond either end
CLOSE = 1.2  # a ratio of two numbers that are as good as one for an end


@dataclass(frozen=True)
class Curve:
    """Points in the order of their numbers."""

    points: tuple[Point, ...]
    by_a: bool

    @property
    def exact(self) -> bool:
        """Whether the ε of every point is known."""
        return all(point.epsilon is not None for point in self.points)

    def through(self, point: Point) -> Curve:
        """The curve with another point on it."""
        others = [each for each in self.points if each.value != point.value]
        points = sorted([*others, point], key=lambda each: each.value)
        return Curve(tuple(points), self.by_a)


def curve(dial: Dial, values: Sequence[float] = (), *, rows: int = ROWS) -> Curve:
    """What the dial does at these numbers or, if there are none, where a word stays or not.

    That is from where 1 % of all changes have come about to where 99 % have.
    """
    if not values:
        low, high = span(dial)
        values = [float(f"{each:.3g}") for each in np.geomspace(low, high, whole("rows", rows))]
    points = [dial.point(value) for value in sorted(set(values))]
    return Curve(tuple(points), dial.by_a)


def span(dial: Dial) -> tuple[float, float]:
    """Where the share of words that stay begins to rise, and where it is done; looked at roughly.

    Where it hardly rises, all that there is.
    """
    least, most = dial.ends
    low, high = (dial.rough.effect(value).unchanged for value in (least, most))
    rise = high - low
    if rise < EDGE:
        return least, most
    start = _crossing(dial.rough, low + EDGE * rise, least, most)
    return start, _crossing(dial.rough, high - EDGE * rise, start, most)


def _crossing(dial: Dial, share: float, low: float, high: float) -> float:
    """Where so many words stay, about; by halving on a logarithmic scale."""
    while high > CLOSE * low:
        middle = sqrt(low * high)
        low, high = (low, middle) if dial.effect(middle).unchanged > share else (middle, high)
    return float(sqrt(low * high))
