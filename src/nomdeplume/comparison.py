"""How far texts are apart, in the distances that promises are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nomdeplume.bag import Bag
from nomdeplume.distance import (
    Bottleneck,
    Cloud,
    Metric,
    WordMover,
    bottleneck_plan,
    word_mover_plan,
)
from nomdeplume.distance.corpus import Corpus
from nomdeplume.errors import InputError
from nomdeplume.flow import Flow, Move
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

METRICS: dict[str, Metric] = {"w1": WordMover(), "winf": Bottleneck()}
PLANS = {"w1": word_mover_plan, "winf": bottleneck_plan}


@dataclass(frozen=True, eq=False, repr=False)
class Distance:
    """The distance between the bags of kept words of two texts.

    >>> distance = Distance.of(metric="w1")
    >>> round(distance("The orchard needs rain.", "Our garden wants rain."), 3)
    2.768
    """

    vocabulary: Vocabulary
    metric: str = "w1"  # a name in METRICS

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise InputError(f"metric must be {' or '.join(METRICS)}.")
        if not isinstance(self.vocabulary, Vocabulary):
            raise InputError("vocabulary must be a Vocabulary; Distance.of takes a table.")

    @classmethod
    def of(cls, vocabulary: Vocabulary | Table | None = None, *, metric: str = "w1") -> Distance:
        """The distance on a vocabulary, on a table less the usual stop words, or on the bundled."""
        return cls(Vocabulary.given(vocabulary), metric)

    def __repr__(self) -> str:
        return f"<Distance: {METRICS[self.metric].name} on {self.vocabulary!r}>"

    def __call__(self, x: str, y: str) -> float:
        return METRICS[self.metric](self.cloud(x), self.cloud(y))

    def cloud(self, text: str | Cloud) -> Cloud:
        """The vectors of the kept words of a text, of which there must be some."""
        return text if isinstance(text, Cloud) else self.vocabulary.cloud(self._bag(text))

    def flow(self, x: str, y: str) -> Flow:
        """What moves where when one text's bag is turned into the other's, in a best plan."""
        one, two = self._bag(x), self._bag(y)
        plan = PLANS[self.metric](self.vocabulary.cloud(one), self.vocabulary.cloud(two))
        metric, words = METRICS[self.metric], self.vocabulary.table.words
        moves = [
            Move(words[one.ids[i]], words[two.ids[j]], Fraction(mass, plan.total), distance)
            for i, j, mass, distance in zip(
                plan.rows, plan.columns, plan.masses.tolist(), plan.moved.tolist(), strict=True
            )
        ]
        distance = plan.cost if self.metric == "w1" else plan.longest
        return Flow.of(moves, distance, metric.name, metric.symbol)

    def corpus(self, texts: Iterable[str]) -> Corpus:
        """Texts ready to be compared with each other, and with texts that are given later."""
        bags = enumerate(self.vocabulary.bags(texts), start=1)
        return self.of_bags([_with_words(bag, f"text {number}") for number, bag in bags])

    def of_bags(self, bags: list[Bag]) -> Corpus:
        """The same of bags that hold words."""
        if not bags:
            raise InputError("a corpus must hold at least one text, got none.")
        table, words = self.vocabulary.table, np.concatenate([bag.ids for bag in bags])
        place = np.zeros(len(table), dtype=np.int64)
        place[words] = 1
        ids = np.flatnonzero(place)  # of all words that occur, once each
        place[ids] = np.arange(len(ids))
        counts, sizes = np.concatenate([bag.counts for bag in bags]), [len(bag.ids) for bag in bags]
        vectors = table.vectors[ids].astype(np.float64)
        return Corpus.of(vectors, place[words], counts, sizes, metric=self.metric, query=self.cloud)

    def _bag(self, text: str) -> Bag:
        [bag] = self.vocabulary.bags([text])
        return _with_words(bag, "a text")


def _with_words(bag: Bag, place: str) -> Bag:
    """The bag, if it holds any."""
    if not len(bag):
        raise InputError(
            f"{place} has no kept words (words of the table that are no stop words), "
            "and so no distance to others."
        )
    return bag
