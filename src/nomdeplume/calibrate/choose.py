"""The place of a dial at which a mechanism does what is wanted of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from nomdeplume.calibrate.curve import Curve, curve
from nomdeplume.calibrate.dial import Dial, Point
from nomdeplume.errors import InputError, positive

TOLERANCE = 0.005  # of what is wanted
STEP = 1 + 1e-4  # ratio of two numbers that are one
SEARCHED = 8  # rounds in which the top of a hill is looked for

WANTED = {
    "unchanged": "the share of words that stay",
    "near": "the share of words that become one of their 100 nearest",
    "support": "the number of words that a word is spread over",
    "moved": "the mean distance that words move",
}
FALLING = ("support", "moved")  # with ε; how many words stay rises, how many are near does both


@dataclass(frozen=True)
class Wanted:
    """What a mechanism shall do: one of the numbers of an effect, and how much of it."""

    name: str
    value: float

    def __post_init__(self) -> None:
        if self.name not in WANTED:
            raise InputError(f"what is wanted must be one of {', '.join(WANTED)}.")
        positive(self.name, self.value)
        if self.name in ("unchanged", "near") and not self.value < 1:
            raise InputError(f"{self.name} must be a share between 0 and 1, got {self.value:g}.")

    def of(self, dial: Dial, value: float) -> float:
        return float(getattr(dial.effect(value), self.name))

    def beyond(self, dial: Dial, value: float) -> bool:
        """Whether it is reached there, coming from much noise."""
        found = self.of(dial, value)
        return found <= self.value if self.name in FALLING else found >= self.value

    def met(self, dial: Dial, value: float) -> bool:
        """Whether that is what is wanted, as exactly as it is asked for."""
        return abs(self.of(dial, value) - self.value) <= TOLERANCE * self.value


def choose(dial: Dial, wanted: Wanted, around: Curve | None = None) -> Point:
    """The place at which what is wanted comes about, coming from much noise: the first of these.

    Shares of near words rise and fall again, and the first place is the one with most noise.
    What cannot be reached is refused, with what can.
    """
    values = [point.value for point in (around or curve(dial)).points]
    first = _first(dial, wanted, values)
    if not first:  # at once, or nowhere on the curve
        values = sorted({*dial.ends, *values})
        first = _first(dial, wanted, values)
    if first is None and wanted.name == "near":
        values = sorted({*values, _top(dial, wanted, values)})
        first = _first(dial, wanted, values)
    if first is None or (first == 0 and wanted.name != "near" and not wanted.met(dial, values[0])):
        raise InputError(_reach(dial, wanted, values))
    return dial.answer(_narrowed(dial, wanted, values[max(0, first - 1)], values[first]))


def _first(dial: Dial, wanted: Wanted, values: list[float]) -> int | None:
    return next((i for i, value in enumerate(values) if wanted.beyond(dial, value)), None)


def _narrowed(dial: Dial, wanted: Wanted, low: float, high: float) -> float:
    """Where it comes about between two numbers, by guesses along a line and halving in turn."""
    straight = True
    while high > STEP * low and not wanted.met(dial, high):
        if wanted.name != "near" and wanted.met(dial, low):
            return low
        below, above = wanted.of(dial, low), wanted.of(dial, high)
        part = (wanted.value - below) / (above - below) if straight and above != below else 0.5
        middle = low * (high / low) ** min(0.95, max(0.05, part))
        low, high = (low, middle) if wanted.beyond(dial, middle) else (middle, high)
        straight = not straight
    return high


def _top(dial: Dial, wanted: Wanted, values: list[float]) -> float:
    """Where a hill is highest, between the neighbours of the highest place that is known."""
    at = max(range(len(values)), key=lambda i: wanted.of(dial, values[i]))
    low, best = values[max(0, at - 1)], values[at]
    high = values[min(len(values) - 1, at + 1)]
    for _ in range(SEARCHED):
        sides = sqrt(low * best), sqrt(best * high)
        left, right = (wanted.of(dial, value) for value in sides)
        if max(left, right) <= wanted.of(dial, best):
            low, high = sides
        elif left > right:
            best, high = sides[0], best
        else:
            low, best = best, sides[1]
    return best


def _reach(dial: Dial, wanted: Wanted, values: list[float]) -> str:
    """What there is in place of what is wanted, and where."""
    found = {value: wanted.of(dial, value) for value in values}
    low, high = (side(found, key=found.__getitem__) for side in (min, max))
    return (
        f"{WANTED[wanted.name]} must be from {found[low]:.3g} to {found[high]:.3g} with "
        f"{dial.recipe.mechanism} on this table (at {dial.symbol} = {low:.3g} and {high:.3g}), "
        f"got {wanted.value:g}."
    )
