"""Many bags: all distances between them, and the nearest to one, most of them never computed."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from nomdeplume.distance.bounds import centroid, priced, relaxed_longest, smoothed
from nomdeplume.distance.cheapest import cheapest_move
from nomdeplume.distance.cloud import Cloud, Floats, Ints, distances
from nomdeplume.distance.narrowest import threshold
from nomdeplume.distance.plan import Problem
from nomdeplume.errors import InputError, whole
from nomdeplume.threads import cores, each

T = TypeVar("T")
Bound = Callable[[Floats, Floats, Floats], float]

COSTS = 1 << 23  # word pairs whose distances are held at a time
ROUNDING = 1 + 1e-12  # a bound must pass what it prunes by more than this


@dataclass(frozen=True)
class Kind:
    """A distance between bags: how it is computed, and what bounds it from below."""

    distance: Callable[[Problem], float]
    bounds: tuple[Bound, ...]
    gather: np.ufunc  # how the moves of single words make the relaxed bound of a bag


KINDS = {
    "w1": Kind(lambda problem: cheapest_move(problem).cost, (priced, smoothed), np.add),
    "winf": Kind(threshold, (relaxed_longest,), np.maximum),
}


@dataclass(frozen=True)
class Found:
    """The nearest documents of a corpus, the nearest first; the lower number wins a tie."""

    documents: Ints
    distances: Floats
    computed: int  # exact distances
    of: int  # documents that were compared

    @property
    def pruned(self) -> float:
        """The share of documents whose distance was never computed."""
        return 1 - self.computed / self.of


@dataclass(frozen=True, eq=False)
class Corpus:
    """Bags of the rows of one array of vectors, ready to be compared.

    Bag i holds `rows[starts[i]:starts[i + 1]]`, which are distinct, as often as `counts` say.
    """

    vectors: Floats  # (V, k)
    rows: Ints
    counts: Ints
    starts: Ints  # (n + 1,)
    metric: str = "w1"  # a name in KINDS
    query: Callable[[Any], Cloud] = Cloud.of  # what makes a bag of that which is compared

    @classmethod
    def of(
        cls,
        bags: Sequence[tuple[Ints, Ints]],
        vectors: Floats,
        metric: str = "w1",
        query: Callable[[Any], Cloud] = Cloud.of,
    ) -> Corpus:
        """Bags given by the rows of their distinct words, and how often each occurs."""
        if metric not in KINDS:
            raise InputError(f"metric must be {' or '.join(KINDS)}, got {metric!r:.20}.")
        sizes = [len(rows) for rows, _ in bags]
        if not bags or not all(sizes):
            raise InputError("a corpus must hold bags of at least one word each.")
        rows, counts = (np.concatenate(each) for each in zip(*bags, strict=True))
        return cls(vectors, rows, counts, np.cumsum([0, *sizes]), metric, query)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, document: int) -> Cloud:
        rows, counts = self.bag(document)
        return Cloud(self.vectors[rows], counts)

    def distances(self) -> Floats:
        """All distances between documents, (n, n)."""
        table = np.zeros((len(self), len(self)))
        for document, row in self.each():
            table[document, document + 1 :] = table[document + 1 :, document] = row
        return table

    def each(self) -> Iterator[tuple[int, Floats]]:
        """Each document with its distances to all documents after it."""
        rows = _parallel(lambda i: self._to(self[i], range(i + 1, len(self))), len(self))
        yield from enumerate(rows)

    def to(self, query: Any) -> Floats:
        """The distances of all documents to another."""
        return self._to(self.query(query), range(len(self)))

    def nearest(self, query: Any, count: int = 5) -> Found:
        """The documents nearest to another."""
        return self._nearest(self.query(query), count, None)

    def nearest_to(self, queries: Sequence[Any], count: int = 5) -> Iterator[Found]:
        """For each of other documents, the nearest of these."""
        return _parallel(lambda i: self.nearest(queries[i], count), len(queries))

    def nearest_each(self, count: int = 5) -> Iterator[Found]:
        """For each document, the nearest of the others."""
        return _parallel(lambda i: self._nearest(self[i], count, i), len(self))

    def _to(self, query: Cloud, documents: range) -> Floats:
        against, distance = self._against(query, documents), KINDS[self.metric].distance
        return np.array([distance(against.problem(i)) for i in documents])

    def _nearest(self, query: Cloud, count: int, itself: int | None) -> Found:
        """Documents in the order of their lower bounds, until these pass the distances found."""
        against, kind = self._against(query, range(len(self))), KINDS[self.metric]
        least = np.maximum(centroid(query.mean, self.means), against.relaxed(kind.gather))
        best: list[tuple[float, int]] = []
        computed, limit = 0, np.inf
        for i in np.argsort(least, kind="stable").tolist():
            if least[i] > limit:
                break
            if i == itself:
                continue
            problem = against.problem(i)
            if len(best) == count and _exceeds(problem, kind.bounds, limit):
                continue
            insort(best, (kind.distance(problem), i))
            computed += 1
            if len(best) >= whole("count", count):
                del best[count:]
                limit = best[-1][0] * ROUNDING
        documents, found = np.array([i for _, i in best], np.int64), np.array([d for d, _ in best])
        return Found(documents, found, computed, len(self) - (itself is not None))

    def _against(self, query: Cloud, documents: range) -> _Against:
        words = self.starts[documents.stop] - self.starts[documents.start]
        held = len(self.vectors) <= words and len(self.vectors) * len(query.points) <= COSTS
        return _Against(self, query, distances(self.vectors, query.points) if held else None)

    @cached_property
    def means(self) -> Floats:
        """The mean vector of each document, (n, k)."""
        weighted = np.add.reduceat(self.shares[:, None] * self.vectors[self.rows], self.starts[:-1])
        return np.asarray(weighted)

    @cached_property
    def shares(self) -> Floats:
        """Each entry's share of its document's words."""
        totals = np.add.reduceat(self.counts, self.starts[:-1])
        return np.asarray(self.counts / np.repeat(totals, np.diff(self.starts)))

    def bag(self, document: int) -> tuple[Ints, Ints]:
        """The rows of a document's distinct words, and how often each occurs."""
        place = slice(self.starts[document], self.starts[document + 1])
        return self.rows[place], self.counts[place]


@dataclass(frozen=True, eq=False)
class _Against:
    """A corpus against one bag; `held` are the distances of all its words to the bag's."""

    corpus: Corpus
    query: Cloud
    held: Floats | None  # (V, n)

    def problem(self, document: int) -> Problem:
        rows, counts = self.corpus.bag(document)
        if self.held is not None:
            return Problem.checked(self.held[rows], counts, self.query.counts)
        costs = distances(self.corpus.vectors[rows], self.query.points)
        return Problem.checked(costs, counts, self.query.counts)

    def relaxed(self, gather: np.ufunc) -> Floats:
        """The ways of each document's words to the bag's nearest: their mean, or the longest."""
        way = self._ways[self.corpus.rows]
        weighed = way * self.corpus.shares if gather is np.add else way
        return np.asarray(gather.reduceat(weighed, self.corpus.starts[:-1]))

    @cached_property
    def _ways(self) -> Floats:
        """How far each word of the corpus is from the nearest of the bag's."""
        if self.held is not None:
            return np.asarray(self.held.min(axis=1))
        vectors, step = self.corpus.vectors, max(1, COSTS // len(self.query.points))
        blocks = (vectors[start : start + step] for start in range(0, len(vectors), step))
        return np.concatenate([distances(x, self.query.points).min(axis=1) for x in blocks])


def _exceeds(problem: Problem, bounds: tuple[Bound, ...], limit: float) -> bool:
    """Whether some bound shows that the distance is larger than `limit`."""
    a, b = problem.supply / problem.total, problem.demand / problem.total
    return any(bound(problem.costs, a, b) > limit for bound in bounds)


def _parallel(work: Callable[[int], T], count: int) -> Iterator[T]:
    """`work` on 0, 1 and so on, the results in order, as many at a time as there are cores."""
    for start in range(0, count, cores()):
        yield from each(work, range(start, min(start + cores(), count)), cores())
