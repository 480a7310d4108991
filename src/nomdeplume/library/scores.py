"""Scores of the texts of a library for a private text: they decide how useful a release is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.library.library import Library
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]

RARE = 1e-3  # the chance of a word at which its weight is a half
SHARED = 1  # directions that all texts share, which tell nothing
MOST_READ = 1 << 20  # characters of a text that are read: scoring takes bounded time
ASKED, TOGETHER = 1_000, 50  # texts of a library that are scored against the others


class Score(Protocol):
    """Scores every text of a library for private texts; a higher score fits better."""

    @property
    def name(self) -> str: ...

    def __call__(self, texts: Sequence[str]) -> Floats:
        """A row of scores for each text, (n, M)."""


@dataclass(frozen=True, eq=False)
class ByTable:
    """Cosine of weighted mean vectors, without the direction that all texts share.

    Rare words weigh more: a/(a + p) for a word with the chance p, which is taken from its place
    in the table (Zipf's law). Nothing but the library and the table goes into it.
    """

    library: Library
    vocabulary: Vocabulary
    name: str = "table"

    def __call__(self, texts: Sequence[str]) -> Floats:
        bags = self.vocabulary.bags(text[:MOST_READ] for text in texts)
        return np.asarray(self._directions(self._means(bags)) @ self._places.T)

    @cached_property
    def ranked(self) -> Floats:
        """The mean of the best score of a text of the library, of its second best, and so on.

        Each of some evenly spaced texts is scored against all others, (M − 1,).
        """
        some = np.arange(0, len(self.library), max(1, len(self.library) // ASKED))
        total = np.zeros(len(self.library) - 1)
        for start in range(0, len(some), TOGETHER):
            rows = some[start : start + TOGETHER]
            scores = self._places[rows] @ self._places.T
            scores[np.arange(len(rows)), rows] = -np.inf
            total -= np.sort(-scores, axis=1)[:, :-1].sum(axis=0)
        return total / len(some)

    @cached_property
    def _places(self) -> Floats:
        return self._directions(self._library_means)

    def _directions(self, means: Floats) -> Floats:
        """Unit vectors of means, as seen from the middle of the library; 0 for an empty text."""
        moved = means - self._library_means.mean(axis=0)
        moved -= moved @ self._shared.T @ self._shared
        return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12))

    @cached_property
    def _shared(self) -> Floats:
        """Main directions of the library's means, (SHARED, k)."""
        centred = self._library_means - self._library_means.mean(axis=0)
        return np.asarray(np.linalg.svd(centred, full_matrices=False)[2][:SHARED])

    @cached_property
    def _library_means(self) -> Floats:
        return self._means(self.vocabulary.bags(each.all_words for each in self.library.passages))

    def _means(self, bags: Iterable[Bag]) -> Floats:
        """The weighted mean vector of each bag, (n, k); 0 for an empty one."""
        found = list(bags)
        means = np.zeros((len(found), self.vocabulary.table.dimensions))
        for row, bag in enumerate(found):
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


def usual_best(score: ByTable, odds: int) -> int:
    """The number k of best texts that is usual for a library at these odds, for its own texts.

    With s = k/M, the mean score of a release is ((w − 1)·∫₀ˢu + μ)/(1 + s·(w − 1)), where u is the
    score at a share of the ranking and μ its mean; k is where this is largest. Each text of the
    library is scored against the others, so no private text has a part in it.
    """
    ranked, size = score.ranked, len(score.library)
    k = np.arange(1, size - 1)
    above = (odds - 1) * np.cumsum(ranked)[: size - 2] / size + ranked.mean()
    return int(k[np.argmax(above / (1 + (odds - 1) * k / size))])
