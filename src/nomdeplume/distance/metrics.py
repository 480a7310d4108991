"""The metrics that promises are about, each with its symbol and its name in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance.cloud import Cloud, numbers
from nomdeplume.distance.word_mover import Points, bottleneck, word_mover
from nomdeplume.errors import InputError


class Metric(Protocol):
    """A distance between two inputs of a mechanism, whatever these are."""

    @property
    def symbol(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    def __call__(self, x: Any, y: Any, /) -> float: ...


@dataclass(frozen=True)
class Euclidean:
    """Straight-line distance between the vectors of two words."""

    symbol: str = "d"
    name: str = "Euclidean distance"
    meaning: str = "how far their vectors are apart"

    def __call__(self, x: ArrayLike, y: ArrayLike) -> float:
        one, two = numbers(x), numbers(y)
        if one.ndim != 1 or one.shape != two.shape:
            raise InputError("give the vectors of two words, of one length.")
        return float(np.linalg.norm(one - two))


@dataclass(frozen=True)
class WordMover:
    """Word Mover's Distance between two bags: the mean move of a cheapest plan."""

    symbol: str = "W₁"
    name: str = "Word Mover's Distance"
    meaning: str = "how far words move on average when one bag is turned into the other"
    size: int | None = None  # that both bags must have, if any

    def __call__(self, x: Points, y: Points) -> float:
        bags = Cloud.of(x), Cloud.of(y)
        for words in (bag.counts.sum() for bag in bags):
            if self.size not in (None, words):
                raise InputError(f"this is about bags of {self.size} words, got one of {words}.")
        return word_mover(*bags)


@dataclass(frozen=True)
class Bottleneck:
    """Bottleneck distance between two bags: the longest move, where it is shortest."""

    symbol: str = "W∞"
    name: str = "bottleneck distance"
    meaning: str = "the farthest that any word must move when one bag is turned into the other"

    def __call__(self, x: Points, y: Points) -> float:
        return bottleneck(x, y)


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

    def __call__(self, x: Any, y: Any) -> float:
        sides = [each if isinstance(each, Sequence | np.ndarray) else () for each in (x, y)]
        if any(isinstance(each, str) or len(each) != self.count for each in sides):
            raise InputError(f"give {self.count} documents on each side, one against one.")
        pairs = list(zip(*sides, strict=True))
        times = Counter((id(one), id(other)) for one, other in pairs)  # the same pair is met once
        known = {(id(one), id(other)): (one, other) for one, other in pairs}
        return sum(count * self.metric(*known[pair]) for pair, count in times.items())
