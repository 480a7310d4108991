"""Any mechanism, and then a step to a word near the released one, by its rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.decode.rank import Rank, Steps
from nomdeplume.mechanism.inputs import all_of, made_of
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

REDUCTIONS = ("sample", "apportion")  # that a mechanism can follow, if it names none
SMALL = 2_000  # words of a table, up to which chances are told


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a mechanism releases, moved to the word of rank r from it with P ∝ exp(−c·ε·r).

    The step sees the released word alone, so the guarantee stays. A mechanism that gives most
    words back then releases near ones instead, under the same promise.
    """

    mechanism: Any  # one that can be moved elsewhere
    rank: Rank

    @property
    def name(self) -> str:
        return str(self.mechanism.name)

    @property
    def table(self) -> Table:
        table: Table = self.mechanism.table
        return table

    @property
    def outputs(self) -> Ids | None:
        outputs: Ids | None = self.mechanism.outputs
        return outputs

    @property
    def settings(self) -> dict[str, float | str]:
        inner = getattr(self.mechanism, "settings", {})
        return {**inner, "decode": self.rank.name, **self.rank.settings}

    @property
    def covers(self) -> str:
        inner = getattr(self.mechanism, "covers", "")
        return f"Before its step by rank: {inner}" if inner else ""

    @property
    def reductions(self) -> tuple[str, ...]:
        return tuple(getattr(self.mechanism, "reductions", REDUCTIONS))

    @property
    def guarantee(self) -> Guarantee:
        word: Guarantee = self.mechanism.guarantee
        return replace(word, proofs=(*word.proofs, "postprocessing"))

    def elsewhere(self, table: Table, epsilon: float) -> Ranked:
        return ranked(self.mechanism.elsewhere(table, epsilon), self.rank)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        return self.steps(self.mechanism.release(ids, rng), rng)

    __getstate__ = made_of  # lists of near words can be made again

    @cached_property
    def steps(self) -> Steps:
        return self.rank.around(self.table, self.outputs, self.mechanism.guarantee.epsilon)


class RankedFinite(Ranked):
    """The same of a mechanism that can say its chances, on a table where all can be told."""

    def channel(self, ids: Ids) -> Floats:
        words = all_of(self.table, self.outputs)
        return np.asarray(self.mechanism.channel(ids)[:, words] @ self.steps.chances(words))


def ranked(mechanism: Any, rank: Rank) -> Ranked:
    """A mechanism with a step after it, which says its chances where that can be."""
    told = hasattr(mechanism, "channel") and len(mechanism.table) <= SMALL
    return (RankedFinite if told else Ranked)(mechanism, rank)
