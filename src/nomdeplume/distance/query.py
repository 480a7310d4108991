"""A bag that the documents of a corpus are compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nomdeplume.devices import card
from nomdeplume.distance.arrays import back, namespace
from nomdeplume.distance.batch import Batch, Side
from nomdeplume.distance.cloud import Floats, Ints, Points, apart

if TYPE_CHECKING:
    from nomdeplume.distance.corpus import Corpus

HELD = 1 << 22  # distances between words that are held at a time
MORE = 1 << 23  # on a card, by each thread


@dataclass(frozen=True, eq=False)
class Query:
    """A bag, in the coordinates of a corpus; `held` are its distances to all words of that."""

    corpus: Corpus
    points: Points
    counts: Ints
    held: Floats | None = None  # (V, n)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def mean(self) -> Floats:
        return np.asarray(self.counts @ self.points.centred / self.counts.sum())

    def holding(self, words: int) -> Query:
        """The query with its distances to all words, if it meets so many and memory holds them."""
        known = len(self.corpus.points.vectors)
        if known > words or known * len(self) > HELD:
            return self
        return replace(self, held=apart(self.corpus.points, self.points))

    def batch(self, documents: Ints) -> Batch:
        """Some documents against this bag."""
        side = self.corpus.side(documents)
        shape = (len(documents), len(self))
        words, counts = np.arange(len(self)), self.counts
        own = Side(
            np.broadcast_to(words, shape),
            np.broadcast_to(counts, shape),
            np.full(len(documents), len(self)),
        )
        if self.held is not None:
            return Batch(self.held[side.rows], side, own)
        return Batch(apart(self.corpus.points[side.rows], self.points), side, own)

    def relaxed(self, gather: np.ufunc) -> Floats:
        """The ways of each document's words to the nearest here: their mean, or the longest."""
        way = self._ways()[self.corpus.rows]
        weighed = way * self.corpus.shares if gather is np.add else way
        return np.asarray(gather.reduceat(weighed, self.corpus.starts[:-1]))

    def _ways(self) -> Floats:
        """How far each word of the corpus is from the nearest here."""
        if self.held is not None:
            return np.asarray(self.held.min(axis=1))
        words, step = self.corpus.points, max(1, HELD // len(self))
        own, found = self.points, card(float(words.centred.size) * len(self))
        if found is not None:
            words, own, step = self.corpus.on(found), own.on(found), max(1, MORE // len(self))
        blocks = (words[start : start + step] for start in range(0, len(words.squared), step))
        xp = namespace(own.squared)
        return back(xp.concatenate([xp.amin(apart(block, own), axis=1) for block in blocks]))
