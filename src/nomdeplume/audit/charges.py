"""The flow instrument at the ledger: what releases are charged, by document and by unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from inspect import Parameter, signature
from pathlib import Path
from tempfile import TemporaryDirectory

from nomdeplume.audit.finding import OPEN, Finding, observed
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.charging import Charging, content_of
from nomdeplume.errors import BudgetSpent
from nomdeplume.formats.records import Inputs, Meter, Record
from nomdeplume.formats.release import release
from nomdeplume.formats.units import Units
from nomdeplume.formats.writing import open_sink
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.ledger import Ledger, Spent
from nomdeplume.privacy.ledger.claims import Identity
from nomdeplume.privacy.ledger.price import MICRO, MOST, micro
from nomdeplume.privacy.random import secure

WRITERS = ("one", "one", "other")  # of the texts that are charged
ROOM = 2.5  # releases that a ledger has room for
Charge = tuple[str, Spent, int]  # whose it is, what was charged, and how many releases are due


def of_charges(system: Obfuscator) -> Probe:
    """A release is charged the budget of its widest guarantee, to all that it is a release of."""
    question = "a release is charged what it promises"

    def ask(_: Share) -> Finding:
        budget = system.guarantee.epsilon
        if ROOM * budget > MOST:
            return Finding("flow", question, OPEN, "no ledger holds so large a budget")
        if not _chargeable(system):
            return Finding("flow", question, OPEN, "it takes no ledger")
        with TemporaryDirectory() as folder:
            found = list(_documents(system, Path(folder)))
            found += _units(system, Path(folder))
        wrong = [
            f"{whose}: {spent.budget:.6g} where {releases * budget:.6g} are due"
            for whose, spent, releases in found
            if not _right(spent.budget, releases, budget)
        ]
        said = "; ".join(list(dict.fromkeys(wrong))[:2])
        evidence = said or f"{len(found)} accounts of documents, authors and units"
        return observed(question, evidence, holds=not wrong, samples=len(found))

    return Probe(question, ask, 0.1)


def _right(charged: float, releases: int, budget: float) -> bool:
    """Return True if this amount is due; every release is rounded up to whole millionths."""
    due = releases * budget
    return abs(charged - due) <= releases / MICRO + 1e-9 * due


def _chargeable(system: Obfuscator) -> bool:
    taken = signature(type(system).__call__).parameters
    return "ledger" in taken or any(p.kind is Parameter.VAR_KEYWORD for p in taken.values())


def _texts(system: Obfuscator) -> Sequence[str]:
    """A public text for each of WRITERS, no two alike."""
    words, ids = system.vocabulary.table.words, system.vocabulary.ids
    return [" ".join([words[ids[0]]] * n + [words[ids[-1]]]) for n in range(1, len(WRITERS) + 1)]


def _opened(system: Obfuscator, path: Path) -> Ledger:
    return Ledger(path, limit=ROOM * micro(system.guarantee.epsilon) / MICRO)


def _documents(system: Obfuscator, folder: Path) -> Iterator[Charge]:
    """Texts released one by one: with an id and an author, without, and beyond the limit."""
    texts = _texts(system)
    with _opened(system, folder / "documents") as ledger:
        system(texts, ledger=ledger, ids=range(len(texts)), authors=WRITERS)
        system(texts[:1], ledger=ledger)
        with suppress(BudgetSpent):
            system(texts[:1], ledger=ledger, ids=[len(texts)], authors=WRITERS[:1])
        names = ledger.claims
        for number in range(len(texts)):
            yield "a document", ledger.spent(names.by_id(number)), 1
        content = content_of(system.documents, system.vocabulary, texts[0])
        yield "a text", ledger.spent(names.by_content(content)), 1
        yield "a text beyond the limit", ledger.spent(names.by_id(len(texts))), 0
        yield from _authors(ledger, {writer: WRITERS.count(writer) for writer in WRITERS})


def _units(system: Obfuscator, folder: Path) -> Iterator[Charge]:
    """Texts of an author released as one document: it is charged to the author and each text."""
    records = [
        Record(f"text {number}", text, {"id": number, "author": writer})
        for number, (text, writer) in enumerate(zip(_texts(system), WRITERS, strict=True))
    ]
    sink = open_sink(folder / "units.jsonl", "jsonl", keep=False)
    with _opened(system, folder / "units") as ledger:
        try:
            inputs = Inputs("jsonl", iter(records), Meter())
            charging = Charging(ledger, system.price, Identity("id", "author"))
            release(inputs, sink, system, secure(), units=Units("author"), charging=charging)
        finally:
            sink.discard()
        for number in range(len(records)):
            yield "a text of a unit", ledger.spent(ledger.claims.by_id(number)), 1
        yield from _authors(ledger, dict.fromkeys(WRITERS, 1))


def _authors(ledger: Ledger, due: dict[str, int]) -> Iterator[Charge]:
    for writer, releases in due.items():
        name = ledger.claims.by_author(writer)
        yield "an author", ledger.spent(name or b""), releases
