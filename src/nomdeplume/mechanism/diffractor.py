"""1-Diffractor: noise on a word's place in a public list, chosen by chance among several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance.ground import Listed
from nomdeplume.errors import InputError, positive, stated, whole
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, renewed
from nomdeplume.mechanism.lists import lists_of
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

LEAST = 1e-9  # an ε below which floats cannot count the places that noise moves by
WORDS = 1 << 18  # released together: bounds the memory


@dataclass(frozen=True, eq=False)
class Diffractor:
    """Move by n places in a list, P(n) ∝ exp(−ε|n|), not beyond its ends; ε is per place.

    The list is drawn without looking at the word, so the chances are means over lists, and
    none of them changes by more than e^ε a place (docs/proofs/diffractor.md).
    """

    table: Table
    epsilon: float
    inputs: Ids | None = None  # words that are listed; none given, all of the table
    lists: int = 5
    name: str = "diffractor"

    def __post_init__(self) -> None:
        if positive("epsilon", self.epsilon) < LEAST:
            raise InputError(
                f"epsilon must be at least {LEAST:g} per place in a list, got {self.epsilon!r}: "
                "below, floats cannot hold the noise."
            )
        whole("lists", self.lists, most=100)
        object.__setattr__(self, "inputs", in_order(self.table, self.inputs))
        stated("epsilon", self.epsilon, len(self._ids))

    @property
    def outputs(self) -> Ids | None:
        return self.inputs

    @property
    def guarantee(self) -> Guarantee:
        metric = Listed(positions=self.positions)
        return Guarantee(self.epsilon, metric, proofs=("diffractor",), anywhere=False)

    @property
    def settings(self) -> dict[str, float | str]:
        return {"lists": self.lists}

    @property
    def covers(self) -> str:
        """What the promise leaves out, in a sentence."""
        return (
            "The promise is about places in public lists, ε for each place that two words are "
            "apart, and says nothing about how near vectors are: two words that are near as "
            "vectors may be thousands of places apart."
        )

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            covers=self.covers,
            inputs=self.inputs,
            channel=self.channel,
            at=self.at,
            elsewhere=self.elsewhere,
        )

    documents = word_by_word

    @cached_property
    def positions(self) -> Ids:
        """The place of each word of the table in each list, (V, lists); −1 if it has none."""
        positions = np.full((len(self.table), self.lists), -1, dtype=np.int64)
        for number, order in enumerate(self._orders):
            positions[self._ids[order], number] = np.arange(len(order))
        positions.flags.writeable = False
        return positions

    def at(self, epsilon: float) -> Self:
        """The same lists under another ε."""
        _ = self.positions  # found once, for all copies
        return renewed(self, "positions", "_orders", "_ids", epsilon=epsilon)

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same mechanism on another table, all of whose words are listed."""
        return replace(self, table=table, epsilon=epsilon, inputs=None)

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V).

        With a = e^(−ε), a move by n has the chance a^|n|·(1 − a)/(1 + a), and all moves to
        or beyond an end that is n places away a^n/(1 + a) together.
        """
        looked_up(ids, self.table, self.inputs)
        chances = np.zeros((len(ids), len(self.table)))
        last = len(self._ids) - 1
        if not last:
            chances[:, self._ids] = 1
            return chances
        for place in self.positions.T:
            due = place[self._ids]
            inside = np.where((due == 0) | (due == last), 1, -np.expm1(-self.epsilon))
            moves = np.abs(place[ids][:, None] - due)
            chances[:, self._ids] += np.exp(-self.epsilon * moves) * inside
        chances /= self.lists * (1 + np.exp(-self.epsilon))
        return chances

    def release(self, ids: Ids, rng: Generator) -> Ids:
        looked_up(ids, self.table, self.inputs)
        released = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), WORDS):
            some = ids[start : start + WORDS]
            number = rng.integers(self.lists, size=len(some))
            place = self.positions[some, number] + self._moves(len(some), rng)
            place = np.clip(place, 0, len(self._ids) - 1)
            released[start : start + WORDS] = self._ids[self._orders[number, place]]
        return released

    def _moves(self, count: int, rng: Generator) -> Ids:
        """Whole numbers n with P(n) ∝ exp(−ε|n|): differences of two geometric ones.

        ⌊Z/ε⌋ of an exponential Z is geometric: it is j or more if Z ≥ εj, with chance e^(−εj).
        """
        forward, back = np.floor(rng.standard_exponential((2, count)) / self.epsilon)
        return np.asarray(forward - back).astype(np.int64)

    @cached_property
    def _orders(self) -> Ids:
        return lists_of(self.table, self._ids, self.lists)

    @cached_property
    def _ids(self) -> Ids:
        return all_of(self.table, self.inputs)
