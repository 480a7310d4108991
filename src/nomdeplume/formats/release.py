"""Records in, documents out: the flow over a whole input, in memory that does not grow with it.

But for units: of each value of a field one bag is held until all texts were read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.random import Generator

from nomdeplume.bag import Bag, Item
from nomdeplume.charging import Charging
from nomdeplume.errors import BudgetSpent, InputError, got
from nomdeplume.formats.columns import only, raw
from nomdeplume.formats.records import Inputs, Record
from nomdeplume.formats.spool import Spool
from nomdeplume.formats.units import Units
from nomdeplume.formats.writing import Sink
from nomdeplume.mechanism.contract import Released
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.identifying import IdCheck
from nomdeplume.privacy.ledger.claims import Claim
from nomdeplume.releasing import LOST, SIGNS

TOGETHER = 512  # documents that are charged in one go, at most
NO_ROOM = "no room left under the limit of the ledger."


@dataclass
class Tally:
    """How many documents were released, how many were not, and what stands beside the words."""

    released: int = 0
    withheld: int = 0
    refused: int = 0  # of these, by the ledger
    resumed: int = 0  # of those released, by a run before that was interrupted
    without_words: int = 0  # released as the public bag
    fields: tuple[str, ...] = ()  # of the first record


@dataclass(frozen=True)
class Offer:
    """A document that is to be released, or was before."""

    number: int
    item: Item
    fields: Mapping[str, Any]
    place: str
    claim: Claim
    before: Released | None


def release(
    inputs: Inputs, sink: Sink, obfuscator: Obfuscator, rng: Generator, **how: Any
) -> Tally:
    """Release every record of `inputs` into `sink`; `how` is as in `Releases`."""
    return Releases(inputs, sink, obfuscator, rng, **how).all()


@dataclass
class Releases:
    """One run over all inputs. What cannot be read, or has no room, is told by its place.

    A text is let go as soon as it is a bag, or was sent to one of the `workers`, which make
    bags then; only some batches wait for release. With `units` the bags of each are added
    up, and released when all are there. Documents are charged before they are released, and
    those that a `spool` holds are neither charged nor released again.

    Of the fields of a record those in `keep` come out. Documents are `numbered` in the order
    of the release, so that a number tells nothing about those that were withheld.
    """

    inputs: Inputs
    sink: Sink
    obfuscator: Obfuscator
    rng: Generator
    keep: tuple[str, ...] = ()
    numbered: bool = True
    ids: IdCheck = field(default_factory=IdCheck)
    empty: str = "public"
    strict: bool = False
    units: Units | None = None
    vectors: bool = False
    workers: int | None = None
    charging: Charging | None = None
    spool: Spool | None = None
    tell: Callable[[str], None] = lambda _: None
    advance: Callable[[], None] = lambda: None
    tally: Tally = field(default_factory=Tally)
    _waiting: deque[Offer] = field(default_factory=deque)

    def __post_init__(self) -> None:
        if self.units is not None and self.charging is not None:
            self.charging = replace(self.charging, price=self.charging.price.of_units())

    def all(self) -> Tally:
        for released in self.obfuscator.releases(self._due(), self.rng, workers=self.workers):
            offer = self._waiting.popleft()
            if released is None:
                self._withhold(offer.place, LOST)
                self._write_before()
                continue
            if self.spool:
                self.spool.add(offer.number, released, vectors=self.vectors)
            self._write(offer, released)
            self._write_before()
        tally = self.tally
        if tally.refused and not tally.released:
            count = "the document has" if tally.refused == 1 else f"all {tally.refused:,} have"
            raise BudgetSpent(f"{count} {NO_ROOM} Nothing was written.")
        if not tally.released and not tally.withheld:
            raise InputError("the input holds no document.")
        return tally

    def _due(self) -> Iterator[Item]:
        """What is to be released now: charged, if there is a ledger."""
        for some in self._together():
            for offer, granted in zip(some, self._granted(some), strict=True):
                if not granted:
                    self._refuse(offer)
                    continue
                self._waiting.append(offer)
                if offer.before is None:
                    yield offer.item
                self._write_before()

    def _together(self) -> Iterator[list[Offer]]:
        """Offers by as many as are charged at once: a batch, or fewer long texts."""
        most = min(TOGETHER, self.obfuscator.documents.batch) if self.charging else 1
        some, signs = list[Offer](), 0
        for offer in self._offers():
            some.append(offer)
            signs += len(offer.item) if isinstance(offer.item, str) else 0
            if len(some) == most or signs >= SIGNS:
                yield some
                some, signs = [], 0
        if some:
            yield some

    def _granted(self, offers: list[Offer]) -> Iterator[bool]:
        """Whether each may be released; what was before needs no leave."""
        new = [offer for offer in offers if offer.before is None]
        granted = iter(self._charged(new) if self.charging else [True] * len(new))
        return (offer.before is not None or next(granted) for offer in offers)

    def _charged(self, offers: list[Offer]) -> list[bool]:
        """Whether there was room for each; where one must not be refused, for all or none."""
        claims = [offer.claim for offer in offers]
        try:
            return self.charging.granted(claims, together=self.strict) if self.charging else []
        except BudgetSpent as error:
            raise BudgetSpent(f"{offers[error.number - 1].place}: {NO_ROOM}") from None

    def _offers(self) -> Iterator[Offer]:
        for number, record in enumerate(self.inputs.records, start=1):
            if not isinstance(record, Record):
                if self.strict or self.inputs.kind == "text":
                    raise InputError(f"{record.place}: {record.reason}")
                self._withhold(record.place, record.reason)
                continue
            yield from self._offered(number, record)
            if record.remark:
                self.tell(f"{record.place}: {record.remark}.")
        for number, (bag, fields, claim) in enumerate(self.units or (), start=1):
            yield from self._offer(number, bag, fields, f"unit {number}", claim)

    def _offered(self, number: int, record: Record) -> Iterator[Offer]:
        """A record by itself, or nothing yet if it is part of a unit."""
        self.ids.one(record.place, raw(record.fields, self.ids.fields))
        charging, bag = self.charging, self.obfuscator.vocabulary.bag
        sent = self.workers is not None and self.units is None
        sent = sent and (charging is None or charging.knows(record.fields))
        item: Item = record.text if sent else bag(record.text)
        claim = charging.claim(record.fields, item, bag) if charging else ()
        fields = only(record.fields, self.keep)
        if charging and claim is None:
            self._unnamed(record.place, charging.author_field)
        elif self.units is None:
            yield from self._offer(number, item, fields, record.place, claim or ())
        elif not (isinstance(item, Bag) and self.units.add(record.fields, item, claim or ())):
            self._unnamed(record.place, self.units.name)

    def _offer(
        self, number: int, item: Item, fields: Mapping[str, Any], place: str, claim: Claim
    ) -> Iterator[Offer]:
        if isinstance(item, str) or len(item) or self.empty == "public":
            before = self.spool.take(number) if self.spool else None
            yield Offer(number, item, fields, place, claim, before)
        else:
            self._withhold(place, "no kept words.")

    def _unnamed(self, place: str, name: str) -> None:
        """A text whose author or unit nobody knows cannot be charged or added up."""
        if self.strict:
            raise InputError(f"{place}: no value in field {got(name)}.")
        self._withhold(place, f"no value in field {got(name)}.")

    def _refuse(self, offer: Offer) -> None:
        self.tally.refused += 1
        self._withhold(offer.place, NO_ROOM)

    def _withhold(self, place: str, reason: str) -> None:
        self.tally.withheld += 1
        self.tell(f"{place}: withheld: {reason}")

    def _write_before(self) -> None:
        """Write what was released before and has no other document in front of it."""
        while self._waiting and (released := self._waiting[0].before):
            self.tally.resumed += 1
            self._write(self._waiting.popleft(), released)

    def _write(self, offer: Offer, released: Released) -> None:
        if not released.kept and self.empty != "public":
            self._withhold(offer.place, "no kept words.")
            return
        tally = self.tally
        tally.fields = tally.fields or tuple(offer.fields)
        tally.released += 1
        number = tally.released if self.numbered else None
        mean = released.mean if self.vectors else None
        self.sink.write(released.text, offer.fields, mean, number)
        tally.without_words += not released.kept
        self.advance()
