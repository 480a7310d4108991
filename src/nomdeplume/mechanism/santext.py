"""SanText+: rare words are chosen anew, common ones mostly pass as they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance import Covered
from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, prepared
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.tight import Tell
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SanText:
    """Covered words by the exponential mechanism among themselves; of the others a share p too.

    The commonest words, a public `share` of the table's order, are not covered: one of them
    comes out as it is with the chance 1 − p. Between covered words the promise is that of
    the exponential mechanism; from a common word to any other there is none.
    """

    table: Table
    epsilon: float
    inputs: Ids | None = None
    share: float = field(default=0.1, kw_only=True)  # of the words, the commonest
    p: float = field(default=0.3, kw_only=True)
    a: float = field(default=0.0, kw_only=True)  # of the exponential mechanism; 0: to be found
    last: bool = field(default=False, kw_only=True)  # whether the last are not covered instead
    memory: Memory | None = field(default=None, kw_only=True, repr=False)
    tell: Tell | None = field(default=None, kw_only=True, repr=False)
    name: str = field(default="santext+", kw_only=True)

    def __post_init__(self) -> None:
        positive("half of epsilon", positive("epsilon", self.epsilon) / 2)
        object.__setattr__(self, "inputs", in_order(self.table, self.inputs))
        for name in ("share", "p"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must be from 0 to 1, got {getattr(self, name)!r}.")
        if not len(self.covered):
            raise InputError(f"share must leave words to cover, got {self.share!r}.")

    @property
    def outputs(self) -> Ids | None:
        return self.inputs

    @property
    def guarantee(self) -> Guarantee:
        mask = np.zeros(len(self.table), dtype=bool)
        mask[self.covered] = True
        proofs = ("exponential", "santext")
        return Guarantee(self.epsilon, Covered(covered=mask), proofs, anywhere=False)

    @property
    def covers(self) -> str:
        """What the promise leaves out, in a sentence."""
        common = len(self._ids) - len(self.covered)
        return (
            f"The promise holds between the {len(self.covered):,} rarer words only: each of the "
            f"{common:,} commonest comes out as it is with a chance of {1 - self.p:g}, and "
            "between it and any other word nothing is promised."
        )

    @property
    def settings(self) -> dict[str, float | str]:
        return {"share": self.share, "p": self.p, **self.inner.settings}

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            covers=self.covers,
            covered=self.covered,
            inputs=self.inputs,
            channel=self.channel,
            elsewhere=self.elsewhere,
            exponential=self.inner,
        )

    documents = word_by_word

    @property
    def covered(self) -> Ids:
        """The words that are covered: all but the commonest, as tables list them first."""
        common = round(self.share * len(self._ids))
        return self._ids[: len(self._ids) - common] if self.last else self._ids[common:]

    @cached_property
    def inner(self) -> Exponential:
        """The exponential mechanism among the covered words, calibrated for them."""
        words: dict[str, Any] = {"inputs": self.covered, "outputs": self.covered}
        if self.a:
            return Exponential.checked(self.table, self.a, self.epsilon, self.tell, **words)
        return Exponential.of(self.table, self.epsilon, **words, memory=self.memory, tell=self.tell)

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same on another table, whose first words, which are tried, are covered."""
        fresh: dict[str, Any] = {"inputs": None, "a": 0.0, "memory": None, "tell": None}
        return replace(self, table=table, epsilon=epsilon, last=True, **fresh)

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V)."""
        common = self._common(ids)
        chances = self.inner.choice.channel(ids)
        chances[common] *= self.p
        chances[common, np.asarray(ids)[common]] += 1 - self.p
        return chances

    def release(self, ids: Ids, rng: Generator) -> Ids:
        stays = rng.random(len(ids)) >= self.p
        return np.where(stays & self._common(ids), ids, self.inner.choice.draw(ids, rng))

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, and what was calibrated, which takes long. Nobody is told elsewhere."""
        found = {"inner": replace(self.inner)} if "inner" in vars(self) else {}
        return {**prepared(self), **found, "tell": None}

    def _common(self, ids: Ids) -> NDArray[np.bool_]:
        looked_up(ids, self.table, self.inputs)
        return ~np.isin(ids, self.covered)

    @cached_property
    def _ids(self) -> Ids:
        return all_of(self.table, self.inputs)
