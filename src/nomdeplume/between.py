"""The promise of a release between two texts, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.loss import Loss, up
from nomdeplume.privacy.promise import WEAK

MADE = {  # how the words of a release come about, by its reduction
    "mean": "composed from a noisy mean",
    "sample": "drawn by chance,",
    "apportion": "apportioned,",
}


@dataclass(frozen=True, eq=False)
class Between:
    """The promise of a release between two texts: purely and, if asked for, up to a δ."""

    guarantee: Guarantee
    loss: Loss
    nearer: Loss | None  # by the mean features of these two, at the document level
    obfuscator: Obfuscator
    documents: int | None = None  # of one author, each as far apart as these two
    delta: float | None = None
    at_delta: Loss | None = None

    @classmethod
    def of(
        cls,
        made: Obfuscator,
        x: str,
        y: str,
        *,
        documents: int | None = None,
        delta: float | None = None,
    ) -> Between:
        """The promise of an obfuscator between two texts, or two authors of as many like them."""
        losses = [
            _loss(each, x, y, documents) for each in made.guarantees[-made.documents.of_texts :]
        ]
        guarantee, loss = made.guarantee, losses[-1]
        if documents is not None:
            guarantee = guarantee.over_documents(documents)
        nearer = losses[0] if len(losses) > 1 else None
        if delta is None:
            return cls(guarantee, loss, nearer, made, documents)
        account = made.account(x, y).over_releases(documents or 1)
        at_delta = min(loss if nearer is None else nearer, account.loss(delta))
        return cls(guarantee, loss, nearer, made, documents, delta, at_delta)

    @property
    def largest(self) -> Loss:
        """The most that is lost between these two: the tighter of what is known."""
        return self.loss if self.nearer is None else self.nearer

    def sentences(self) -> list[str]:
        """The promise in words, how it is made up, and a fair word on it."""
        guarantee, symbol = self.guarantee, self.guarantee.metric.symbol
        first = (
            f"{self._what()} by at most a factor of {self.loss.factor}: "
            f"the loss is at most {guarantee.formula} = {up(self.loss, 6)} nats, with {symbol} = "
            f"{self.loss / guarantee.epsilon:.4f} between {guarantee.between}."
        ).replace(f" · {symbol}", f"\u00a0·\u00a0{symbol}")
        if not symbol:
            first = f"{self._what()} by at most a factor of {self.loss.factor}."
        weak = WEAK if self.largest > 10 else ""
        return [said for said in (first, self._by_means(), self._up_to(), weak) if said]

    def facts(self) -> dict[str, Any]:
        """The promise for programs."""
        guarantee, loss, nearer = self.guarantee, self.loss, self.nearer
        facts: dict[str, Any] = {
            "mechanism": self.obfuscator.mechanism.name,
            "formula": f"loss ≤ {guarantee.formula}",
            "between": guarantee.between,
            "distance": loss / guarantee.epsilon,
            "proofs": guarantee.proofs,
            "loss": loss,
            "factor": loss.factor,
        }
        if nearer is not None:
            facts |= {"loss_of_means": nearer, "factor_of_means": nearer.factor}
        if self.at_delta is not None:
            facts |= {"delta": self.delta, "loss_at_delta": self.at_delta}
        return facts

    def _what(self) -> str:
        """Return the start of the sentence: the release, and between whom it shifts odds."""
        made, count = self.obfuscator, self.documents
        spent = f"at {made.documents.parameter.symbol} = {made.documents.value:g},"
        words = f"{made.size} words" if made.size > 1 else "one word"
        how = f"{words}, {MADE[made.reduction]} {spent}" if made.reduction else "a public text"
        if count is None:
            return f"One release of {how} can shift anyone's odds between the two texts"
        between = f"two authors of {count} documents, all as far apart as these,"
        return f"{count} releases, each of {how} together can shift anyone's odds between {between}"

    def _by_means(self) -> str:
        """The loss of this pair, which their mean features bound more tightly than W₁ does."""
        nearer = self.nearer
        if nearer is None or nearer >= self.loss:
            return ""
        apart = nearer / self.guarantee.epsilon / (self.documents or 1)
        who = "these two" if self.documents is None else "documents all like these two"
        return (
            f"Between {who} it is less: their mean features are {apart:.4f} apart, so at most "
            f"{up(nearer, 6)} nats are lost, a factor of {nearer.factor}."
        )

    def _up_to(self) -> str:
        """Return the sentence on the loss up to δ; empty if nothing is lost at all.

        It follows from how words move and not from a distance, so it is no statement about all
        documents that are as far apart.
        """
        loss, at_delta = self.largest, self.at_delta
        delta, count = self.delta, self.documents
        if not loss or at_delta is None:
            return ""
        if up(at_delta, 4) == up(loss, 4):
            return f"Up to δ = {delta:g} no less is known to be lost."
        moved = f" for {count} documents whose words move as those of these two do" if count else ""
        return (
            f"Up to δ = {delta:g} less is lost{moved}: P(S) ≤ exp(ε′)\u00a0·\u00a0P′(S) + δ for "
            "every set S of releases, P from one of the two and P′ from the other, with ε′ = "
            f"{up(at_delta, 4)} nats{_saving(loss, at_delta)}."
        )


def _loss(guarantee: Guarantee, x: str, y: str, count: int | None) -> Loss:
    if count is None:
        return guarantee.loss(x, y)
    return guarantee.over_documents(count).loss([x] * count, [y] * count)


def _saving(loss: Loss, at_delta: Loss) -> str:
    """Say how many times smaller the loss is, rounded down; empty if it is not smaller."""
    ratio = loss / at_delta if at_delta else 1.0
    times = f"{int(10 * ratio) / 10:g}" if ratio < 100 else f"{int(ratio):,}"
    return "" if times == "1" else f", {times} times less than the pure bound"
