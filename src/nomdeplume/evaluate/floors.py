"""Floors: what is guessed of an author without reading a word of the release; and a ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import NDArray

from nomdeplume.evaluate.figures import Figure, figure, proportion
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.labelled import Labelled, Labels
from nomdeplume.evaluate.results import Floors

Ids = NDArray[np.int64]


def floors(corpus: Labelled, folds: Sequence[Fold]) -> Floors | None:
    """Accuracy of guesses that read nothing; None without authors."""
    authors = corpus.author
    if authors is None:
        return None
    return Floors(chance(authors), majority(authors, folds), topic_oracle(corpus, folds))


def chance(authors: Labels) -> float:
    """A guess among all authors alike."""
    return 1 / len(authors.names)


def majority(authors: Labels, folds: Sequence[Fold]) -> Figure:
    """Always the author who wrote most of the tested texts: no constant guess is better."""
    counts = np.bincount(authors.codes[np.concatenate([fold.test for fold in folds])])
    return proportion(float(counts.max()), float(counts.sum()))


def ceiling(epsilon: float, share: float) -> float:
    """The most that anyone names the author rightly from one release of plain ε on average.

    e^ε·p/(e^ε·p + 1 − p), where p is the `share` of the author with most texts; with A authors
    alike that is e^ε/(e^ε + A − 1). A release is at most e^ε times as likely for one author as
    for another, and nobody does better than to name the likeliest.
    """
    return share / (share + (1 - share) * exp(-epsilon))


def topic_oracle(corpus: Labelled, folds: Sequence[Fold]) -> Figure | None:
    """The author who wrote most of the training texts on the true topic.

    A release that keeps topics keeps at least this much: no mechanism can be asked for less.
    Who knows the topic may ignore it, so it is never below the best constant guess.
    """
    if corpus.author is None or corpus.topic is None:
        return None
    authors, topics = corpus.author, corpus.topic.codes
    shares = []
    for fold in folds:
        counts = np.zeros((int(topics.max()) + 1, len(authors.names)))
        np.add.at(counts, (topics[fold.train], authors.codes[fold.train]), 1)
        counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)
        guess = counts.argmax(axis=1)
        shares.append((guess[topics[fold.test]] == authors.codes[fold.test]).mean())
    sizes = np.array([len(fold.test) for fold in folds], dtype=np.float64)
    told = figure(np.array([shares]), sizes, count=float(sizes.sum()))
    return max(told, majority(authors, folds), key=lambda each: each.value)
