"""Any mechanism, and then a step to a word near the released one, by its rank."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.decode.rank import Rank, Steps
from nomdeplume.errors import InputError
from nomdeplume.mechanism.contract import Declaration, DocumentMechanism, Mechanism
from nomdeplume.mechanism.inputs import all_of, prepared
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

SMALL = 2_000  # words of a table, up to which chances are told


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a mechanism releases, moved to the word of rank r from it with P ∝ exp(−c·ε·r).

    The step sees the released word alone, so the guarantee stays. A mechanism that gives most
    words back then releases near ones instead, under the same promise.
    """

    mechanism: Mechanism
    rank: Rank

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def table(self) -> Table:
        return self.mechanism.table

    @property
    def outputs(self) -> Ids | None:
        return self.mechanism.outputs

    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it besides its name and ε: for a certificate."""
        return {**self.mechanism.settings, **self.rank.settings}

    @property
    def declaration(self) -> Declaration:
        inner = self.mechanism.declaration
        able = inner.channel is not None and len(self.table) <= SMALL
        return replace(
            inner,
            covers=f"Before its step by rank: {inner.covers}" if inner.covers else "",
            together=1 << 17,
            laplace=None,
            channel=self.channel if able else None,
            agreement=None,
            at=None,
            elsewhere=self.elsewhere if inner.elsewhere else None,
            step=self,
            vectors=None,
            means=None,
            function=None,
        )

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism:
        if not self.declaration.parameter.per_word:
            raise InputError(f"{self.name} releases whole documents; a step follows single words.")
        return word_by_word(self, vocabulary, size, reduction)

    @property
    def guarantee(self) -> Guarantee:
        word = self.mechanism.guarantee
        return replace(word, proofs=(*word.proofs, "postprocessing"))

    def after(self, mechanism: Mechanism) -> Ranked:
        return replace(self, mechanism=mechanism)

    def elsewhere(self, table: Table, epsilon: float) -> Ranked:
        elsewhere = self.mechanism.declaration.elsewhere
        if elsewhere is None:
            raise InputError(f"{self.name} cannot be moved to another table.")
        return replace(self, mechanism=elsewhere(table, epsilon))

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V), on a table where all can be listed."""
        before = self.mechanism.declaration.channel
        if before is None:
            raise InputError(f"{self.name} does not know its chances.")
        words = all_of(self.table, self.outputs)
        return np.asarray(before(ids)[:, words] @ self.steps.chances(words))

    def release(self, ids: Ids, rng: Generator) -> Ids:
        return self.steps(self.mechanism.release(ids, rng), rng)

    __getstate__ = prepared

    @cached_property
    def steps(self) -> Steps:
        return self.rank.around(self.table, self.outputs, self.mechanism.guarantee.epsilon)
