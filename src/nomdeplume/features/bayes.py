"""How well topics are told from words: naive Bayes, each text by what the others taught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.scores import Floats, Ids, ranked

FOLDS = 5
SMOOTHING = 0.1  # added to every count, so that a word that a topic lacks does not exclude it


@dataclass(frozen=True, eq=False)
class Fold:
    """A part of the texts to test on, and what the rest teaches; words best first, as it has it."""

    taught: Any  # (topics, words) counts of the rest, sparse by columns
    prior: Floats  # (topics,) texts of the rest
    tested: Any  # (n, words) counts, sparse by columns
    topic: Ids  # (n,)

    def right(self, size: int) -> int:
        """Tested texts whose topic is told from the first `size` words.

        ln P(topic | text) = ln P(topic) + Σ count·ln P(word | topic) + what no topic changes.
        """
        counts = self.taught[:, :size].toarray() + SMOOTHING
        chances = np.log(counts / counts.sum(axis=1, keepdims=True))  # (topics, size)
        told = self.tested[:, :size] @ chances.T + np.log(self.prior)
        return int((told.argmax(axis=1) == self.topic).sum())


def folds(texts: ByTopic, method: str) -> list[Fold]:
    """Each fifth of the texts, in turn, tested by the rest.

    Words are ranked by the rest alone: who ranks them by all texts has seen the answers.
    """
    part = _parts(texts)
    return [_fold(texts, part == number, method) for number in range(min(FOLDS, part.max() + 1))]


def accuracy(tested: list[Fold], size: int) -> float:
    """Share of all texts whose topic is told from the best `size` words."""
    return sum(fold.right(size) for fold in tested) / sum(len(fold.topic) for fold in tested)


def smallest(tested: list[Fold], least: float, most: int) -> int:
    """The smallest number of words with at least that accuracy: sizes double, then are halved.

    Accuracy grows with words but for chance, so between the first size that is enough and
    the last that is not, halving finds one where a word less is not enough.
    """
    enough = next(size for size in _doubled(most) if accuracy(tested, size) >= least)
    lacking = enough // 2 if enough < most else _last(most)
    while enough - lacking > 1:
        middle = (enough + lacking) // 2
        if accuracy(tested, middle) >= least:
            enough = middle
        else:
            lacking = middle
    return enough


def _doubled(most: int) -> Iterator[int]:
    size = 1
    while size < most:
        yield size
        size *= 2
    yield most


def _last(most: int) -> int:
    """The size before the last: the largest power of two below it."""
    return max((size for size in _doubled(most) if size < most), default=0)


def _parts(texts: ByTopic) -> Ids:
    """Which part each text is tested in: dealt out topic by topic, after a public shuffle."""
    shuffled = np.random.default_rng(0).permutation(len(texts))
    by_topic = shuffled[np.argsort(texts.topic[shuffled], kind="stable")]
    starts = np.cumsum(texts.texts) - texts.texts
    part = np.empty(len(texts), dtype=np.int64)
    part[by_topic] = (np.arange(len(texts)) - np.repeat(starts, texts.texts.astype(int))) % FOLDS
    return part


def _fold(texts: ByTopic, mine: Any, method: str) -> Fold:
    rest = ByTopic(texts.counts[~mine], texts.topic[~mine], texts.vocabulary)
    order, _ = ranked(rest.present, rest.texts, method)
    taught = (rest.members @ rest.counts).tocsc()[:, order]
    return Fold(taught, rest.texts, texts.counts[mine].tocsc()[:, order], texts.topic[mine])
