"""An axis of a picture: where numbers stand, and which of them are marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log, log10

STEPS = (1, 2, 5)
EIGHT = (1, 1.5, 2, 3, 4, 5, 6, 8)
DECADES = ((*EIGHT, 1.2, 2.5), EIGHT, STEPS, (1, 3), (1,))  # marks, from many to few


@dataclass(frozen=True)
class Axis:
    """Numbers to places on the paper, in proportion or by their logarithms."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        if self.logarithmic:
            part = log(value / self.low) / log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self, most: int = 7) -> list[float]:
        """Round numbers along it, no more than so many."""
        if not self.logarithmic:
            step = next(each for each in _rounds() if (self.high - self.low) / each <= 5)
            return [i * step for i in range(ceil(self.low / step), floor(self.high / step) + 1)]
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        for kind in DECADES:
            found = [k * 10.0**n for n in decades for k in kind]
            found = [each for each in found if self.low <= each <= self.high * (1 + 1e-9)]
            if 2 <= len(found) <= most:
                return sorted(found)
        skip = max(1, len(decades) // most + 1)
        powers = [10.0**n for n in decades if n % skip == 0]
        return [each for each in powers if self.low <= each <= self.high]


def _rounds() -> Iterator[float]:
    """1, 2 and 5 times all powers of ten, from small ones."""
    for power in range(-9, 10):
        yield from (step * 10.0**power for step in STEPS)
