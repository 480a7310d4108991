"""What the studio does, without its page: previews of samples, releases that are charged."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from nomdeplume.errors import BudgetSpent, InputError, PrivacyError, whole
from nomdeplume.mechanism import Recipe
from nomdeplume.mechanism.recipe import words_of
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Certificate
from nomdeplume.privacy.ledger import Ledger
from nomdeplume.privacy.random import secure
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.ways import SIZE, SIZES, WAYS

LIMIT = 100.0  # that a new ledger begins with: five releases of an author, as usual
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
    """What an author and a text have spent, and how much each of them may."""

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
class Released:
    """Words of a release, in alphabetical order, and its certificate."""

    words: tuple[str, ...]
    certificate: Certificate

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.words)

    @property
    def text(self) -> str:
        """The file that the certificate is about."""
        return " ".join(self.words) + "\n"


def usual_ledger() -> Path:
    """Where the studio charges if nobody says otherwise: the same file every time."""
    from platformdirs import user_data_path

    return user_data_path("nomdeplume") / "studio.ledger"


class Studio:
    """A vocabulary and a ledger; whatever is private is handed through and not kept."""

    def __init__(self, vocabulary: Vocabulary, ledger: Path, limit: float | None = None) -> None:
        self.vocabulary, self.path, self.limit = vocabulary, ledger, limit
        self.obfuscator = lru_cache(maxsize=8)(self._obfuscator)  # previews come back to some
        ledger.parent.mkdir(parents=True, exist_ok=True)
        with Ledger(ledger, limit=LIMIT if limit is None and not ledger.exists() else limit):
            pass  # what is wrong with it is said before a page is shown

    @cached_property
    def samples(self) -> dict[str, str]:
        """Public texts by title, in the language of the table; else its commonest words."""
        texts = self.vocabulary.reference_texts
        if not texts:
            return {"Words of the table": " ".join(self._commonest(60))}
        return {title: texts[pair][place] for title, (pair, place) in SAMPLES.items()}

    def preview(self, way: str, value: float, size: int, sample: str) -> Counter[str]:
        """Released words of a sample, with fresh noise: it ships with the page and is no secret."""
        [found] = self.obfuscator(way, value, size).releases([self.samples[sample]], secure())
        if found is None:
            raise InputError("nothing came of this sample; take another.")
        return Counter(found.text.split())

    def release(self, text: str, author: str, way: str, value: float, size: int) -> Released:
        """The one release of a text, charged to it and to its author before it exists."""
        if characters(text) > LONGEST:
            raise InputError(TOO_LONG)
        self.check_words(text, "the text")
        if not author.strip():
            raise InputError("say whose text it is: what an author's texts spend adds up.")
        made = self.obfuscator(way, value, size)
        _ = made.promises, made.unchanged, made.documents.agreement  # no failure after the charge
        with self._ledger() as ledger:
            try:
                [document] = made([text], ledger=ledger, authors=[author])
            except BudgetSpent:
                raise BudgetSpent(
                    "this text or its author has no room left in the ledger; nothing was charged "
                    "or released."
                ) from None
        if sha256(f"{document.text}\n".encode()).hexdigest() != document.certificate.output.sha256:
            raise AssertionError("the certificate is not that of the words")
        return Released(document.words, document.certificate)

    def check_words(self, text: str, name: str) -> None:
        """Refuse a text of which nothing is kept."""
        if not len(self.vocabulary.bag(text)):
            table = self.vocabulary.table
            raise InputError(
                f"{name} has no words to release: none of them is in table {table.name} "
                f"(language {table.language}) and no stop word."
            )

    def spent(self, author: str, text: str = "") -> Spent:
        """What an author and a text have spent of the limit."""
        bag = self.vocabulary.bag(text[:LONGEST])
        with self._ledger() as ledger:
            name = ledger.claims.by_author(author)
            return Spent(
                author=0.0 if name is None else ledger.spent(name).budget,
                text=ledger.spent(ledger.claims.by_content(bag)).budget,
                limit=ledger.most,
            )

    @cache  # noqa: B019 - as many as there are ways, and one studio
    def usual(self, way: str) -> Obfuscator:
        """A way as it usually is: others share its index or features, which take long to make."""
        chosen = WAYS[way]
        index = "exact" if chosen.by_word else "auto"  # nothing is loaded while a slider moves
        recipe = Recipe(chosen.mechanism, chosen.usual, chosen.decode, index=index)
        return Obfuscator.of(recipe, self.vocabulary, size=SIZE)

    def _obfuscator(self, way: str, value: float, size: int) -> Obfuscator:
        whole("size", size, least=SIZES[0], most=SIZES[1])
        usual = self.usual(way)
        at = words_of(usual.documents).declaration.at
        if at is None:
            raise InputError("this way has no noise to change; take another.")
        return replace(usual, mechanism=at(value), size=size)

    def _ledger(self) -> Ledger:
        """Opened for each use, as connections belong to threads; never begun anew.

        A limit that was lowered meanwhile, below the one that was asked for, holds.
        """
        if not self.path.exists():
            raise PrivacyError("the ledger is gone, and with it what was spent; put it back.")
        with suppress(PrivacyError):
            return Ledger(self.path, limit=self.limit)
        return Ledger(self.path)

    def _commonest(self, count: int) -> list[str]:
        return [self.vocabulary.table.words[i] for i in self.vocabulary.ids[:count].tolist()]
