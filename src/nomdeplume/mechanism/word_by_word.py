"""Documents from any word mechanism: a text is reduced to N words, each released by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import isfinite

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, Item
from nomdeplume.devices import possible
from nomdeplume.distance import Euclidean
from nomdeplume.errors import InputError
from nomdeplume.mechanism.contract import (
    BagOfWords,
    Declaration,
    DocumentMechanism,
    Form,
    Mechanism,
    Parameter,
    Released,
    Settings,
)
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.guarantee import BETWEEN, Guarantee
from nomdeplume.privacy.promise import OneWord
from nomdeplume.privacy.random import seeded
from nomdeplume.reduction import REDUCTIONS, Reduction, chosen
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

EUCLIDEAN = Euclidean()
MANY = 1 << 18  # words released together where there may be a GPU
TRIED = 400  # words on which it is measured how many stay
WORK = 1e10  # operations that this may take, about
COMMON, SOME = 5_000, 1_000  # words whose usual distance is stated; those that are compared


@dataclass(frozen=True, eq=False)
class WordByWord:
    """Releases each of the `size` words that a text is reduced to by a word mechanism."""

    words: Mechanism
    vocabulary: Vocabulary
    size: int
    reduction: str  # a name in REDUCTIONS
    of_texts: int = 1
    advice: str = ""
    exact: bool = False
    kept_words: bool = True
    blanket: None = None
    read_as: None = None
    by_ticket: None = None

    @property
    def name(self) -> str:
        return self.words.name

    @property
    def parameter(self) -> Parameter:
        return self._declaration.parameter

    @property
    def value(self) -> float:
        return self.words.guarantee.epsilon

    @property
    def settings(self) -> Settings:
        return self.words.settings

    @property
    def covers(self) -> str:
        return self._declaration.covers

    @cached_property
    def form(self) -> Form:
        return self._bags

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return self._reduction.guarantees(self.words.guarantee, self.size, self.vocabulary)

    @property
    def distance(self) -> str:
        return distance_of(self.words, self.vocabulary, self._reduction.compared(self.size))

    @property
    def metric(self) -> str:
        return metric_of(self.words)

    @cached_property
    def unchanged(self) -> float:
        """Measured on public words under a public stream, so it tells nothing about any text.

        Each of them several times where the table is small enough for that to be quick.
        """
        table = self.vocabulary.table
        draws = int(np.clip(WORK / (2 * len(table) * table.dimensions), TRIED, 5 * TRIED))
        ids = np.resize(self.vocabulary.ids[:TRIED], draws)
        return float((self.words.release(ids, seeded(0)) == ids).mean())

    @cached_property
    def agreement(self) -> float | None:
        """Measured like the share that stays."""
        if self._declaration.agreement is None:
            return None
        ids = np.resize(self.vocabulary.ids[: 10 * TRIED], 10 * TRIED)
        return self._declaration.agreement(ids, seeded(0))

    @cached_property
    def batch(self) -> int:
        """Enough words for a few large matrix products."""
        return max(1, self._declaration.together // self.size)

    @property
    def many(self) -> int:
        return max(self.batch, MANY // self.size) if possible() else self.batch

    @property
    def per_worker(self) -> int:
        return max(self.batch, self.many)

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism:
        """The same mechanism for another vocabulary, size or reduction."""
        fits(self.words, vocabulary)
        able = self._declaration.reductions
        reduction = chosen(reduction or self.reduction, able, self.name)
        return replace(self, vocabulary=vocabulary, size=size, reduction=reduction)

    @property
    def at(self) -> Callable[[float], Mechanism] | None:
        return self._declaration.at

    def item(self, text: str) -> Bag:
        return self.vocabulary.bag(text)

    def release(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        vocabulary, bags = self.vocabulary, self.vocabulary.bagged(items)
        filled = [vocabulary.or_public(bag) for bag in bags]
        reduced = self._reduction.reduce(filled, self.size, vocabulary, rng)  # (n, size)
        ids = self.words.release(reduced.ravel(), rng).reshape(reduced.shape)
        return [
            Released(text, kept=bool(len(bag)))
            for text, bag in zip(self._bags.texts(ids), bags, strict=True)
        ]

    def log_chances(self, released: Sequence[Released], items: Sequence[Item]) -> None:  # noqa: ARG002 - that of words is known
        return None

    def account(self, x: Item, y: Item) -> Account | None:
        law = self._declaration.laplace
        return law and self._reduction.account(law, self.size, self.vocabulary, x, y)

    def any_two(self) -> Account | None:
        if self._declaration.laplace is None:
            return None
        epsilon, dimensions = self._declaration.laplace
        one = Account.of_bags(epsilon, [self.vocabulary.diameter], dimensions)
        return one.over_releases(self.size)

    def one_word(self) -> OneWord | None:
        """ε·d for each word that a text is reduced to, whatever the others are."""
        guarantee, vocabulary = self.words.guarantee, self.vocabulary
        metric, ids = guarantee.ground("words"), common(vocabulary)
        farthest = metric.widest(lambda: vocabulary.diameter)
        if not isfinite(farthest):
            return None
        places = metric.places(vocabulary.table.vectors[ids].astype(np.float64), ids)
        usual = guarantee.epsilon * median(metric.apart(places, places))
        drawn = self._reduction.drawn
        return OneWord.of(guarantee.epsilon * farthest, usual, size=self.size, drawn=drawn)

    @property
    def _declaration(self) -> Declaration:
        return self.words.declaration

    @property
    def _reduction(self) -> Reduction:
        return REDUCTIONS[self.reduction]

    @cached_property
    def _bags(self) -> BagOfWords:
        return bag_of_words(self.words, self.vocabulary, self.size)


def word_by_word(
    mechanism: Mechanism, vocabulary: Vocabulary, size: int, reduction: str
) -> WordByWord:
    """Documents of `size` words by a word mechanism: the `documents` of most of them."""
    able = mechanism.declaration.reductions
    fits(mechanism, vocabulary)
    return WordByWord(mechanism, vocabulary, size, chosen(reduction, able, mechanism.name))


def bag_of_words(
    mechanism: Mechanism, vocabulary: Vocabulary, size: int, grid: float = 0.0
) -> BagOfWords:
    """The form of releases of `size` words that a mechanism may release."""
    outputs = vocabulary.ids if mechanism.outputs is None else mechanism.outputs
    return BagOfWords(vocabulary, size, np.unique(outputs), grid)


def fits(mechanism: Mechanism, vocabulary: Vocabulary) -> None:
    """Refuse a mechanism that is not made for all kept words, or may release others."""
    if mechanism.table is not vocabulary.table:
        raise InputError("the mechanism and the vocabulary must have the same table.")
    inputs = mechanism.declaration.inputs
    if inputs is not None and not np.isin(vocabulary.ids, inputs).all():
        raise InputError(
            "the mechanism is not made for all kept words, so that it would refuse some texts; "
            "give it inputs=vocabulary.ids."
        )
    if not vocabulary.holds(mechanism.outputs):
        raise InputError(
            "the mechanism may release words outside the kept vocabulary; "
            "give it outputs=vocabulary.ids."
        )


def metric_of(mechanism: Mechanism) -> str:
    """The distance between two words that a mechanism's guarantee is about, in words."""
    metric = mechanism.guarantee.ground("certificates")
    if metric.steps:
        return f"{metric.name}: {metric.meaning}"
    return f"{metric.name} between the table's vectors as they are"


def distance_of(mechanism: Mechanism, vocabulary: Vocabulary, compared: str) -> str:
    """The distance that budgets count in: between which bags, by which metric of which table."""
    table, metric = vocabulary.table, mechanism.guarantee.metric
    words = f"{metric_of(mechanism)}, {table.name} {table.fingerprint[:16]}"
    if metric == EUCLIDEAN:
        return f"{BETWEEN}{compared}: {words}"
    settings = {"mechanism": mechanism.name, **mechanism.settings}
    digest = sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    return f"{BETWEEN}{compared}: {words}, {digest}"


def common(vocabulary: Vocabulary) -> Ids:
    """Common kept words, evenly thinned: a table has its words in order of frequency."""
    ids = vocabulary.ids[:COMMON]
    return ids[:: max(1, len(ids) // SOME)]


def median(away: Floats) -> float:
    """Median of the distances of all pairs, from a square of them; 0 if there is one word."""
    pairs = away[np.triu_indices(len(away), 1)]
    return float(np.median(pairs)) if len(pairs) else 0.0
