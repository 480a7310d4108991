"""Releasing: offers in, documents out, batch after batch, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator

from nomdeplume.bag import Bag, Item
from nomdeplume.devices import choose, chosen, on
from nomdeplume.errors import InputError, PlumeError, PrivacyError
from nomdeplume.mechanism.contract import ByTicket, DocumentMechanism, Released
from nomdeplume.privacy.random import is_private, secure, seeded
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.workers import ahead
from nomdeplume.workers.isolate import isolated

if TYPE_CHECKING:
    from nomdeplume.privacy.ledger.claims import Claim

CHARACTERS = 1 << 20  # of the texts that are released together, about
ENTRIES = 1 << 16  # offers that wait together, of which few may be due
LOST = "it could not be released, tried by itself twice."


@dataclass(frozen=True)
class Offer:
    """A text on its way to a document, with what stands beside it."""

    item: Item = ""
    place: str = ""  # by which messages name it
    number: int = 0  # in the input
    fields: Mapping[str, Any] = field(default_factory=dict)  # that come out
    claim: Claim = ()  # all that it is charged to
    ticket: int | None = None  # that decides its release, if it is not to be drawn anew
    before: Released | None = None  # its release by a run that was interrupted
    withheld: str = ""  # the reason, if it must not be released
    refused: bool = False  # True if the reason is that a ledger has no room

    @property
    def due(self) -> bool:
        """True if it is to be released now."""
        return not self.withheld and self.before is None


class Held(NamedTuple):
    """A text whose release is decided by a ticket that it holds already."""

    item: Item
    ticket: int


@dataclass(frozen=True, eq=False)
class Releasing:
    """Releases offers by a mechanism, in batches and in bounded memory."""

    vocabulary: Vocabulary
    mechanism: DocumentMechanism

    def released(
        self, offers: Iterable[Offer], rng: Generator, workers: int | None = None
    ) -> Iterator[tuple[Offer, Released | None]]:
        """Each offer with its release, in order; None if it is withheld or could not be released.

        While a batch is released, the next is read.
        """
        found = self._here(offers, rng) if workers is None else self._by(workers, offers, rng)
        for group, releases in found:
            yield from group.paired(releases)

    def _here(self, offers: Iterable[Offer], rng: Generator) -> Iterator[Results]:
        """Batch after batch in this process, one thread ahead of the caller."""
        most = self.mechanism.many if is_private(rng) else self.mechanism.batch

        def release(group: Group) -> Results:
            items = group.batch.items
            return group, self.of(items, rng) if items else []

        return ahead(release, groups(offers, most, item=self.item))

    def _by(self, workers: int, offers: Iterable[Offer], rng: Generator) -> Iterator[Results]:
        """Batch after batch in worker processes, each with a key of its own.

        If `rng` is not private, it gives a seed, of which each batch has a stream by its
        number: releases are then the same, however many workers there are. An offer whose
        release fails, or ends its worker, even by itself, has none.
        """
        from nomdeplume.workers import Pool  # which few runs need

        job = Job.of(self, rng)
        self.prepare()
        with Pool(job, workers) as pool:
            yield from pool.pairs(job.groups(offers), message=Group.sent, name=Group.called)

    def prepare(self) -> None:
        """Make what workers can share."""
        with on("cpu"):
            self.batch([""], seeded(0))

    def item(self, item: Item) -> Item:
        """A bag, or what the mechanism needs of a text."""
        if isinstance(item, Bag):
            return item
        if not isinstance(item, str):
            raise InputError(f"a text must be a string, got {type(item).__name__}.")
        return self.mechanism.item(item)

    def batch(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        """Some of them, released together; all are refused if one must be."""
        return self.mechanism.release(list(map(self.item, items)), rng)

    def of(self, items: Sequence[Item | Held], rng: Generator) -> list[Released]:
        """Release a batch; if its texts hold tickets, these decide and nothing is drawn."""
        held = [each for each in items if isinstance(each, Held)]
        drawn = [each for each in items if not isinstance(each, Held)]
        if not held:
            return self.batch(drawn, rng)
        if self.mechanism.by_ticket is None or drawn:
            raise PrivacyError("tickets must be held by all texts of a batch, or by none.")
        return [self._holder(self.mechanism.by_ticket, each) for each in held]

    def _holder(self, mechanism: ByTicket, held: Held) -> Released:
        """The release for a ticket, by itself: floats of a score may depend on other texts."""
        [released] = mechanism.holders([self.item(held.item)], np.array([held.ticket]))
        return released


@dataclass(frozen=True)
class Batch:
    """Texts or bags that are released together, and their number among all batches."""

    number: int
    items: list[Item | Held]
    before: int  # documents in batches before

    def called(self) -> str:
        """By position: nothing of a text is in its name."""
        return f"documents {self.before + 1:,} to {self.before + len(self.items):,}"


@dataclass(frozen=True)
class Group:
    """Offers in order, and the batch of those that are due."""

    offers: list[Offer]
    batch: Batch

    def sent(self) -> Batch:
        """The part of it that a worker needs."""
        return self.batch

    def called(self) -> str:
        return self.batch.called()

    def paired(
        self, releases: Sequence[Released | None]
    ) -> Iterator[tuple[Offer, Released | None]]:
        """Each offer with its release: one of the batch, or the one that it had before."""
        remaining = iter(releases)
        for offer in self.offers:
            yield offer, next(remaining) if offer.due else offer.before


Results = tuple[Group, Sequence[Released | None]]


def groups(
    offers: Iterable[Offer],
    most: int,
    number: int = 1,
    item: Callable[[Item], Item] = lambda item: item,
) -> Iterator[Group]:
    """Groups with at most `most` offers that are due, or fewer long texts, in order."""
    some, items = list[Offer](), list[Item | Held]()
    before = characters = 0
    for offer in offers:
        some.append(offer)
        if offer.due:
            thing = item(offer.item)
            items.append(thing if offer.ticket is None else Held(thing, offer.ticket))
            characters += len(thing) if isinstance(thing, str) else 0
        full = len(items) == most or characters >= CHARACTERS or len(some) == max(most, ENTRIES)
        if full or (not items and len(some) >= most):  # offers that are not due wait for nothing
            yield Group(some, Batch(number, items, before))
            number, before, characters = number + bool(items), before + len(items), 0
            some, items = [], []
    if some:
        yield Group(some, Batch(number, items, before))


@dataclass(frozen=True, eq=False)
class Job:
    """The work of a worker on a batch. It is sent without any generator."""

    releasing: Releasing
    seed: int | None = None

    @classmethod
    def of(cls, releasing: Releasing, rng: Generator) -> Job:
        """With a seed that `rng` gives, unless it is private."""
        seed = None if is_private(rng) else int(rng.integers(2**64, dtype=np.uint64))
        return cls(releasing, seed)

    def __call__(self, batch: Batch) -> list[Released | None]:
        rng = self._secure if self.seed is None else seeded(self.seed, batch.number)
        return isolated(lambda items: self.releasing.of(items, rng), batch.items)

    def again(self, batch: Batch) -> list[Released | None]:
        """Release a batch in another process, which may die in place of this one."""
        from nomdeplume.workers import Pool

        with Pool(self, 1, tries=1) as child:

            def one(items: Sequence[Item | Held]) -> list[Released | None]:
                return next(child.map([replace(batch, items=list(items))], name=Batch.called))

            return isolated(one, batch.items)

    @property
    def sources(self) -> Mapping[str, str]:
        """The id of each public text that may come out, by the text; none for words."""
        return self.releasing.mechanism.form.sources

    def groups(self, offers: Iterable[Offer], number: int = 1) -> Iterator[Group]:
        """As many together as suits a worker; batches are numbered from `number` on."""
        mechanism = self.releasing.mechanism
        most = mechanism.many if self.seed is None else mechanism.batch
        return groups(offers, min(most, mechanism.per_worker), number)

    @cached_property
    def _secure(self) -> Generator:
        """Keyed by the operating system in the process that asks."""
        return secure()

    def __getstate__(self) -> tuple[Releasing, int | None, str]:
        device = chosen()
        return self.releasing, self.seed, device if isinstance(device, str) else "auto"

    def __setstate__(self, state: tuple[Releasing, int | None, str]) -> None:
        releasing, seed, device = state
        choose(device)
        self.__dict__.update(releasing=releasing, seed=seed)


def complete(found: Iterable[tuple[Offer, Released | None]]) -> Iterator[Released]:
    """The release of every offer; if one has none, that is an error."""
    for number, (_, released) in enumerate(found, start=1):
        if released is None:
            raise PlumeError(f"text {number:,}: {LOST}")
        yield released
