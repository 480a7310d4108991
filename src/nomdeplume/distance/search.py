"""The nearest documents of a corpus, the distances of most of which are never computed."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

import numpy as np

from nomdeplume.distance.bounds import centroid
from nomdeplume.distance.cloud import Floats, Ints
from nomdeplume.distance.kinds import KINDS, Kind
from nomdeplume.distance.query import HELD, Query
from nomdeplume.errors import whole

VISITED = 64  # documents whose bounds are computed at a time
ROUNDING = 1e-12  # of a distance and of the corpus: what a bound must pass by more than


@dataclass(frozen=True, eq=False)
class Found:
    """The nearest documents of a corpus, the nearest first; of equals, those with lower numbers."""

    documents: Ints
    distances: Floats
    computed: int  # exact distances
    of: int  # documents that were compared

    @property
    def pruned(self) -> float:
        """The share of documents whose distance was never computed."""
        return 1 - self.computed / self.of if self.of else 0.0


def nearest(query: Query, count: int, itself: int | None = None) -> Found:
    """Documents in the order of their lower bounds, until these pass the distances found."""
    corpus = query.corpus
    query, kind = query.holding(len(corpus.rows)), KINDS[corpus.metric]
    least = np.maximum(centroid(query.mean, corpus.means), query.relaxed(kind.gather))
    order = np.argsort(least, kind="stable")
    order = order if itself is None else order[order != itself]
    longest = int(np.diff(corpus.starts).max())
    room = max(1, min(VISITED, HELD // (longest * len(query))))
    best, start = _Best(whole("count", count), ROUNDING * corpus.radius), 0
    while start < len(order) and least[order[start]] <= best.limit:
        chunk = order[start : start + room]
        _visit(query, kind, chunk[least[chunk] <= best.limit], best)
        start += len(chunk)
    documents = np.array([number for _, number in best.found], np.int64)
    distances = np.array([distance for distance, _ in best.found])
    return Found(documents, distances, best.computed, len(order))


def _visit(query: Query, kind: Kind, chunk: Ints, best: _Best) -> None:
    """Compute the distances of those documents whose bounds do not pass what was found."""
    batch, low = query.batch(chunk), np.zeros(len(chunk))
    for bound in kind.bounds:
        low = bound(batch.costs, batch.first.shares, batch.second.shares)
        keep = np.flatnonzero(low <= best.limit)
        batch, chunk, low = batch[keep], chunk[keep], low[keep]
    for place in np.argsort(low, kind="stable").tolist():
        if low[place] <= best.limit:
            best.add(kind.distance(batch.problem(place)), int(chunk[place]))


@dataclass
class _Best:
    """The nearest documents so far, and what a bound must pass to leave one out."""

    count: int
    slack: float
    found: list[tuple[float, int]] = field(default_factory=list)
    computed: int = 0
    limit: float = np.inf

    def add(self, distance: float, number: int) -> None:
        insort(self.found, (distance, number))
        del self.found[self.count :]
        self.computed += 1
        if len(self.found) == self.count:
            self.limit = self.found[-1][0] * (1 + ROUNDING) + self.slack
