"""The price of a document under a mechanism, and the charge of a release to a ledger."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

from numpy.random import Generator

from nomdeplume.bag import Bag, Item
from nomdeplume.errors import BudgetSpent, InputError
from nomdeplume.mechanism.contract import DocumentMechanism
from nomdeplume.privacy.ledger.claims import Claim, Identity
from nomdeplume.privacy.ledger.price import Price
from nomdeplume.privacy.random import is_private
from nomdeplume.releasing import Offer, groups
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.privacy.ledger import Ledger

NO_ROOM = "no room left under the limit of the ledger."


def price_of(mechanism: DocumentMechanism, vocabulary: Vocabulary) -> Price:
    """The price of one document: its budget, and the most it loses between any two texts."""
    widest, account = mechanism.guarantees[-1], mechanism.any_two()
    loss = widest.epsilon * widest.metric.widest(lambda: vocabulary.diameter)
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


def content_of(mechanism: DocumentMechanism, vocabulary: Vocabulary, item: Item) -> Item:
    """The content that a release is about: kept words, or the text as it is."""
    return item if isinstance(item, Bag) or not mechanism.kept_words else vocabulary.bag(item)


class Priced(Protocol):
    """An obfuscator as a charge sees it: its price, vocabulary and document mechanism."""

    @property
    def price(self) -> Price: ...

    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def documents(self) -> DocumentMechanism: ...


def charged(
    offers: Iterable[Offer], charging: Charging, *, most: int, together: bool = False
) -> Iterator[Offer]:
    """Offers that are charged, or withheld because there is no room for them, in order.

    At most `most` of them are charged in one transaction. If they stand or fall `together`, one
    without room is a `BudgetSpent`.
    """
    for group in groups(offers, most):
        due = [offer for offer in group.offers if offer.due]
        try:
            granted = iter(charging.granted([offer.claim for offer in due], together=together))
        except BudgetSpent as error:
            raise BudgetSpent(f"{due[error.number - 1].place}: {NO_ROOM}") from None
        for offer in group.offers:
            room = not offer.due or next(granted)
            yield offer if room else replace(offer, withheld=NO_ROOM, refused=True)


def charge(
    ledger: Ledger | None,
    priced: Priced,
    private: Iterable[str],
    rng: Generator,
    *,
    ids: Iterable[Any] | None = None,
    authors: Iterable[Any] | None = None,
) -> Iterable[Offer]:
    """Offers of texts, after all of them were charged; if one has no room it is a `BudgetSpent`."""
    if ledger is None:
        if ids is not None or authors is not None:
            raise InputError("ids and authors are for a ledger; give one.")
        return map(Offer, private)
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
) -> Iterator[Offer]:
    """Offers of texts, all of which are charged when the first is asked for."""
    texts = list(private)
    identity = Identity("id", "" if authors is None else "author")
    charging = Charging(ledger, priced.price, identity)
    count = len(texts)
    beside = zip(column("ids", ids, count), column("authors", authors, count), strict=True)
    offers: list[Offer] = []
    for number, (text, (id_, author)) in enumerate(zip(texts, beside, strict=True), start=1):
        content = partial(content_of, priced.documents, priced.vocabulary, text)
        claim = charging.claim({"id": id_, "author": author}, content)
        if claim is None:
            raise InputError(f"every text must have an author, got none for text {number:,}.")
        offers.append(Offer(text, number=number, claim=claim))
    charging.granted([offer.claim for offer in offers], together=True)
    yield from offers


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
    identity: Identity = field(default_factory=Identity)
    most: float = 0.0  # that an account may spend in this run
    run: str = field(default_factory=lambda: secrets.token_hex(8))

    def claim(
        self, fields: Mapping[str, Any], content: Callable[[], Item] | None = None
    ) -> Claim | None:
        """The names that a record is charged to; None if its author is charged and not known."""
        digests = self.identity.digests(fields, content)
        return None if digests is None else self.ledger.claims.of(digests)

    def granted(self, claims: Sequence[Claim], *, together: bool = False) -> list[bool]:
        """True for each claim that had room; it is then charged, and on the disk."""
        if not claims:
            return []
        return self.ledger.charge(self.price, claims, run=self.run, together=together)
