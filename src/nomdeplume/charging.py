"""What a document costs under a mechanism, and how a release is charged to a ledger."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

from numpy.random import Generator

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.mechanism.contract import DocumentMechanism
from nomdeplume.privacy.ledger.claims import Claim, Name, has_id
from nomdeplume.privacy.ledger.price import Price
from nomdeplume.privacy.random import is_private
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.privacy.ledger import Ledger


def price_of(mechanism: DocumentMechanism, vocabulary: Vocabulary) -> Price:
    """What one document costs: its budget, and what it loses between any two texts at all."""
    widest, account = mechanism.guarantees[-1], mechanism.any_two()
    loss = widest.epsilon * widest.metric.widest(vocabulary.diameter)
    words = dimensions = 0
    if account is not None and account.terms:
        [((mixture,), words)] = account.terms
        loss, dimensions = min(loss, account.pure), mixture.dimensions
    return Price(
        budget=float(widest.epsilon),
        distance=mechanism.distance,
        metric=widest.metric.name,
        mechanism=mechanism.name,
        kept=vocabulary.fingerprint,
        loss=float(loss) if isfinite(loss) else None,
        words=words,
        dimensions=dimensions,
    )


class Priced(Protocol):
    """What releases documents at a price."""

    @property
    def price(self) -> Price: ...

    @property
    def vocabulary(self) -> Vocabulary: ...


def charge(
    ledger: Ledger | None,
    priced: Priced,
    private: Iterable[str],
    rng: Generator,
    *,
    ids: Iterable[Any] | None = None,
    authors: Iterable[Any] | None = None,
) -> Iterable[str]:
    """The texts, after all of them were charged; if one has no room it is a `BudgetSpent`."""
    if ledger is None:
        if ids is not None or authors is not None:
            raise InputError("ids and authors are for a ledger; give one.")
        return private
    if not hasattr(ledger, "charge"):
        raise InputError(f"ledger must be an open Ledger, got {type(ledger).__name__}.")
    refuse_seeded(rng)
    return _charged(ledger, priced, private, ids, authors)


def _charged(
    ledger: Ledger,
    priced: Priced,
    private: Iterable[str],
    ids: Iterable[Any] | None,
    authors: Iterable[Any] | None,
) -> Iterator[str]:
    """The same, when the first is asked for: what else is wrong with a call is found before."""
    price, bag, texts = priced.price, priced.vocabulary.bag, list(private)
    charging = Charging(ledger, price, "id", "" if authors is None else "author")
    count = len(texts)
    beside = zip(column("ids", ids, count), column("authors", authors, count), strict=True)
    claims: list[Claim] = []
    for number, (text, (id_, author)) in enumerate(zip(texts, beside, strict=True), start=1):
        claim = charging.claim({"id": id_, "author": author}, text, bag)
        if claim is None:
            raise InputError(f"every text must have an author, got none for text {number:,}.")
        claims.append(claim)
    ledger.charge(price, claims, run=charging.run, together=True)
    yield from texts


def column(name: str, values: Iterable[Any] | None, count: int) -> Sequence[Any]:
    """A value for each of `count` texts."""
    if values is None:
        return [None] * count
    if isinstance(values, str | Mapping) or not hasattr(values, "__iter__"):
        raise InputError(f"{name} must be a list, got one {type(values).__name__}.")
    found = list(values.to_pylist() if hasattr(values, "to_pylist") else values)
    if len(found) != count:
        raise InputError(f"{name} must be as many as texts, got {len(found):,} of {count:,}.")
    return found


def refuse_seeded(rng: Generator) -> None:
    """Refuse to charge what is not private: its budget means nothing."""
    if not is_private(rng):
        raise InputError("a seeded release is not private, and no budget covers it: no ledger.")


@dataclass(frozen=True)
class Charging:
    """Charges documents of one run, before any of them is released."""

    ledger: Ledger
    price: Price
    id_field: str = ""  # of records; documents without an id are known by their kept words
    author_field: str = ""
    most: float = 0.0  # that an account may spend in this run
    run: str = field(default_factory=lambda: secrets.token_hex(8))

    def claim(
        self, fields: Mapping[str, Any], item: Bag | str, bag: Callable[[str], Bag]
    ) -> Claim | None:
        """All that a document is charged to; none where its author is not told."""
        if self.knows(fields):
            return self.claim_by_id(fields)
        found = item if isinstance(item, Bag) else bag(item)
        return self._with_author(self.ledger.claims.by_bag(found), fields)

    def claim_by_id(self, fields: Mapping[str, Any]) -> Claim | None:
        """The same, of a document that has an id: nobody needs its text."""
        return self._with_author(self.ledger.claims.by_id(fields[self.id_field]), fields)

    def _with_author(self, name: Name, fields: Mapping[str, Any]) -> Claim | None:
        if not self.author_field:
            return (name,)
        author = self.ledger.claims.by_author(fields.get(self.author_field))
        return None if author is None else (name, author)

    def knows(self, fields: Mapping[str, Any]) -> bool:
        """Whether a document has an id to be known by."""
        return has_id(fields.get(self.id_field))

    def granted(self, claims: Sequence[Claim], *, together: bool = False) -> list[bool]:
        """Whether there was room for each; what is granted is charged, and on the disk."""
        if not claims:
            return []
        return self.ledger.charge(self.price, claims, run=self.run, together=together)
