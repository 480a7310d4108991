"""Scores: how much worse one word is than another as an answer, by their distance.

Each is 1-Lipschitz in the word that is asked about, which is all that the promise of
choosing by them needs (docs/proofs/exponential.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Protocol, Self

from nomdeplume.distance import Capped, Euclidean, Ground
from nomdeplume.distance.arrays import Array, namespace
from nomdeplume.errors import InputError

EUCLIDEAN = Euclidean()


class Score(Protocol):
    """What weights exp(−a·score) are made of.

    `of` turns distances into scores, in place, here or on a card. A score that is a metric
    itself is `attained`: the answer that tells two words apart best is one of the two.
    """

    @property
    def name(self) -> str: ...
    @property
    def attained(self) -> bool: ...
    @property
    def metric(self) -> Ground: ...
    @property
    def settings(self) -> dict[str, float]: ...
    def at(self, a: float, words: int) -> Self: ...
    def of(self, distances: Array) -> Array: ...


@dataclass(frozen=True)
class Plain:
    """The distance itself: the exponential mechanism."""

    name: str = "exponential"
    attained: bool = True
    metric: Ground = EUCLIDEAN

    @property
    def settings(self) -> dict[str, float]:
        return {}

    def at(self, a: float, words: int) -> Self:  # noqa: ARG002
        return self

    def of(self, distances: Array) -> Array:
        return distances


@dataclass(frozen=True)
class Truncated(Plain):
    """The distance up to a cap γ, beyond which all words weigh the same: TEM.

    γ is such that all words beyond it together have a chance of about β at most. The
    capped distance is a metric again, and the promise is one about it.
    """

    name: str = "tem"
    beta: float = 0.001
    gamma: float = inf

    def __post_init__(self) -> None:
        if not 0 < self.beta < 1:
            raise InputError(f"beta must be a chance between 0 and 1, got {self.beta!r}.")
        object.__setattr__(self, "metric", Capped(limit=self.gamma))

    @property
    def settings(self) -> dict[str, float]:
        return {"beta": self.beta, "gamma": self.gamma}

    def at(self, a: float, words: int) -> Self:
        cap = log((1 - self.beta) * max(words - 1, 1) / self.beta) / a
        return type(self)(beta=self.beta, gamma=max(cap, 1e-300))

    def of(self, distances: Array) -> Array:
        return namespace(distances).clip(distances, None, self.gamma, out=distances)
