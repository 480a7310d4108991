"""The exponential mechanism: a word is chosen directly, the likelier the nearer it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import InputError, PrivacyError, positive, stated
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, prepared
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.scores import Plain, Score
from nomdeplume.mechanism.tight import Tell, Tight, solved, tight
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

LEAST = 1e-100  # of the largest weight: sums of smaller ones would be lost


@dataclass(frozen=True, eq=False)
class Exponential:
    """P(y|x) ∝ q(y)·exp(−a·s(x, y)) over the words that may come out, q public weights.

    For any table the textbook promises 2a. What holds for this one, between the words it is
    made for, is found by going through all pairs of them (docs/proofs/exponential.md). With
    the distance as score it is the exponential mechanism, with a capped one it is TEM.

    >>> table = Table(("pear", "apple", "lake"), np.array([[0, 0], [0, 1], [5, 5]]))
    >>> mechanism = Exponential.of(table, epsilon=1.0)
    >>> round(mechanism.a, 2), round(mechanism.tight.epsilon, 6), mechanism.tight.exact
    (0.95, 1.0, True)
    """

    table: Table
    a: float
    score: Score = field(default=Plain(), kw_only=True)
    inputs: Ids | None = field(default=None, kw_only=True)  # that are covered; none given, all
    outputs: Ids | None = field(default=None, kw_only=True)
    weights: Floats | None = field(default=None, kw_only=True)  # (V,): q, all alike if none
    epsilon: float | None = field(default=None, kw_only=True)  # promised, no less than holds
    known: Tight | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        positive("a", self.a)
        object.__setattr__(self, "inputs", in_order(self.table, self.inputs))
        object.__setattr__(self, "outputs", in_order(self.table, self.outputs))
        if self.weights is not None:
            object.__setattr__(self, "weights", weighed(self.weights, self.table, self._answers))
        widest = self.score.at(self.a, len(self._answers)).metric.widest(
            lambda: 2 * self.table.radius
        )
        stated("a", self.a, max(widest, 1.0))

    @classmethod
    def of(
        cls,
        table: Table,
        epsilon: float,
        *,
        score: Score | None = None,
        inputs: Ids | None = None,
        outputs: Ids | None = None,
        weights: Floats | None = None,
        memory: Memory | None = None,
        tell: Tell | None = None,
    ) -> Self:
        """With the largest a found that keeps a promise of ε on this table, checked on all pairs.

        A memory is asked first, and told. `tell` is told how many words are done.
        """
        parts = {"score": score or Plain(), "inputs": inputs, "outputs": outputs}
        start = cls(table, positive("epsilon", epsilon) / 2, weights=weights, **parts)  # type: ignore[arg-type]
        key = start.key(epsilon) if memory else ""
        found = memory.recall(key) if memory else None
        if found is None or max(found[0], found[1].epsilon) > epsilon:
            found = solved(lambda a: replace(start, a=a).choice, start.covered, epsilon, tell)
            if memory:
                memory.keep(key, *found)
        made = replace(start, a=found[0], epsilon=float(epsilon))
        return replace(made, known=replace(found[1], sign=made.sign))

    @classmethod
    def checked(
        cls, table: Table, a: float, epsilon: float, tell: Tell | None = None, **parts: Any
    ) -> Self:
        """With an a that is given, if a promise of ε can be proven for it on this table."""
        made = cls(table, a, epsilon=positive("epsilon", epsilon), **parts)
        known = tight(made.choice, made.covered, tell, doubt=0.5)
        made = replace(made, known=replace(known, sign=made.sign))
        _ = made.guarantee  # or refused
        return made

    @property
    def name(self) -> str:
        return self.score.name

    @property
    def guarantee(self) -> Guarantee:
        epsilon = self.epsilon or self.tight.epsilon or self.tight.textbook
        if epsilon < 2 * self.a and epsilon < self.tight.epsilon:
            raise PrivacyError(
                f"a = {self.a!r} promises {self.tight.epsilon:.12g} on this table, not {epsilon!r}."
            )
        proofs = ("exponential",) if self.name == "exponential" else ("exponential", self.name)
        return Guarantee(epsilon, self.choice.score.metric, proofs, anywhere=False)

    @cached_property
    def tight(self) -> Tight:
        """The least ε that holds, between all pairs of the covered words."""
        if self.known is not None and self.known.sign == self.sign:
            return self.known
        return tight(self.choice, self.covered)

    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it, and what was found: for a certificate."""
        found: dict[str, float | str] = {"a": self.a, **self.choice.score.settings}
        found["exact" if self.tight.exact else "bound"] = self.tight.epsilon
        found["textbook"] = self.tight.textbook
        if self.weights is not None:
            found["weights"] = sha256(self.weights.tobytes()).hexdigest()
        return found

    @cached_property
    def choice(self) -> Choice:
        q = None if self.weights is None else np.log(self.weights[self._answers])
        score = self.score.at(self.a, len(self._answers))
        return Choice(self.table, self._answers, score, self.a, q)

    @property
    def covered(self) -> Ids:
        return all_of(self.table, self.inputs)

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            inputs=self.inputs,
            covered=self.covered,
            channel=self.channel,
            elsewhere=self.elsewhere,
            exponential=self,
        )

    documents = word_by_word

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same mechanism on another table, all of whose words may come out."""
        return type(self).of(table, epsilon, score=self.score)

    def channel(self, ids: Ids) -> Floats:
        """The chances of all words of the table, (n, V)."""
        looked_up(ids, self.table, self.inputs)
        return self.choice.channel(ids)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        looked_up(ids, self.table, self.inputs)
        return self.choice.draw(np.asarray(ids, dtype=np.int64), rng)

    __getstate__ = prepared

    @property
    def sign(self) -> str:
        """What its promise was found for: a hash of all that it depends on."""
        return self.key(self.a)

    def key(self, number: float) -> str:
        """What tells this calibration from all others, for one ε or one a."""
        parts = [self.table.fingerprint, repr(float(number)), repr(self.score)]
        arrays = (self.covered, self._answers, self.weights)
        parts += ["" if each is None else sha256(each.tobytes()).hexdigest() for each in arrays]
        return sha256("\n".join(parts).encode()).hexdigest()

    @property
    def _answers(self) -> Ids:
        return all_of(self.table, self.outputs)


def weighed(weights: Floats, table: Table, answers: Ids) -> Floats:
    """Weights of the words of a table, if answers can have them."""
    given = np.array(weights, dtype=np.float64)
    if given.shape != (len(table),) or not (np.isfinite(given) & (given >= 0)).all():
        raise InputError(f"{len(table):,} words need as many weights, finite and not below 0.")
    some = given[answers]
    if not (some > 0).all():
        raise InputError("every word that may come out must have a weight above 0.")
    if some.min() < some.max() * LEAST:
        raise InputError(f"weights may differ by a factor of {1 / LEAST:g} at most.")
    given.flags.writeable = False
    return given
