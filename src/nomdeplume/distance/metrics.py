"""The metrics that promises are about, each with its symbol and its name in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

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
        return float(np.linalg.norm(np.asarray(x, float) - np.asarray(y, float)))


@dataclass(frozen=True)
class WordMover:
    """Word Mover's Distance between two bags: the mean move of a cheapest plan."""

    symbol: str = "W₁"
    name: str = "Word Mover's Distance"
    meaning: str = "how far words move on average when one bag is turned into the other"

    def __call__(self, x: Points, y: Points) -> float:
        return word_mover(x, y)


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
        if isinstance(x, str) or isinstance(y, str) or not len(x) == len(y) == self.count:
            raise InputError(f"give {self.count} documents on each side, one against one.")
        return sum(self.metric(one, other) for one, other in zip(x, y, strict=True))
