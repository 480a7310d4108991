"""SynTF: words drawn by frequency, each replaced by a similar one, under plain privacy."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance import Discrete, Ground
from nomdeplume.distance.arrays import Array
from nomdeplume.distance.ground import directions
from nomdeplume.errors import positive
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, prepared
from nomdeplume.mechanism.scores import Plain
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

DISCRETE = Discrete()


@dataclass(frozen=True)
class Dissimilar(Plain):
    """1 − ρ for the similarity ρ = (1 + cos)/2: between unit vectors c apart it is c²/4."""

    name: str = "syntf"
    attained: bool = False
    metric: Ground = DISCRETE

    def of(self, distances: Array) -> Array:
        distances *= distances
        distances /= 4
        return distances


@dataclass(frozen=True, eq=False)
class SynTf:
    """P(t|v) ∝ exp(ε·ρ(v, t)/2), ρ the similarity of their vectors, from 0 to 1.

    Whatever the two words are, no weight and no sum of weights changes by more than a factor
    of e^(ε/2): plain differential privacy for each word, ε·N for a bag, whatever the texts
    (docs/proofs/syntf.md). It draws its own words from a text's frequencies.
    """

    table: Table
    epsilon: float
    inputs: Ids | None = None
    outputs: Ids | None = field(default=None, kw_only=True)
    name: str = field(default="syntf", kw_only=True)

    def __post_init__(self) -> None:
        positive("half of epsilon", positive("epsilon", self.epsilon) / 2)
        object.__setattr__(self, "inputs", in_order(self.table, self.inputs))
        object.__setattr__(self, "outputs", in_order(self.table, self.outputs))

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, DISCRETE, ("syntf",), anywhere=False)

    @property
    def settings(self) -> dict[str, float | str]:
        return {}

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            reductions=("sample",),
            inputs=self.inputs,
            channel=self.channel,
            elsewhere=self.elsewhere,
        )

    documents = word_by_word

    __getstate__ = prepared

    @cached_property
    def choice(self) -> Choice:
        answers = all_of(self.table, self.outputs)
        return Choice(self.table, answers, Dissimilar(), self.epsilon / 2, image=directions)

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        return replace(self, table=table, epsilon=epsilon, inputs=None, outputs=None)

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V)."""
        looked_up(ids, self.table, self.inputs)
        return self.choice.channel(ids)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        looked_up(ids, self.table, self.inputs)
        return self.choice.draw(np.asarray(ids, dtype=np.int64), rng)
