"""Metrics between words: where each word is, and how far places are apart.

A bag's distances are built on one of these (docs/guide/mechanisms.md). Some are infinite
between words that a mechanism promises nothing about: an extended metric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, pi
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.distance.cloud import distances, numbers
from nomdeplume.errors import InputError

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Diameter = Callable[[], float]  # the largest distance between vectors, which takes long to find


@runtime_checkable
class Ground(Protocol):
    """A metric between words. Its places are rows of numbers, which need not be vectors."""

    @property
    def symbol(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    @property
    def steps(self) -> str: ...  # what a bag's distance is counted in; nothing for plain ones
    def places(self, vectors: Floats, ids: Ids) -> Floats: ...
    def apart(self, x: Floats, y: Floats) -> Floats: ...
    def widest(self, diameter: Diameter) -> float: ...
    def __call__(self, x: Any, y: Any, /) -> float: ...


class _OfVectors:
    """Places are the vectors themselves, so that two vectors can be compared."""

    def places(self, vectors: Floats, ids: Ids) -> Floats:  # noqa: ARG002 - others need ids
        return vectors

    def __call__(self: Any, x: ArrayLike, y: ArrayLike) -> float:
        one, two = numbers(x), numbers(y)
        if one.ndim != 1 or one.shape != two.shape:
            raise InputError("give the places of two words, rows of one length.")
        return float(self.apart(one[None], two[None])[0, 0])


@dataclass(frozen=True)
class Euclidean(_OfVectors):
    """Straight-line distance between the vectors of two words."""

    symbol: str = "d"
    name: str = "Euclidean distance"
    meaning: str = "how far their vectors are apart"
    steps: str = ""

    def apart(self, x: Floats, y: Floats) -> Floats:
        return distances(x, y)

    def widest(self, diameter: Diameter) -> float:
        """Largest distance between two words whose vectors are at most `diameter` apart."""
        return diameter()


@dataclass(frozen=True)
class Capped(Euclidean):
    """Euclidean distance up to a limit: beyond it all words are equally far."""

    limit: float = inf
    symbol: str = "d′"
    name: str = "capped distance"
    steps: str = "capped distances"

    def __post_init__(self) -> None:
        limit = f"{self.limit * (1 + 1e-11):.12g}"  # no less than it is
        meaning = f"how far their vectors are apart, but never more than {limit}"
        object.__setattr__(self, "meaning", meaning)

    def apart(self, x: Floats, y: Floats) -> Floats:
        return np.minimum(distances(x, y), self.limit)

    def widest(self, diameter: Diameter) -> float:
        return min(diameter(), self.limit)


@dataclass(frozen=True)
class Chord(_OfVectors):
    """Straight-line distance between vectors that are scaled to length 1; at most the angle."""

    symbol: str = "c"
    name: str = "chord distance"
    meaning: str = "how far their vectors are apart, each scaled to length 1"
    steps: str = "chords"

    def apart(self, x: Floats, y: Floats) -> Floats:
        return distances(directions(x), directions(y))

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002
        return 2.0


@dataclass(frozen=True)
class Polar(_OfVectors):
    """The angle between two vectors as an arc of a public radius, and the difference in length."""

    arc: float  # the radius: units of distance for an angle of 1
    longest: float  # difference in length between any two words
    symbol: str = "p"
    name: str = "polar distance"
    steps: str = "polar distances"

    @property
    def meaning(self) -> str:
        arc = f"the arc between their directions at a radius of {self.arc:.12g}"
        return f"{arc}, plus how much their lengths differ"

    def apart(self, x: Floats, y: Floats) -> Floats:
        lengths = np.linalg.norm(x, axis=1)[:, None] - np.linalg.norm(y, axis=1)
        return np.asarray(self.arc * angles(directions(x), directions(y)) + np.abs(lengths))

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002
        return pi * self.arc + self.longest


@dataclass(frozen=True)
class Discrete(_OfVectors):
    """1 between different words: plain differential privacy. A word's place is its id."""

    symbol: str = "[x≠y]"
    name: str = "discrete distance"
    meaning: str = "1 if they differ, whatever they are"
    steps: str = "words that differ"

    def places(self, vectors: Floats, ids: Ids) -> Floats:  # noqa: ARG002
        return np.asarray(ids, dtype=np.float64)[:, None]

    def apart(self, x: Floats, y: Floats) -> Floats:
        return np.asarray(x[:, :1] != y[:, 0], dtype=np.float64)

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002
        return 1.0


@dataclass(frozen=True, eq=False)
class Listed(Discrete):
    """The most places that two words are apart in any of several public lists of all words."""

    positions: NDArray[np.int64] = field(kw_only=True)  # (V, lists); −1 if it is in none
    symbol: str = "ℓ"
    name: str = "list distance"
    meaning: str = "how many places they are apart, in the list where that is most"
    steps: str = "places in a list"

    def places(self, vectors: Floats, ids: Ids) -> Floats:  # noqa: ARG002
        found = self.positions[ids]
        if (found < 0).any():
            raise InputError("every word must be in the lists, got others; leave them out.")
        return found.astype(np.float64)

    def apart(self, x: Floats, y: Floats) -> Floats:
        return np.asarray(np.abs(x[:, None, :] - y[None, :, :]).max(axis=2))

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002
        listed = self.positions[(self.positions >= 0).all(axis=1)]
        return float(np.ptp(listed, axis=0).max())


@dataclass(frozen=True, eq=False)
class Grouped(Discrete):
    """1 within a public group of words; between groups nothing is promised."""

    groups: NDArray[np.int64] = field(kw_only=True)  # (V,)
    symbol: str = "g"
    name: str = "distance within a group"
    meaning: str = "1 between words of one group, and infinite between groups"
    steps: str = "words that differ within their group"

    def places(self, vectors: Floats, ids: Ids) -> Floats:  # noqa: ARG002
        return np.column_stack((ids, self.groups[ids])).astype(np.float64)

    def apart(self, x: Floats, y: Floats) -> Floats:
        within = super().apart(x, y)
        return np.where(x[:, 1:2] == y[:, 1], within, inf)

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002
        return inf


@dataclass(frozen=True, eq=False)
class Covered(Euclidean):
    """Euclidean distance between covered words; from one that is not, to any other, infinite."""

    covered: NDArray[np.bool_] = field(kw_only=True)  # (V,)
    symbol: str = "d"
    name: str = "distance between covered words"
    meaning: str = "how far their vectors are apart if both are covered, and infinite otherwise"
    steps: str = "distances between covered words"

    def places(self, vectors: Floats, ids: Ids) -> Floats:
        return np.column_stack((vectors, np.where(self.covered[ids], -1, ids)))

    def apart(self, x: Floats, y: Floats) -> Floats:
        same = x[:, -1:] == y[:, -1]  # -1 if both are covered, the same word if neither is
        return np.where(same, distances(x[:, :-1], y[:, :-1]), inf)

    def widest(self, diameter: Diameter) -> float:  # noqa: ARG002
        return inf


def directions(vectors: Floats) -> Floats:
    """Vectors scaled to length 1; the first axis stands for the direction of nothing."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled = vectors / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    axis = np.eye(1, vectors.shape[1])
    return np.asarray(np.where(lengths > 0, scaled / np.where(lengths > 0, lengths, 1), axis))


def angles(x: Floats, y: Floats) -> Floats:
    """Angles between the rows of x and of y, all of length 1.

    By chords, which keep their digits where angles are small, and by the opposite chord
    where they are large.
    """
    half = np.clip(distances(x, y) / 2, 0, 1)
    other = np.clip(distances(x, -y) / 2, 0, 1)
    return np.asarray(2 * np.arctan2(half, other))
