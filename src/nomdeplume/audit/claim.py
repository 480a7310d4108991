"""Somebody's own function from words to words, with what it claims: a black box to audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism.contract import Declaration, Settings
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Ids = NDArray[np.int64]
Function = Callable[[list[str]], Sequence[str]]


@dataclass(frozen=True, eq=False)
class Claim:
    """A function that releases one word for each word, and the ε that is claimed for it.

    It is held to ε times the Euclidean distance between the vectors of `table`. Words that
    come out and are not in the table are an outcome like any other.

    >>> table = Table(("pear", "lake"), np.array([[0, 0], [3, 4]]), name="tiny")
    >>> claim = Claim(lambda words: ["lake" for _ in words], table, epsilon=1.0)
    >>> claim.release(np.array([0, 1, 0]), np.random.default_rng()).tolist()
    [1, 1, 1]
    """

    function: Function
    table: Table
    epsilon: float
    name: str = "a function"
    outputs: None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @classmethod
    def made(
        cls, make: Callable[[Table, float], Function], table: Table, epsilon: float, name: str = ""
    ) -> MovableClaim:
        """A claim whose function can be made for other tables too, so that worlds audit it."""
        function = make(table, positive("epsilon", epsilon))
        return MovableClaim(function, table, epsilon, name or cls.name, make=make)

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon)

    @property
    def settings(self) -> Settings:
        return {}

    @property
    def declaration(self) -> Declaration:
        return Declaration(function=self.function)

    documents = word_by_word

    def release(self, ids: Ids, rng: Generator) -> Ids:  # noqa: ARG002 - it draws by itself
        words = [self.table.words[i] for i in ids.tolist()]
        try:
            released = list(self.function(words))
        except (Exception, SystemExit) as error:
            raise InputError(
                f"the function fails on words of table {self.table.name}: {type(error).__name__}."
            ) from error
        if len(released) != len(ids):
            raise InputError(
                f"the function must release one word for each word, got {len(released)} for "
                f"{len(ids)}."
            )
        if not all(isinstance(word, str) for word in released):
            raise InputError("the function must release words; what it gave are no strings.")
        return self.table.ids(released, unknown=len(self.table))


@dataclass(frozen=True, eq=False)
class MovableClaim(Claim):
    """A claim that `make` builds for any table and ε."""

    make: Callable[[Table, float], Function] | None = None

    @property
    def declaration(self) -> Declaration:
        return Declaration(function=self.function, elsewhere=self.elsewhere)

    def elsewhere(self, table: Table, epsilon: float) -> MovableClaim:
        if self.make is None:
            raise InputError("a claim without `make` has one table only; use Claim.made.")
        return MovableClaim(self.make(table, epsilon), table, epsilon, self.name, make=self.make)
