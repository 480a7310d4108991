"""Scores of the texts of a library for a private text: they decide how useful a release is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.library.library import Library
from nomdeplume.library.model import Model
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

RARE = 1e-3  # the chance of a word at which its weight is a half
SHARED = 2  # directions that texts of all subjects share: how formal and how personal they are
FIELD = 2.0  # what the field of a text counts beside the text itself
MOST_READ = 1 << 20  # characters of a text that are read: scoring takes bounded time
ASKED, TOGETHER = 1_000, 50  # texts of a library that are scored against the others


class Score(Protocol):
    """Scores every text of a library for private texts; a higher score fits better."""

    @property
    def name(self) -> str:
        """The kind of score, with a hash of what was fitted for it, for certificates."""

    def __call__(self, texts: Sequence[str]) -> Floats:
        """A row of scores for each text, (n, M)."""

    def best(self, odds: int) -> int:
        """The usual number k of best texts at these odds, found on the library alone."""


def score_of(library: Library, vocabulary: Vocabulary) -> Score:
    """The score that a library was built with, or that of the embedding table."""
    if library.model is None:
        return ByTable(library, vocabulary)
    return ByTopic(library, library.model)


@dataclass(frozen=True, eq=False)
class ByTopic:
    """The probability of a library text's topic, by a classifier fitted on the library."""

    library: Library
    model: Model

    @property
    def name(self) -> str:
        return f"topics {self.model.fingerprint[:16]}"

    def __call__(self, texts: Sequence[str]) -> Floats:
        return self.model.probabilities(_read(texts))[:, self._topics]

    def best(self, odds: int) -> int:
        return self.model.best(odds, len(self.library))

    @cached_property
    def _topics(self) -> Ids:
        """The number of each text's topic."""
        number = {topic: i for i, topic in enumerate(self.model.topics)}
        return np.array([number[each.field] for each in self.library.passages])


@dataclass(frozen=True, eq=False)
class ByTable:
    """Cosine with a text's weighted mean vector, plus that with the mean of the text's field.

    Means are without the directions that all texts share. Rare words weigh more: a/(a + p) for a
    word with the chance p, which is taken from its place in the table (Zipf's law). Nothing but
    the library and the table goes into it.
    """

    library: Library
    vocabulary: Vocabulary
    name: str = "table and fields"

    def __call__(self, texts: Sequence[str]) -> Floats:
        bags = list(self.vocabulary.bags(_read(texts)))
        found = self._directions(self._means(bags)) @ self._places.T
        found[[not len(bag) for bag in bags]] = 0  # all equal: the first texts are its best ones
        return np.asarray(found)

    def best(self, odds: int) -> int:
        return best_of(ranked(self._of_texts, self._places), odds)

    @cached_property
    def _places(self) -> Floats:
        """The direction of each text plus that of its field, (M, k)."""
        number = {field: i for i, field in enumerate(self.library.fields)}
        fields = np.array([number[each.field] for each in self.library.passages])
        sums = np.zeros((len(number), self._of_texts.shape[1]))
        np.add.at(sums, fields, self._of_texts)
        return np.asarray(self._of_texts + FIELD * _unit(sums)[fields])

    @cached_property
    def _of_texts(self) -> Floats:
        return self._directions(self._library_means)

    def _directions(self, means: Floats) -> Floats:
        """Unit vectors of means, as seen from the middle of the library."""
        moved = means - self._library_means.mean(axis=0)
        return _unit(moved - moved @ self._shared.T @ self._shared)

    @cached_property
    def _shared(self) -> Floats:
        """Main directions of the library's means, (SHARED, k)."""
        centred = self._library_means - self._library_means.mean(axis=0)
        return np.asarray(np.linalg.svd(centred, full_matrices=False)[2][:SHARED])

    @cached_property
    def _library_means(self) -> Floats:
        texts = (each.all_words for each in self.library.passages)
        return self._means(list(self.vocabulary.bags(texts)))

    def _means(self, bags: Sequence[Bag]) -> Floats:
        """The weighted mean vector of each bag, (n, k); 0 for an empty one."""
        means = np.zeros((len(bags), self.vocabulary.table.dimensions))
        for row, bag in enumerate(bags):
            if len(bag):
                weights = self._weights[bag.ids] * np.sqrt(bag.counts)
                means[row] = weights @ self.vocabulary.table.vectors[bag.ids] / weights.sum()
        return means

    @cached_property
    def _weights(self) -> Floats:
        """a/(a + p) for each word of the table."""
        chances = 1 / (np.arange(len(self.vocabulary.table)) + 10.0)
        chances /= chances.sum()
        return RARE / (RARE + chances)


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _read(texts: Sequence[str]) -> list[str]:
    return [text[:MOST_READ] for text in texts]


def ranked(texts: Floats, places: Floats) -> Floats:
    """The mean of the best score of a library text, of its second best, and so on, (M − 1,).

    Each of some evenly spaced texts is scored against all others.
    """
    some = np.arange(0, len(places), max(1, len(places) // ASKED))
    total = np.zeros(len(places) - 1)
    for start in range(0, len(some), TOGETHER):
        rows = some[start : start + TOGETHER]
        scores = texts[rows] @ places.T
        scores[np.arange(len(rows)), rows] = -np.inf
        total -= np.sort(-scores, axis=1)[:, :-1].sum(axis=0)
    return total / len(some)


def best_of(scores: Floats, odds: int) -> int:
    """The number k of best texts with the highest mean score of a release.

    With s = k/M, that mean is ((w − 1)·∫₀ˢu + μ)/(1 + s·(w − 1)), where u is the score at a share
    of the ranking and μ its mean.
    """
    size = len(scores) + 1
    k = np.arange(1, size - 1)
    above = (odds - 1) * np.cumsum(scores)[: size - 2] / size + scores.mean()
    return int(k[np.argmax(above / (1 + (odds - 1) * k / size))])
