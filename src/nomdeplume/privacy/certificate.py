"""The certificate of a release: what was done and what is promised, computed, in numbers and words.

It holds no word of any text, nothing about single documents and no count of
what was left out: it is as safe to publish as the release itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from math import exp, log
from pathlib import Path
from textwrap import fill as wrapped
from typing import Any, TypeVar

from numpy.random import Generator

from nomdeplume._version import __version__
from nomdeplume.bag import Bag, apportion
from nomdeplume.distance import WordMover
from nomdeplume.errors import InputError
from nomdeplume.mechanism import Mechanism
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import SECURE, SEEDED, is_private
from nomdeplume.vocabulary import Vocabulary

T = TypeVar("T")
fill = partial(wrapped, width=90)

FORMAT = 1
PLAIN = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
NOT_PRIVATE = (
    "NOT PRIVATE: made with a known seed, so anyone can undo the noise and no promise holds"
)
PAIRS = {
    "near": "two near public texts",
    "typical": "two typical ones",
    "far": "two far ones",
    "any": "any two at all",
}
WEAK = (
    "Factors this large bound the worst case only in form: whether an author is recognised in "
    "practice is a question for an attack. A smaller budget promises more."
)
REFERENCES = Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class Odds:
    """What a promise means for one pair of public texts."""

    pair: str  # near, typical, far: reference texts; any: the farthest two bags there are
    distance: float
    loss: float  # nats

    @property
    def factor(self) -> str:
        """The largest factor by which one release can shift the odds between the two."""
        if self.loss < log(1000):
            return f"{exp(self.loss):.3g}"
        return f"e^{self.loss:.0f} (about 10^{self.loss / log(10):.0f})"


@dataclass(frozen=True)
class Promise:
    """A guarantee as a formula, as a sentence, and as odds between public texts."""

    budget: float
    metric: str
    between: str
    formula: str
    proofs: tuple[str, ...]
    sentence: str
    odds: tuple[Odds, ...]

    def plainly(self) -> str:
        """The sentence, the odds that it allows between public texts, and a fair word on them."""
        rows = [f"  {PAIRS[odds.pair]:<24}{odds.factor}" for odds in self.odds]
        weak = self.odds[0].loss > 10
        return "\n".join([fill(self.sentence), *rows, *([fill(WEAK)] if weak else [])])


@dataclass(frozen=True)
class Output:
    """What was written: its kind (text, jsonl or folder) and the SHA-256 of its bytes.

    A folder is hashed as the sorted lines `<sha256>  <relative name>` of its files.
    """

    kind: str
    sha256: str


@dataclass(frozen=True)
class Certificate:
    """What was done and what is promised, for one release of any number of documents."""

    format: int
    program: str
    private: bool
    warning: str
    mechanism: str
    epsilon: float
    size: int
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
    empty_documents: str
    documents: int
    generator: str
    seeded: bool
    output: Output
    promises: tuple[Promise, ...]
    several_documents: str
    limits: tuple[str, ...]

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a certificate back; anything missing, extra or of another type is refused."""
        try:
            data = json.loads(text)
        except ValueError:
            raise InputError("a certificate must be JSON; this file is not.") from None
        if not isinstance(data, dict) or "format" not in data or "promises" not in data:
            raise InputError("this JSON is not a certificate of nomdeplume.")
        if data["format"] != FORMAT:
            raise InputError(
                f"this program reads certificates of format {FORMAT}, got {data['format']!r}; "
                "use the version of nomdeplume that made it."
            )
        try:
            data["output"] = _built(Output, data["output"])
            data["promises"] = tuple(_promise(entry) for entry in data["promises"])
            data["limits"] = tuple(data["limits"])
            return _built(cls, data)
        except (KeyError, TypeError):
            raise InputError("the certificate lacks a field or has one of another type.") from None


def certify(
    vocabulary: Vocabulary,
    mechanism: Mechanism,
    promises: tuple[Promise, ...],
    *,
    size: int,
    reduction: str,
    empty: str,
    documents: int,
    rng: Generator,
    output: Output,
) -> Certificate:
    """The certificate of a release, from the parts that made it."""
    table = vocabulary.table
    private = is_private(rng)
    return Certificate(
        format=FORMAT,
        program=f"nomdeplume {__version__}",
        private=private,
        warning="" if private else NOT_PRIVATE,
        mechanism=mechanism.name,
        epsilon=mechanism.guarantee.epsilon,
        size=size,
        budget=promises[-1].budget,
        reduction=reduction,
        metric=f"{mechanism.guarantee.metric.name} between the table's vectors as they are",
        table=table.name,
        table_language=table.language,
        table_words=len(table),
        table_dimensions=table.dimensions,
        table_fingerprint=table.fingerprint,
        stop_words=vocabulary.stop_words.name,
        kept_words=len(vocabulary),
        kept_fingerprint=vocabulary.fingerprint,
        empty_documents=EMPTY[empty],
        documents=documents,
        generator=SECURE if private else SEEDED,
        seeded=not private,
        output=output,
        promises=promises,
        several_documents=SEVERAL,
        limits=LIMITS,
    )


EMPTY = {
    "public": "a text without kept words was released as a fixed public bag, like any other",
    "withhold": "a text without kept words was withheld, which reveals that it had none",
}
SEVERAL = (
    "Each document is a release of its own and losses add up: whoever wrote m of these documents, "
    "or one document released m times, can lose m times what is stated here."
)
LIMITS = (
    "Every statement is about bags of kept words: words that the table knows and that are no "
    "stop words. Deleting the others is not covered by it.",
    "Topic is kept on purpose, and a topic can point to an author.",
    "That a document exists, how many there are, their ids and kept fields are not hidden.",
    "The mechanism is one of real numbers; float arithmetic follows it up to rounding.",
)


def state(guarantee: Guarantee, vocabulary: Vocabulary, size: int) -> Promise:
    """A guarantee as a promise: what it says, and what it means between public texts."""
    return Promise(
        budget=guarantee.epsilon,
        metric=guarantee.metric.name,
        between=guarantee.between,
        formula=f"loss ≤ {guarantee.formula}",
        proofs=guarantee.proofs,
        sentence=(
            f"Between {guarantee.between}, one released document shifts anyone's odds by at most "
            f"a factor of exp({guarantee.formula}), where {guarantee.metric.symbol} is their "
            f"{guarantee.metric.name}: {guarantee.metric.meaning}."
        ),
        odds=(*_references(guarantee, vocabulary, size), _farthest(guarantee, vocabulary)),
    )


def _references(guarantee: Guarantee, vocabulary: Vocabulary, size: int) -> list[Odds]:
    """Odds between the public reference texts of the table's language, where there are any."""
    path = REFERENCES / f"reference-{vocabulary.table.language}.json"
    if not path.is_file():
        return []
    odds = []
    for pair, texts in json.loads(path.read_text(encoding="utf-8")).items():
        bags = [vocabulary.bag(text) for text in texts]
        if not all(map(len, bags)):
            continue  # a small table may know none of these words
        if isinstance(guarantee.metric, WordMover):
            bags = [_reduced(bag, vocabulary, size) for bag in bags]
        x, y = (vocabulary.table.vectors[bag.ids] for bag in bags)
        distance = guarantee.metric(x, y, bags[0].counts, bags[1].counts)
        odds.append(Odds(pair, distance, guarantee.epsilon * distance))
    return odds


def _farthest(guarantee: Guarantee, vocabulary: Vocabulary) -> Odds:
    """The plain local-DP figure: no two bags are farther apart than the table is wide."""
    width = 2 * vocabulary.table.radius
    return Odds("any", width, guarantee.epsilon * width)


def _reduced(bag: Bag, vocabulary: Vocabulary, size: int) -> Bag:
    """The bag of `size` words in the proportions of `bag`."""
    [ids] = apportion([bag], size, vocabulary.tie_order)
    return Bag.from_ids(ids)


def _promise(entry: Mapping[str, Any]) -> Promise:
    odds = tuple(_built(Odds, pair) for pair in entry["odds"])
    return _built(Promise, {**entry, "odds": odds, "proofs": tuple(entry["proofs"])})


def _built(cls: type[T], data: Mapping[str, Any]) -> T:
    """`cls` from a JSON object with exactly its fields, plain ones of their type."""
    types = {field.name: PLAIN.get(str(field.type)) for field in fields(cls)}  # type: ignore[arg-type]
    if set(data) != set(types):
        raise KeyError(cls.__name__)
    for name, plain in types.items():
        if plain and type(data[name]) not in plain:
            raise TypeError(name)
    return cls(**data)
