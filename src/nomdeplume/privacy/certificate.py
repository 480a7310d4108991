"""The certificate of a release: what was done and what is promised, computed, in numbers and words.

It holds no word of any text, nothing about single documents and no count of
what was left out: it is as safe to publish as the release itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from nomdeplume import strict_json
from nomdeplume._version import __version__
from nomdeplume.errors import InputError, got
from nomdeplume.mechanism.contract import DocumentMechanism
from nomdeplume.privacy.loss import Loss
from nomdeplume.privacy.promise import PAIRS, Odds, OneWord, Promise
from nomdeplume.privacy.random import KEYED, SECURE
from nomdeplume.privacy.shuffled import Blanket, Shuffled
from nomdeplume.vocabulary import Vocabulary

T = TypeVar("T")

FORMAT = 8
PLAIN = {"int": (int,), "number": (int, float), "str": (str,), "bool": (bool,), "list": (list,)}
NOT_PRIVATE = "NOT PRIVATE: the noise can be replayed and undone, so no promise holds"
FITTED = (
    "NOT PRIVATE: the topic words were fitted on the private texts, and no promise covers what "
    "this choice tells about them"
)


@dataclass(frozen=True)
class Output:
    """What was written: its kind (text, jsonl or folder) and the SHA-256 of its bytes.

    A folder is hashed as the sorted lines `<sha256>  <relative name>` of its files.
    """

    kind: str
    sha256: str


@dataclass(frozen=True, repr=False)
class Certificate:
    """What was done and what is promised, for one release of any number of documents."""

    format: int
    program: str
    private: bool  # whether the noise is secret and what is kept is public
    warning: str  # why it is not private
    mechanism: str
    settings: dict[str, float | str]  # what else makes the mechanism, and what was found for it
    covers: str  # what its promise leaves out, if anything
    advice: str  # what readers may conclude from a release
    epsilon: float
    symbol: str  # of the parameter, whose value is `epsilon`
    per: str  # what it is spent on: a word or a document
    form: str  # of releases: words or text
    size: int  # words of a release, or 0
    budget: float
    reduction: str
    metric: str
    table: str
    table_language: str
    table_words: int
    table_dimensions: int
    table_fingerprint: str
    stop_words: str
    kept_words: int
    kept_fingerprint: str
    output_words: int  # that may come out; or texts
    output_fingerprint: str
    features: str  # how the kept words were chosen among these, or nothing
    empty_documents: str
    id_field: str  # of the number of each document, or nothing
    kept_fields: tuple[str, ...]
    unit_field: str  # whose documents were released as one, or nothing
    max_per_author: int  # documents that were drawn of each author, or 0 if all were released
    vectors: bool  # whether noisy means were released beside the words
    documents: int
    unchanged: float | None  # share of common public words that stay: what is useful, not safe
    agreement: float | None  # share of noisy words whose nearest was found, if not all: likewise
    generator: str
    seeded: bool
    output: Output
    promises: tuple[Promise, ...]
    shuffled: Shuffled | None  # the loss of one document among all, if they have no order
    several_documents: str
    limits: tuple[str, ...]

    def __repr__(self) -> str:
        kind = "private" if self.private else "NOT PRIVATE"
        what = f"{self.size} words" if self.size else "a text"
        return f"<Certificate: {self.documents:,} × {what}, {self.mechanism}, {self.spent}, {kind}>"

    @property
    def at_once(self) -> bool:
        """True if documents were released as a whole, False if word by word."""
        return self.per == "document"

    @property
    def spent(self) -> str:
        """The parameter and, word by word, the budget of a document."""
        own = f"{self.symbol}={self.epsilon:g}"
        return own if self.at_once else f"{own}, E={self.budget:g}"

    def stated(self, digits: int = 6) -> str:
        """The parameter in words, as in `E = 20 per document` or `odds of 100 to 1`."""
        if self.symbol == ODDS:
            return f"odds of {self.epsilon:,.0f} to 1"
        return f"{self.symbol} = {self.epsilon:.{digits}g} per {self.per}"

    @property
    def nearer(self) -> Promise | None:
        """The promise that is nearer to what a given pair of texts loses, if there is one."""
        return self.promises[0] if self.at_once and len(self.promises) > 1 else None

    @property
    def length(self) -> str:
        """The length of each document in words, as in `100 documents of 20 words`."""
        return f" of {self.size:,} words" if self.size else ""

    @property
    def proviso(self) -> str:
        """What to say before the promises, if there is a warning."""
        if self.private:
            return ""
        apart = "of all but the choice of topic words, " if FITTED in self.warning else ""
        holds = "if the noise were secret, this would hold:" if self.seeded else "this holds:"
        return f"{apart}{holds}".capitalize()

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a certificate back; anything missing, extra or of another type is refused."""
        try:
            data = strict_json.loads(text)
        except ValueError:
            raise InputError("a certificate must be JSON; this file is not.") from None
        if not isinstance(data, dict) or "format" not in data or "promises" not in data:
            raise InputError("this JSON is not a certificate of nomdeplume.")
        if data["format"] != FORMAT:
            raise InputError(
                f"this program reads certificates of format {FORMAT}, got {got(data['format'])}; "
                "use the version of nomdeplume that made it."
            )
        try:
            data["output"] = _built(Output, data["output"])
            data["promises"] = tuple(_promise(entry) for entry in data["promises"])
            if data["shuffled"] is not None:
                data["shuffled"] = _built(Shuffled, data["shuffled"])
            return _built(cls, data)
        except (KeyError, TypeError, OverflowError):
            raise InputError("the certificate lacks a field or has one of another type.") from None


def certify(
    vocabulary: Vocabulary,
    mechanism: DocumentMechanism,
    promises: tuple[Promise, ...],
    *,
    generator: str,
    documents: int,
    output: Output,
    empty: str = "public",
    id_field: str = "",
    kept_fields: tuple[str, ...] = (),
    unit_field: str = "",
    max_per_author: int = 0,
    vectors: bool = False,
    delta: float | None = None,
) -> Certificate:
    """The certificate of a release, from the parts that made it.

    With a `delta` documents have no order, and what one loses among all is stated up to it.
    """
    table = vocabulary.table
    seeded, features = generator not in (SECURE, KEYED), vocabulary.features
    leaks = features is not None and features.leaks
    kept = [TOPICAL if features is not None and features.words else KEPT] * mechanism.kept_words
    return Certificate(
        format=FORMAT,
        program=f"nomdeplume {__version__}",
        private=not (seeded or leaks),
        warning="; ".join([NOT_PRIVATE] * seeded + [FITTED] * leaks),
        mechanism=mechanism.name,
        settings=dict(mechanism.settings),
        covers=mechanism.covers,
        advice=mechanism.advice,
        epsilon=mechanism.value,
        symbol=mechanism.parameter.symbol,
        per=mechanism.parameter.unit,
        form=mechanism.form.kind,
        size=mechanism.form.size,
        budget=promises[-1].budget,
        reduction=mechanism.reduction,
        metric=mechanism.metric,
        table=table.name,
        table_language=table.language,
        table_words=len(table),
        table_dimensions=table.dimensions,
        table_fingerprint=table.fingerprint,
        stop_words=vocabulary.stop_words.name,
        kept_words=len(vocabulary),
        kept_fingerprint=vocabulary.fingerprint,
        output_words=mechanism.form.count,
        output_fingerprint=mechanism.form.fingerprint,
        features="" if features is None else features.origin,
        empty_documents=EMPTY[empty if mechanism.kept_words else "any"],
        id_field=id_field,
        kept_fields=kept_fields,
        unit_field=unit_field,
        max_per_author=max_per_author,
        vectors=vectors,
        documents=documents,
        unchanged=mechanism.unchanged,
        agreement=mechanism.agreement,
        generator=generator,
        seeded=seeded,
        output=output,
        promises=promises,
        shuffled=None if delta is None else _shuffled(mechanism, documents, delta),
        several_documents=UNITS if unit_field else several(promises[-1], max_per_author),
        limits=(
            *kept,
            TOPIC,
            ORDERED if delta is None else SORTED,
            *[ROUNDED] * (not mechanism.exact),
            *[PERMANENT] * (generator == KEYED),
        ),
    )


ODDS = "w"  # the symbol of odds between any two texts
EMPTY = {
    "public": "a text without kept words was released as a fixed public bag, under the same noise",
    "any": "a text without words was released like any other",
    "withhold": "a text without kept words was withheld, which reveals that it had none",
}
SEVERAL = (
    "Each document is a release of its own and losses add up: whoever wrote m of these documents, "
    "or one document released m times, can lose m times what is stated here, with m times δ."
)
ONE_DRAWN = (
    "At most one document of each author was released, drawn secretly; others were left out. "
    "Whoever wrote it loses what is stated here, however much they wrote."
)
DRAWN = (
    "At most {most:,} documents of each author were released, drawn secretly; others were left "
    "out. Losses add up: whoever wrote them can lose {most:,} times what is stated here, with "
    "{most:,} times δ, however much they wrote."
)
WHOLE = (
    "At most {count} of each author {was} released, drawn secretly; others were left out. All that "
    "somebody wrote changes nobody's odds by more than {factor} to 1."
)
OF_SEVERAL = "Who has several values of the author field loses that for each."
MOST_DELTA = 0.1  # times the number of documents: a δ of 1/n would allow publishing one of them
SMALL = 10  # nats: larger losses of several documents are no use in numbers
UNITS = (
    "All texts with one value of the unit field were released as one document, once: whoever wrote "
    "them loses what is stated here, however many they are. Who has several values loses that "
    "for each."
)
KEPT = (
    "Every statement is about bags of kept words: words that the table knows and that are no "
    "stop words. Deleting the others is not covered by it."
)
TOPICAL = KEPT.replace("no stop words", "no stop words and are topic words")
TOPIC = "Topic is kept on purpose, and a topic can point to an author."
ORDERED = "That a document exists, how many there are, their order and kept fields are not hidden."
SORTED = (
    "That a document exists, how many there are, and how often each public text came out are not "
    "hidden."
)
PERMANENT = (
    "Releases are permanent: each draw follows from a secret key, the document and its text, so "
    "the same text released again in the same way gives the same release and loses nothing more. "
    "All promises are computational: they hold as long as the key stays secret and HMAC-SHA-256 "
    "cannot be told from chance. That the text of a document was changed is not hidden: another "
    "text has another draw."
)
ROUNDED = "The mechanism is one of real numbers; float arithmetic follows it up to rounding."


def _shuffled(mechanism: DocumentMechanism, documents: int, delta: float) -> Shuffled:
    if delta * documents > MOST_DELTA * (1 + 1e-9):
        raise InputError(
            f"delta must be at most {MOST_DELTA:g} / {documents:,}, for so many documents."
        )
    loss = blanket_of(mechanism).loss(max(documents, 1), delta)
    return Shuffled.of(loss, delta, documents)


def blanket_of(mechanism: DocumentMechanism) -> Blanket:
    """The law by which its documents hide each other; refused if there is none."""
    if mechanism.blanket is None:
        raise InputError(
            "--shuffle is for a mechanism that releases public texts, such as standin, got "
            f"{mechanism.name}."
        )
    return mechanism.blanket


def several(promise: Promise, most: int = 0) -> str:
    """A sentence on the loss of several documents of one author, with numbers if it is small.

    If at most some were drawn of each author, it is about as many.
    """
    small = promise.odds and promise.odds[-1].loss <= SMALL
    if most and small:
        count, was = ("one document", "was") if most == 1 else (f"{most:,} documents", "were")
        factor = Loss(promise.odds[-1].loss).times(most).factor
        return f"{WHOLE.format(count=count, was=was, factor=factor)} {OF_SEVERAL}"
    if most:
        return f"{ONE_DRAWN if most == 1 else DRAWN.format(most=most)} {OF_SEVERAL}"
    if not small:
        return SEVERAL
    five, twenty = (Loss(promise.odds[-1].loss).times(m).factor for m in (5, 20))
    return (
        f"Odds multiply over documents of one author: 5 change them by up to {five} to 1, 20 by "
        f"up to {twenty} to 1. Releasing all texts of an author as one (--unit-field) costs no "
        "more than one document."
    )


def _promise(entry: Mapping[str, Any]) -> Promise:
    odds = tuple(_built(Odds, pair) for pair in entry["odds"])
    if any(each.pair not in PAIRS for each in odds):
        raise KeyError("odds")
    one_word = entry["one_word"]
    told = None if one_word is None else _built(OneWord, one_word)
    return _built(Promise, {**entry, "odds": odds, "one_word": told})


def _built(cls: type[T], data: Mapping[str, Any]) -> T:
    """`cls` from a JSON object with exactly its fields, each of its type."""
    types = {field.name: str(field.type) for field in fields(cls)}  # type: ignore[arg-type]
    if set(data) != set(types):
        raise KeyError(cls.__name__)
    return cls(**{name: _typed(data[name], types[name]) for name in types})


def _typed(value: Any, kind: str) -> Any:
    """`value`, if JSON can hold it for a field of that type."""
    if kind.startswith("dict"):
        if not isinstance(value, dict) or not {*map(type, value.values())} <= {int, float, str}:
            raise TypeError(kind)
        return {name: _counted(each) for name, each in value.items()}
    if kind == "tuple[str, ...]":
        return tuple(_typed(each, "str") for each in _typed(value, "list"))
    if kind == "float | None" and value is None:
        return None
    if kind.startswith("float"):
        return float(_typed(value, "number"))
    if kind in PLAIN and type(value) not in PLAIN[kind]:
        raise TypeError(kind)
    return _counted(value)


def _counted(value: Any) -> Any:
    """`value`, unless it is a whole number beyond those that are counted with."""
    if type(value) is int and abs(value) >= 1 << 63:
        raise OverflowError
    return value
