"""The studio without its page: previews of samples, releases that are charged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock

import numpy as np

from nomdeplume.charging import content_of
from nomdeplume.errors import BudgetSpent, InputError, PrivacyError, whole
from nomdeplume.library import Library, Passage
from nomdeplume.mechanism import Recipe
from nomdeplume.mechanism.contract import DocumentMechanism
from nomdeplume.mechanism.contract import Released as Drawn
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Certificate
from nomdeplume.privacy.ledger import Ledger
from nomdeplume.privacy.random import secure
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.ways import SIZE, SIZES, WAYS, Way

LIMIT = 100.0  # that a new ledger begins with: 21 stand-ins of an author, or 5 releases of words
BAG = "What comes out is a list of words in alphabetical order, and no text to read."
LONGEST = 400_000  # characters of a text, as browsers count them
TOO_LONG = f"A text may have up to {LONGEST:,} characters here; nomdeplume obfuscate takes more."
SAMPLES = {  # pairs of reference texts, of which one or the other is shown
    "A letter to a neighbour": ("near", 0),
    "A notice": ("typical", 1),
    "A report of a fault": ("far", 1),
}


def characters(text: str) -> int:
    """How long a text is to a browser, to which an emoji is two: it cuts off what is longer."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def mark(text: str) -> list[int]:
    """The length of a text in a browser, and Σ uᵢ·31ⁿ⁻¹⁻ⁱ mod 2³² over its UTF-16 units.

    A browser has other line ends than files may have.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    units = np.frombuffer(plain.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint32)
    powers = np.cumprod(np.r_[1, np.full(max(0, len(units) - 1), 31)], dtype=np.uint32)
    return [len(units), int((units * powers[: len(units)][::-1]).sum(dtype=np.uint32))]


@dataclass(frozen=True)
class Spent:
    """The budgets that an author and a text have spent, and their limit."""

    author: float
    text: float  # whoever released it
    limit: float

    @property
    def spent(self) -> float:
        """That of the two which has less left: both are charged."""
        return max(self.author, self.text)

    @property
    def left(self) -> float:
        return max(0.0, self.limit - self.spent)


@dataclass(frozen=True)
class Around:
    """The library around a sample: its likeliest passages, and the one that came out."""

    library: Library
    best: tuple[int, ...]  # places of those that hold `odds` tickets each; others hold one
    drawn: int  # place of the passage that came out
    odds: int

    @property
    def hit(self) -> float:
        """The probability that one of the best comes out."""
        tickets = self.odds * len(self.best)
        return tickets / (tickets + len(self.library) - len(self.best))

    @property
    def passage(self) -> Passage:
        return self.library.passages[self.drawn]


@dataclass(frozen=True)
class Preview:
    """A release of a sample, and the uses that such a release is fit for."""

    content: str
    made_for: str
    around: Around | None = None  # None if words came out

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.content.split())


@dataclass(frozen=True)
class Released:
    """A release: words in alphabetical order or a passage of a library, and its certificate."""

    content: str
    made_for: str
    certificate: Certificate
    passage: Passage | None = None  # None if words came out

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.content.split())

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.words)

    @property
    def text(self) -> str:
        """The file that the certificate is about."""
        return f"{self.content}\n"


def usual_ledger() -> Path:
    """The usual path of the studio's ledger, always the same."""
    from platformdirs import user_data_path

    return user_data_path("nomdeplume") / "studio.ledger"


def ledgers(path: Path) -> tuple[Path, Path]:
    """The ledger and the one beside it: budgets of stand-ins and of words do not add up."""
    return path, path.with_name(f"{path.stem}-2{path.suffix}")


class Studio:
    """A vocabulary and ledgers; whatever is private is handed through and not kept."""

    def __init__(self, vocabulary: Vocabulary, ledger: Path, limit: float | None = None) -> None:
        self.vocabulary, self.paths, self.limit = vocabulary, ledgers(ledger), limit
        self.obfuscator = lru_cache(maxsize=8)(self._obfuscator)  # previews come back to some
        self._making = Lock()
        ledger.parent.mkdir(parents=True, exist_ok=True)
        most = LIMIT
        for path in self.paths:
            with Ledger(path, limit=most if limit is None and not path.exists() else limit) as one:
                most = one.most  # the second begins with the limit of the first

    @cached_property
    def library(self) -> Library | None:
        """The library that ships for the language of the table, if there is one."""
        language = self.vocabulary.table.language
        return Library.shipped(language) if Library.ships_for(language) else None

    @cached_property
    def ways(self) -> dict[str, Way]:
        """The ways by name, the usual one first; stand-ins need a library."""
        return {
            name: way for name, way in WAYS.items() if self.library is not None or not way.by_odds
        }

    @cached_property
    def samples(self) -> dict[str, str]:
        """Public texts by title, in the language of the table; else its commonest words."""
        texts = self.vocabulary.reference_texts
        if not texts:
            return {"Words of the table": " ".join(self._commonest(60))}
        return {title: texts[pair][place] for title, (pair, place) in SAMPLES.items()}

    def preview(self, way: str, value: float, size: int, sample: str) -> Preview:
        """A fresh release of a sample: it ships with the page and is no secret."""
        text, made = self.samples[sample], self.obfuscator(way, value, size)
        [found] = made.releases([text], secure())
        if found is None:
            raise InputError("nothing came of this sample; take another.")
        around = None
        if self.library is not None and made.documents.form.kind == "text":
            best = _likelier(made.documents, text, self.library.texts)
            drawn = self.library.texts.index(found.text)
            around = Around(self.library, best, drawn, int(value))
        return Preview(found.text, _made_for(made.documents), around)

    def release(self, text: str, author: str, way: str, value: float, size: int) -> Released:
        """The one release of a text, charged to it and to its author before it exists."""
        if characters(text) > LONGEST:
            raise InputError(TOO_LONG)
        made = self.obfuscator(way, value, size)
        if made.documents.kept_words:
            self.check_words(text, "the text")
        if not author.strip():
            raise InputError("say whose text it is: what an author's texts spend adds up.")
        _ = made.promises, made.unchanged, made.documents.agreement  # no failure after the charge
        with self._ledger(way) as ledger:
            try:
                [document] = made([text], ledger=ledger, authors=[author])
            except BudgetSpent:
                raise BudgetSpent(
                    "this text or its author has no room left in the ledger; nothing was charged "
                    "or released."
                ) from None
        if sha256(f"{document.text}\n".encode()).hexdigest() != document.certificate.output.sha256:
            raise AssertionError("the certificate is not that of the release")
        passage = None
        if self.library is not None and made.documents.form.kind == "text":
            passage = self.library.holding(document.text)
        return Released(document.text, _made_for(made.documents), document.certificate, passage)

    def check_words(self, text: str, name: str) -> None:
        """Refuse a text of which nothing is kept."""
        if not len(self.vocabulary.bag(text)):
            table = self.vocabulary.table
            raise InputError(
                f"{name} has no words to release: none of them is in table {table.name} "
                f"(language {table.language}) and no stop word."
            )

    def spent(self, way: str, author: str, text: str = "") -> Spent:
        """Return what an author and a text have spent of the limit, in the ledger of a way."""
        made = self.usual(way)
        content = content_of(made.documents, self.vocabulary, text[:LONGEST])
        with self._ledger(way) as ledger:
            name = ledger.claims.by_author(author)
            return Spent(
                author=0.0 if name is None else ledger.spent(name).budget,
                text=ledger.spent(ledger.claims.by_content(content)).budget,
                limit=ledger.most,
            )

    def usual(self, way: str) -> Obfuscator:
        """A way as it usually is: others share its index or features, which take long to make."""
        with self._making:  # once, however many threads ask for it
            return self._usual(way)

    @cache  # noqa: B019 - as many as there are ways, and one studio
    def _usual(self, way: str) -> Obfuscator:
        chosen = WAYS[way]
        index = "exact" if chosen.by_word else "auto"  # nothing is loaded while a slider moves
        recipe = Recipe(chosen.mechanism, chosen.usual, chosen.decode, index=index)
        return Obfuscator.of(recipe, self.vocabulary, size=SIZE)

    def _obfuscator(self, way: str, value: float, size: int) -> Obfuscator:
        whole("size", size, least=SIZES[0], most=SIZES[1])
        usual = self.usual(way)
        at = usual.documents.at
        if at is None:
            raise InputError("this way has no noise to change; take another.")
        return replace(usual, mechanism=at(value), size=size)

    def _ledger(self, way: str) -> Ledger:
        """The ledger that counts in the distance of a way, or one that counts in none yet.

        If neither does, the first refuses the charge.
        """
        distance, paths = self.usual(way).documents.distance, dict[str, Path]()
        for path in reversed(self.paths):
            with self._opened(path) as ledger:
                paths[ledger.distance] = path
        return self._opened(paths.get(distance) or paths.get("") or self.paths[0])

    def _opened(self, path: Path) -> Ledger:
        """Opened for each use, as connections belong to threads; never begun anew.

        A limit that was lowered meanwhile, below the one that was asked for, holds.
        """
        if not path.exists():
            raise PrivacyError("the ledger is gone, and with it what was spent; put it back.")
        with suppress(PrivacyError):
            return Ledger(path, limit=self.limit)
        return Ledger(path)

    def _commonest(self, count: int) -> list[str]:
        return [self.vocabulary.table.words[i] for i in self.vocabulary.ids[:count].tolist()]


def _made_for(documents: DocumentMechanism) -> str:
    """The sentences on what a release is fit for, and what it is not fit for."""
    form = BAG if documents.form.kind == "words" else ""
    return f"{form} {documents.advice}".strip()


def _likelier(made: DocumentMechanism, text: str, public: Sequence[str]) -> tuple[int, ...]:
    """Places of the public texts that are likelier to come out for a text than others."""
    chances = made.log_chances([Drawn(each) for each in public], [made.item(text)])
    if chances is None:
        raise InputError("the chances of these releases are not known; take another way.")
    return tuple(np.flatnonzero(chances[:, 0] > chances.min()).tolist())
