"""CusText: a word is replaced by one of its group, by chance; groups are public."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance.ground import Grouped
from nomdeplume.errors import positive, whole
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.groups import partition
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, renewed
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

NUMBERS = 1 << 20  # weights, or coordinates, made together: bounds the memory


@dataclass(frozen=True, eq=False)
class CusText:
    """P(y|x) ∝ exp(ε·u(x, y)/2) among the words of x's group, u = 1 − d(x, y)/(largest d).

    u lies between 0 and 1, so the weight of a word and the sum of all weights change by a
    factor of e^(ε/2) at most from one x of a group to another (docs/proofs/custext.md).
    Between groups nothing is promised: which group a word is in comes out with certainty.
    """

    table: Table
    epsilon: float
    inputs: Ids | None = None  # words that are grouped; none given, all of the table
    group: int = 20
    name: str = "custext"

    def __post_init__(self) -> None:
        positive("half of epsilon", positive("epsilon", self.epsilon) / 2)
        whole("group", self.group, least=2, most=500)
        object.__setattr__(self, "inputs", in_order(self.table, self.inputs))

    @property
    def outputs(self) -> Ids | None:
        return self.inputs

    @property
    def guarantee(self) -> Guarantee:
        metric = Grouped(groups=self.groups)
        return Guarantee(self.epsilon, metric, proofs=("custext",), anywhere=False)

    @property
    def settings(self) -> dict[str, float | str]:
        return {"group": self.group}

    @property
    def covers(self) -> str:
        """What the promise leaves out, in a sentence."""
        return (
            f"The promise holds within groups of {self.group} near words only: which group a word "
            "is in is revealed with certainty, and between words of different groups nothing is "
            "promised."
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
    def groups(self) -> Ids:
        """The group of each word of the table; words that are no inputs are alone in theirs."""
        groups = -1 - np.arange(len(self.table))
        groups[self._ids] = partition(self.table, self._ids, self.group)
        groups.flags.writeable = False
        return groups

    def at(self, epsilon: float) -> Self:
        """The same groups under another ε."""
        _ = self.groups  # found once, for all copies
        return renewed(self, "groups", "_utilities", "_members", "_sizes", "_ids", epsilon=epsilon)

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same mechanism on another table, all of whose words are grouped."""
        return replace(self, table=table, epsilon=epsilon, inputs=None)

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V)."""
        rows = looked_up(ids, self.table, self.inputs)
        weights = self._weights(rows)
        chances = np.zeros((len(rows), len(self.table) + 1))  # the last for nobody
        np.put_along_axis(chances, self._near(rows), weights, axis=1)
        return np.asarray(chances[:, :-1] / weights.sum(axis=1, keepdims=True))

    def release(self, ids: Ids, rng: Generator) -> Ids:
        rows = looked_up(ids, self.table, self.inputs)
        released = np.empty(len(rows), dtype=np.int64)
        step = max(1, NUMBERS // self.group)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            below = self._weights(some).cumsum(axis=1)
            sought = rng.random((len(some), 1)) * below[:, -1:]
            chosen = np.minimum((below <= sought).sum(axis=1), self._sizes[some] - 1)
            released[start : start + step] = self._near(some)[np.arange(len(some)), chosen]
        return released

    def _weights(self, rows: Ids) -> Floats:
        """exp(ε·(u − 1)/2), which is 1 for the word itself; 0 where a group is smaller."""
        return np.asarray(np.exp(self.epsilon / 2 * self._utilities[rows]))

    def _near(self, rows: Ids) -> Ids:
        """Ids of the words in the groups of these; V where a group is smaller."""
        return np.asarray(self._members[self.groups[self._ids[rows]]])

    @cached_property
    def _utilities(self) -> Floats:
        """u − 1 = −d(x, y)/(largest d) of every input x and every word y of its group."""
        step = max(1, NUMBERS // (self.group * self.table.dimensions))
        starts = range(step, len(self._ids), step)
        parts = np.split(np.arange(len(self._ids)), starts)
        return np.concatenate([self._behind(rows) for rows in parts])

    def _behind(self, rows: Ids) -> Floats:
        near = self._near(rows)
        nobody = near == len(self.table)
        x, y = self._ids[rows], np.where(nobody, self._ids[rows, None], near)
        moved = self.table.vectors[y.ravel()].astype(np.float64).reshape(*y.shape, -1)
        moved -= self.table.vectors[x].astype(np.float64)[:, None, :]
        away = np.sqrt(np.einsum("ngk,ngk->ng", moved, moved))
        largest = away.max(axis=1, keepdims=True)
        return np.where(nobody, -np.inf, -away / np.where(largest > 0, largest, 1))

    @cached_property
    def _members(self) -> Ids:
        """Ids of the words of each group in the table's order, and V in the place of nobody."""
        number = self.groups[self._ids]
        order = np.argsort(number, kind="stable")
        sizes = np.bincount(number)
        within = np.arange(len(order)) - np.repeat(sizes.cumsum() - sizes, sizes)
        members = np.full((len(sizes), self.group), len(self.table), dtype=np.int64)
        members[number[order], within] = self._ids[order]
        return members

    @cached_property
    def _sizes(self) -> Ids:
        """How many words the group of each input has."""
        number = self.groups[self._ids]
        return np.asarray(np.bincount(number)[number])

    @cached_property
    def _ids(self) -> Ids:
        return all_of(self.table, self.inputs)
