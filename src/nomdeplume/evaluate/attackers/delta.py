"""Burrows's Delta: an author is a habit of using frequent words more or less than others do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist

from nomdeplume.errors import InputError, got
from nomdeplume.evaluate.attackers.attacker import Attacker, Floats, means
from nomdeplume.evaluate.families import word_based

METRICS = ("burrows", "cosine")


class Delta(Attacker):
    """The author whose mean text is nearest, in deviations of the most frequent words.

    A word's share of a text is told as z = (share − mean)/deviation, so that a rare word that an
    author likes weighs as much as *the*. Mean and deviation count every author the same, however
    many texts each has. `burrows` is the mean of |z − z′| over words, `cosine` 1 − cos(z, z′).
    """

    def __init__(self, metric: str = "burrows", words: int = 500) -> None:
        self.metric = metric
        self.words = words

    def fit(self, texts: Sequence[str], authors: Sequence[Any]) -> Self:
        if self.metric not in METRICS:
            raise InputError(f"metric must be {' or '.join(METRICS)}, got {got(self.metric)}.")
        author = self._met(authors)
        counts = list(map(word_based, texts))
        self.ids_ = _most_frequent(counts, self.words)
        shares = _shares(counts, self.ids_)  # (n, words)
        of_authors = means(shares, author)  # (authors, words)
        self.mean_ = of_authors.mean(axis=0)
        deviation = np.sqrt(means((shares - self.mean_) ** 2, author).mean(axis=0))
        told = deviation > 1e-12  # a word with one share in all texts tells nobody apart
        self.scale_ = np.divide(1, deviation, out=np.zeros_like(deviation), where=told)
        self.authors_ = (of_authors - self.mean_) * self.scale_
        return self

    def decision_function(self, texts: Sequence[str]) -> Floats:  # (n, authors)
        z = (_shares(list(map(word_based, texts)), self.ids_) - self.mean_) * self.scale_
        if self.metric == "cosine":
            return _unit(z) @ _unit(self.authors_).T - 1
        return np.asarray(-cdist(z, self.authors_, "cityblock") / z.shape[1])


def _most_frequent(counts: Sequence[dict[str, int]], most: int) -> dict[str, int]:
    """The words with the largest mean share of a text, each with its column.

    A text counts the same whatever its length; equal words go by the alphabet. There is always
    a column, so that training texts without words are no special case.
    """
    total: dict[str, float] = {}
    for text in counts:
        length = sum(text.values())
        for word, count in text.items():
            total[word] = total.get(word, 0.0) + count / length
    first = sorted(total, key=lambda word: (-total[word], word))[:most]
    return {word: column for column, word in enumerate(first or [""])}


def _shares(counts: Sequence[dict[str, int]], ids: dict[str, int]) -> Floats:  # (n, words)
    shares = np.zeros((len(counts), len(ids)))
    cells = [(i, ids[w], n) for i, text in enumerate(counts) for w, n in text.items() if w in ids]
    flat = np.fromiter(chain.from_iterable(cells), dtype=np.int64).reshape(-1, 3)
    shares[flat[:, 0], flat[:, 1]] = flat[:, 2]
    lengths = np.array([sum(text.values()) for text in counts], dtype=np.float64)
    return np.asarray(shares / lengths.clip(min=1)[:, None])


def _unit(rows: Floats) -> Floats:
    """Rows of length 1; a row of zeros, like that of a mean text, stays one."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))
