"""From records to documents: read → claim → batch → release → write, over a whole input.

Each step takes what the one before yields, in order. Memory does not grow with the input, but
for units: one bag is held for each value of the field until all texts were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from numpy.random import Generator

from nomdeplume.bag import Bag
from nomdeplume.charging import NO_ROOM, Charging, charged, content_of
from nomdeplume.errors import BudgetSpent, InputError, got
from nomdeplume.formats.columns import only, raw
from nomdeplume.formats.records import Inputs, Record
from nomdeplume.formats.spool import Spool
from nomdeplume.formats.units import Units, joined
from nomdeplume.formats.writing import Sink
from nomdeplume.mechanism.contract import STANDIN, VECTOR, DocumentMechanism, Released
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.identifying import IdCheck
from nomdeplume.releasing import LOST, Offer
from nomdeplume.vocabulary import Vocabulary

TOGETHER = 512  # documents that are charged in one go, at most
NO_WORDS = "no kept words."


@dataclass
class Tally:
    """How many documents were released, how many were not, and what stands beside the words."""

    released: int = 0
    withheld: int = 0
    refused: int = 0  # of these, by the ledger
    resumed: int = 0  # of those released, by a run before that was interrupted
    without_words: int = 0  # released as the public bag
    fields: tuple[str, ...] = ()  # of the first record


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """What comes out beside the released texts, and what becomes of texts without kept words.

    Of the fields of a record those in `keep` come out. Documents are `numbered` in the order
    of the release, so that a number tells nothing about those that were withheld.
    """

    keep: tuple[str, ...] = ()
    numbered: bool = True
    vectors: bool = False
    empty: str = "public"


KEPT = Keeping()


def release(
    inputs: Inputs,
    sink: Sink,
    obfuscator: Obfuscator,
    rng: Generator,
    *,
    keeping: Keeping = KEPT,
    ids: IdCheck | None = None,
    strict: bool = False,
    units: Units | None = None,
    workers: int | None = None,
    charging: Charging | None = None,
    spool: Spool | None = None,
    tell: Callable[[str], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Tally:
    """Release every record of `inputs` into `sink`.

    With `units` the bags of each are added up, or its texts joined if the mechanism needs texts,
    and released when all are there. Documents are
    charged before they are released, and those that a `spool` holds are neither charged nor
    released again. What is withheld is told by its place.
    """
    vocabulary, mechanism = obfuscator.vocabulary, obfuscator.documents
    if units is not None and not mechanism.kept_words:
        units = replace(units, put=joined)
    if units is not None and charging is not None:
        charging = replace(charging, price=charging.price.of_units())
    reading = Reading(vocabulary, mechanism, keeping, ids or IdCheck(), charging, strict, tell)
    offers = reading.offers(inputs, units, as_texts=workers is not None)
    offers = _known(offers, spool) if spool else offers
    if charging:
        most = min(TOGETHER, mechanism.batch)
        offers = charged(offers, charging, most=most, together=strict)
    released = obfuscator.releasing.released(offers, rng, workers)
    sources = mechanism.form.sources
    return Writing(sink, keeping, spool, tell, advance, sources).all(released)


@dataclass(frozen=True)
class Reading:
    """From records, or from units of them, to offers."""

    vocabulary: Vocabulary
    mechanism: DocumentMechanism
    keeping: Keeping
    ids: IdCheck
    charging: Charging | None
    strict: bool  # stop at the first text that cannot be released
    tell: Callable[[str], None]

    def offers(self, inputs: Inputs, units: Units | None, *, as_texts: bool) -> Iterator[Offer]:
        """An offer for each record or, with units, for each unit and each record that is in none.

        Texts are let go as soon as they are bags, unless workers make the bags.
        """
        single = inputs.kind == "text"
        for number, record in enumerate(inputs.records, start=1):
            if record.unreadable and (self.strict or single):
                raise InputError(f"{record.place}: {record.unreadable}")
            offer = self._offer(number, record, units, as_texts=as_texts and units is None)
            if offer is not None:
                yield self._checked(offer)
            if record.remark:
                self.tell(f"{record.place}: {record.remark}.")
        for number, (item, fields, claim) in enumerate(units or (), start=1):
            yield self._checked(Offer(item, f"unit {number}", number, fields, claim))

    def _offer(
        self, number: int, record: Record, units: Units | None, *, as_texts: bool
    ) -> Offer | None:
        """The offer of a record; None if the record is part of a unit."""
        place = record.place
        if record.unreadable:
            return Offer(place=place, withheld=record.unreadable)
        self.ids.one(place, raw(record.fields, self.ids.fields))
        charging = self.charging
        sent = as_texts and (charging is None or charging.identity.knows(record.fields))
        item = record.text if sent else self.mechanism.item(record.text)
        content = partial(content_of, self.mechanism, self.vocabulary, item)
        claim = charging.claim(record.fields, content) if charging else ()
        if charging and claim is None:
            return self._nameless(place, charging.identity.author_field)
        if units is None:
            fields = only(record.fields, self.keeping.keep)
            return Offer(item, place, number, fields, claim or ())
        if not units.add(record.fields, content(), claim or ()):
            return self._nameless(place, units.name)
        return None

    def _nameless(self, place: str, name: str) -> Offer:
        """A text whose author or unit nobody knows cannot be charged or added up."""
        reason = f"no value in field {got(name)}."
        if self.strict:
            raise InputError(f"{place}: {reason}")
        return Offer(place=place, withheld=reason)

    def _checked(self, offer: Offer) -> Offer:
        """The offer, withheld if its bag is known to be empty and such texts are withheld."""
        empty = isinstance(offer.item, Bag) and not len(offer.item)
        if offer.due and empty and self.keeping.empty != "public":
            return replace(offer, withheld=NO_WORDS)
        return offer


def _known(offers: Iterable[Offer], spool: Spool) -> Iterator[Offer]:
    """Offers with what an interrupted run has released for them."""
    for offer in offers:
        before = spool.take(offer.number) if offer.due else None
        yield offer if before is None else replace(offer, before=before)


@dataclass
class Writing:
    """From offers and their releases to a sink, in order, with a count of what became of them."""

    sink: Sink
    keeping: Keeping
    spool: Spool | None
    tell: Callable[[str], None]
    advance: Callable[[], None]
    sources: Mapping[str, str]  # ids of the public texts that may come out
    tally: Tally = field(default_factory=Tally)

    def all(self, released: Iterable[tuple[Offer, Released | None]]) -> Tally:
        for offer, found in released:
            if reason := self._put(offer, found):
                self.tally.withheld += 1
                self.tally.refused += offer.refused
                self.tell(f"{offer.place}: withheld: {reason}")
        tally = self.tally
        if tally.refused and not tally.released:
            count = "the document has" if tally.refused == 1 else f"all {tally.refused:,} have"
            raise BudgetSpent(f"{count} {NO_ROOM} Nothing was written.")
        if not tally.released and not tally.withheld:
            raise InputError("the input holds no document.")
        return tally

    def _put(self, offer: Offer, found: Released | None) -> str:
        """Write what was released for an offer; the reason if it is withheld."""
        if offer.withheld:
            return offer.withheld
        if found is None:
            return LOST
        if offer.before is not None:
            self.tally.resumed += 1
        elif self.spool:
            self.spool.add(offer.number, found, vectors=self.keeping.vectors)
        if not found.kept and self.keeping.empty != "public":
            return NO_WORDS
        self._write(offer.fields, found)
        return ""

    def _write(self, fields: Mapping[str, Any], found: Released) -> None:
        tally, keeping = self.tally, self.keeping
        tally.fields = tally.fields or tuple(fields)
        tally.released += 1
        number = tally.released if keeping.numbered else None
        beside: dict[str, Any] = {VECTOR: found.mean} if keeping.vectors else {}
        if self.sources:
            beside[STANDIN] = self.sources[found.text]
        self.sink.write(found.text, fields, beside, number)
        tally.without_words += not found.kept
        self.advance()
