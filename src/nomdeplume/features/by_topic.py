"""Public texts with their topics, as counts of kept words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.features.scores import Floats, Ids
from nomdeplume.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class ByTopic:
    """How often each text holds each kept word, and which topic it is about.

    A column stands for a kept word, in the order of `vocabulary.ids`; topics are numbered in
    alphabetical order of their names.
    """

    counts: Any  # (n, words), sparse
    topic: Ids  # (n,)
    vocabulary: Vocabulary

    @classmethod
    def of(cls, bags: Iterable[Bag], topics: Iterable[Any], vocabulary: Vocabulary) -> ByTopic:
        """Bags of kept words, each with the name of its topic."""
        found, names = list(bags), [_name(topic) for topic in topics]
        if len(found) != len(names):
            raise InputError(
                f"every text needs one topic, got {len(found):,} texts and {len(names):,} topics."
            )
        if lacking := names.count(""):
            raise InputError(
                f"every text needs a topic, got {lacking:,} of {len(names):,} without one; "
                "leave these texts out."
            )
        told_apart, topic = np.unique(np.array(names, dtype=object), return_inverse=True)
        if len(told_apart) < 2:
            raise InputError(f"texts must be of at least 2 topics, got {len(told_apart)}.")
        return cls(_counted(found, vocabulary), topic.astype(np.int64), vocabulary)

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def topics(self) -> int:
        return int(self.topic.max()) + 1

    @cached_property
    def texts(self) -> Floats:
        """Texts of each topic, (topics,)."""
        return np.bincount(self.topic, minlength=self.topics).astype(np.float64)

    @cached_property
    def members(self) -> Any:
        """Which text is of which topic: (topics, n), sparse ones."""
        places = (self.topic, np.arange(len(self)))
        return sparse.csr_array((np.ones(len(self)), places), shape=(self.topics, len(self)))

    @cached_property
    def present(self) -> Any:
        """Texts of each topic that hold each word, (topics, words), sparse."""
        there = self.counts.copy()
        there.data = np.ones_like(there.data)
        return self.members @ there

    def only(self, columns: Ids) -> ByTopic:
        """The same texts, of whose words only those in some columns are left."""
        left = self.counts.copy()
        left.data[~np.isin(left.indices, columns)] = 0
        left.eliminate_zeros()
        return replace(self, counts=left)


def _name(topic: Any) -> str:
    """What a topic is called; nothing, if it is missing as frames have it: None, NaN, NA, empty."""
    missing = topic is None or type(topic).__name__ in ("NAType", "NaTType")
    return "" if missing or (isinstance(topic, float) and isnan(topic)) else str(topic).strip()


def _counted(bags: list[Bag], vocabulary: Vocabulary) -> Any:
    ends = np.cumsum([0, *(len(bag.ids) for bag in bags)])
    ids: NDArray[Any] = np.concatenate([bag.ids for bag in bags])
    counts = np.concatenate([bag.counts for bag in bags]).astype(np.float64)
    columns = np.searchsorted(vocabulary.ids, ids)
    return sparse.csr_array((counts, columns, ends), shape=(len(bags), len(vocabulary)))
