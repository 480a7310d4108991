"""What is known of words before any is released: how often public texts use them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from nomdeplume.decode import zipf
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]

BY_PLACE = "by place in the table"


def by_place(vocabulary: Vocabulary) -> Floats:
    """Kept words by their place in the table, which lists the commonest first; adds up to 1."""
    return _kept(zipf(vocabulary.table), vocabulary)


def by_texts(texts: Iterable[str], vocabulary: Vocabulary) -> Floats:
    """Kept words as public texts use them, and a hundredth by place, so that none is excluded."""
    counts = np.zeros(len(vocabulary.table))
    for bag in vocabulary.bags(texts):
        counts[bag.ids] += bag.counts
    if not counts.any():
        return by_place(vocabulary)
    return 0.99 * _kept(counts, vocabulary) + 0.01 * by_place(vocabulary)


def _kept(weights: Floats, vocabulary: Vocabulary) -> Floats:
    prior = np.zeros(len(vocabulary.table))
    prior[vocabulary.ids] = weights[vocabulary.ids]
    return np.asarray(prior / prior.sum())
