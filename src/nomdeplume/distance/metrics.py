"""The metrics that promises are about, each with its symbol and its name in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np

from nomdeplume.distance.cloud import Cloud
from nomdeplume.distance.ground import Diameter, Euclidean, Ground
from nomdeplume.distance.word_mover import Points, bottleneck, word_mover
from nomdeplume.errors import InputError

EUCLIDEAN = Euclidean()


class Metric(Protocol):
    """A distance between two inputs of a mechanism, whatever these are."""

    @property
    def symbol(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    def widest(self, diameter: Diameter) -> float: ...
    def __call__(self, x: Any, y: Any, /) -> float: ...


@dataclass(frozen=True)
class WordMover:
    """Word Mover's Distance between two bags: the mean move of a cheapest plan."""

    symbol: str = "W₁"
    size: int | None = None  # that both bags must have, if any
    ground: Ground = EUCLIDEAN

    @property
    def name(self) -> str:
        return _counted("Word Mover's Distance", self.ground)

    @property
    def meaning(self) -> str:
        mean = "how far words move on average when one bag is turned into the other"
        return _explained(mean, self.ground)

    def __call__(self, x: Points, y: Points) -> float:
        bags = Cloud.of(x), Cloud.of(y)
        for words in (bag.counts.sum() for bag in bags):
            if self.size not in (None, words):
                raise InputError(f"this is about bags of {self.size} words, got one of {words}.")
        return word_mover(*bags, self.ground.apart)

    def widest(self, diameter: Diameter) -> float:
        return self.ground.widest(diameter)


@dataclass(frozen=True)
class Bottleneck:
    """Bottleneck distance between two bags: the longest move, where it is shortest."""

    symbol: str = "W∞"
    ground: Ground = EUCLIDEAN

    @property
    def name(self) -> str:
        return _counted("bottleneck distance", self.ground)

    @property
    def meaning(self) -> str:
        longest = "the farthest that any word must move when one bag is turned into the other"
        return _explained(longest, self.ground)

    def __call__(self, x: Points, y: Points) -> float:
        return bottleneck(x, y, self.ground.apart)

    def widest(self, diameter: Diameter) -> float:
        return self.ground.widest(diameter)


@dataclass(frozen=True)
class Means(Euclidean):
    """Distance between the mean features of two bags, which never exceeds W₁."""

    diameter: float = inf  # largest distance between the features of two words
    symbol: str = "‖Δf‖"
    name: str = "distance between mean features"
    meaning: str = "how far the means of their words' features are apart, at most W₁"

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002 - features have their own
        return self.diameter


@dataclass(frozen=True)
class AnyTwo:
    """1 between any two inputs that differ: a guarantee in it is plain differential privacy."""

    symbol: str = ""  # a distance of 1 needs none in a formula
    name: str = "discrete distance"
    meaning: str = "1 if they differ, whatever they are"

    def __call__(self, x: Any, y: Any) -> float:
        return float(x != y)

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002 - whatever the table is
        return 1.0


@dataclass(frozen=True)
class Prepared:
    """The distance between what two inputs are turned into by a public function.

    It is 0 between inputs that are turned into the same: a pseudo-metric.
    """

    metric: Metric
    prepare: Callable[[Any], Any]

    @property
    def symbol(self) -> str:
        return self.metric.symbol

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def meaning(self) -> str:
        return self.metric.meaning

    def __call__(self, x: Any, y: Any) -> float:
        return self.metric(self.prepare(x), self.prepare(y))

    def widest(self, diameter: Diameter) -> float:
        return self.metric.widest(diameter)


@dataclass(frozen=True)
class Summed:
    """The sum of the distances between first and first, second and second, and so on."""

    metric: Metric
    count: int

    @property
    def symbol(self) -> str:
        return f"Σ{self.metric.symbol}"

    @property
    def name(self) -> str:
        return f"{self.metric.name}s, added up"

    @property
    def meaning(self) -> str:
        return f"the sum over {self.count} pairs of {self.metric.meaning}"

    def widest(self, diameter: Diameter) -> float:
        return self.count * self.metric.widest(diameter)

    def __call__(self, x: Any, y: Any) -> float:
        sides = [each if isinstance(each, Sequence | np.ndarray) else () for each in (x, y)]
        if any(isinstance(each, str) or len(each) != self.count for each in sides):
            raise InputError(f"give {self.count} documents on each side, one against one.")
        pairs = list(zip(*sides, strict=True))
        times = Counter((id(one), id(other)) for one, other in pairs)  # the same pair is met once
        known = {(id(one), id(other)): (one, other) for one, other in pairs}
        return sum(count * self.metric(*known[pair]) for pair, count in times.items())


def _counted(name: str, ground: Ground) -> str:
    return f"{name} in {ground.steps}" if ground.steps else name


def _explained(meaning: str, ground: Ground) -> str:
    """What a bag's distance means, and that of its words if it is no plain one."""
    return f"{meaning}, where between two words it is {ground.meaning}" if ground.steps else meaning
