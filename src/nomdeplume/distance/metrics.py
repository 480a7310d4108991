"""The metrics that promises are about, each with its symbol and its name in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nomdeplume.distance.word_mover import Counts, Points, bottleneck, word_mover


class Metric(Protocol):
    """A distance between two inputs of a mechanism; rows of a bag may carry counts."""

    @property
    def symbol(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    def __call__(
        self, x: Points, y: Points, a: Counts | None = None, b: Counts | None = None, /
    ) -> float: ...


@dataclass(frozen=True)
class Euclidean:
    """Straight-line distance between the vectors of two words, which have no counts."""

    symbol: str = "d"
    name: str = "Euclidean distance"
    meaning: str = "how far their vectors are apart"

    def __call__(self, x: Points, y: Points, *_: Counts | None) -> float:
        return float(np.linalg.norm(np.asarray(x, float) - np.asarray(y, float)))


@dataclass(frozen=True)
class WordMover:
    """Word Mover's Distance: the mean distance that words move in a cheapest plan."""

    symbol: str = "W₁"
    name: str = "Word Mover's Distance"
    meaning: str = "how far words move on average when one bag is turned into the other"

    def __call__(
        self, x: Points, y: Points, a: Counts | None = None, b: Counts | None = None
    ) -> float:
        return word_mover(x, y, a, b)


@dataclass(frozen=True)
class Bottleneck:
    """The longest move of the plan whose longest move is shortest."""

    symbol: str = "W∞"
    name: str = "bottleneck distance"
    meaning: str = "the farthest that any word must move when one bag is turned into the other"

    def __call__(
        self, x: Points, y: Points, a: Counts | None = None, b: Counts | None = None
    ) -> float:
        return bottleneck(x, y, a, b)
