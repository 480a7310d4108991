"""Many bags: all distances between them, and the nearest to each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.devices import Card
from nomdeplume.distance.batch import Batch, Side
from nomdeplume.distance.cloud import Cloud, Floats, Ints, Points, apart, counted, numbers
from nomdeplume.distance.kinds import KINDS
from nomdeplume.distance.query import Query
from nomdeplume.distance.search import Found, nearest
from nomdeplume.errors import InputError
from nomdeplume.threads import cores, each

T = TypeVar("T")

LARGEST = 1e38  # coordinates that float32 holds
BATCH = 1 << 17  # word pairs of problems that are solved together
TOGETHER = 4  # documents for each core at a time


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Bags of the rows of one array of vectors, ready to be compared.

    Bag i holds `rows[starts[i]:starts[i + 1]]`, which are distinct, as often as `counts` say.
    """

    points: Points  # (V, k), relative to their centre
    centre: Floats
    rows: Ints
    counts: Ints
    starts: Ints  # (n + 1,)
    metric: str = "w1"  # a name in KINDS
    query: Callable[[Any], Cloud] = Cloud.of  # what makes a bag of that which is compared

    @classmethod
    def of(
        cls,
        vectors: ArrayLike,
        rows: ArrayLike,
        counts: ArrayLike,
        sizes: Sequence[int],
        *,
        metric: str = "w1",
        query: Callable[[Any], Cloud] = Cloud.of,
    ) -> Corpus:
        """Bags of some sizes, one after the other in `rows`, which are distinct in each of them."""
        if metric not in KINDS:
            raise InputError(f"metric must be {' or '.join(KINDS)}.")
        vectors, rows = numbers(vectors), np.asarray(rows, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        if min(sizes, default=0) < 1 or len(rows) != starts[-1]:
            raise InputError("a corpus must hold bags of at least one word each, and no others.")
        if vectors.ndim != 2 or not 0 <= rows.min() <= rows.max() < len(vectors):
            raise InputError("the rows of a corpus must be rows of its vectors.")
        if not (np.abs(vectors) < LARGEST).all():
            raise InputError(f"coordinates must be below {LARGEST:g}; rescale the vectors.")
        centre = vectors.mean(axis=0).astype(np.float32).astype(np.float64)
        points = Points.around(vectors, centre)
        if (points.centred + centre != vectors).any():
            points = Points.of(vectors, centre)
        return cls(points, centre, rows, counted(len(rows), counts), starts, metric, query)

    def __getstate__(self) -> dict[str, Any]:
        """All but what is on cards: for another process, that may have none."""
        return {name: value for name, value in vars(self).items() if name != "_placed"}

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"<Corpus: {len(self):,} documents, {len(self.points.vectors):,} distinct words>"

    def __getitem__(self, document: int) -> Cloud:
        rows, counts = self.bag(range(len(self))[document])
        return Cloud(self.points.centred[rows] + self.centre, counts)

    def distances(self, done: Callable[[int], None] = lambda _: None) -> Floats:
        """All distances between documents, (n, n); `done` is told how many more there are."""
        table = np.zeros((len(self), len(self)))
        for document, row in self.each():
            table[document, document + 1 :] = table[document + 1 :, document] = row
            done(len(row))
        return table

    def each(self) -> Iterator[tuple[int, Floats]]:
        """Each document with its distances to all documents after it."""
        rows = _parallel(lambda i: self._to(self._own(i), range(i + 1, len(self)), 1), len(self))
        yield from enumerate(rows)

    def to(self, query: Any) -> Floats:
        """The distances of all documents to another."""
        return self._to(self._other(query), range(len(self)), cores())

    def pairs(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """The distances of documents from documents, one from one, given by their numbers."""
        one, two = (np.asarray(each, dtype=np.int64) for each in (first, second))
        if one.ndim != 1 or one.shape != two.shape:
            raise InputError("pairs need as many first documents as second ones.")
        if len(one) and not 0 <= min(one.min(), two.min()) <= max(one.max(), two.max()) < len(self):
            raise InputError(f"documents are numbered from 0 to {len(self) - 1}.")
        words = np.diff(self.starts)

        def some(chunk: Ints) -> Floats:
            x, y = self.side(one[chunk]), self.side(two[chunk])
            return self._solved(Batch(apart(self.points[x.rows], self.points[y.rows]), x, y))

        return _gathered(some, np.maximum(words[one], words[two]) ** 2, threads=cores())

    def nearest(self, query: Any, count: int = 5) -> Found:
        """The documents nearest to another."""
        return nearest(self._other(query), count)

    def nearest_to(self, queries: Sequence[Any], count: int = 5) -> Iterator[Found]:
        """For each of other documents, the nearest of these."""
        if isinstance(queries, str):
            raise InputError("queries must be a list, got one string; see nearest.")
        queries, _ = list(queries), self.means
        return _parallel(lambda i: self.nearest(queries[i], count), len(queries))

    def nearest_each(self, count: int = 5) -> Iterator[Found]:
        """For each document, the nearest of the others."""
        _ = self.means  # once, not once in every thread
        return _parallel(lambda i: nearest(self._own(i), count, i), len(self))

    def side(self, documents: Ints) -> Side:
        """Some documents, stacked."""
        return Side.of(self.rows, self.counts, self.starts, documents)

    def on(self, card: Card) -> Points:
        """The vectors on a card; once there, they stay."""
        if card not in self._placed:
            self._placed.setdefault(card, self.points.on(card))
        return self._placed[card]

    def _own(self, document: int) -> Query:
        rows, counts = self.bag(document)
        return Query(self, self.points[rows], counts)

    def _other(self, query: Any) -> Query:
        cloud = self.query(query)
        if cloud.points.shape[1] != len(self.centre):
            raise InputError(
                f"vectors of the corpus have {len(self.centre)} dimensions, those of the query "
                f"{cloud.points.shape[1]}."
            )
        exact = self.points.vectors is self.points.centred
        points = (Points.around if exact else Points.of)(cloud.points, self.centre)
        return Query(self, points, cloud.counts)

    def _to(self, query: Query, documents: range, threads: int) -> Floats:
        words = np.diff(self.starts)[documents.start : documents.stop]
        holding = query.holding(int(words.sum()))
        return _gathered(
            lambda chunk: self._solved(holding.batch(documents.start + chunk)),
            words * len(query),
            threads,
        )

    def _solved(self, batch: Batch) -> Floats:
        return np.array(KINDS[self.metric].many(batch))

    @cached_property
    def _placed(self) -> dict[Card, Points]:
        return {}

    @cached_property
    def radius(self) -> float:
        """How far the farthest word is from the centre."""
        return float(np.sqrt(self.points.squared.max()))

    @cached_property
    def means(self) -> Floats:
        """The mean vector of each document, (n, k), relative to the centre."""
        from scipy.sparse import csr_array

        size = (len(self), len(self.points.centred))
        shares = csr_array((self.shares, self.rows, self.starts), size)
        return np.asarray(shares @ self.points.centred)

    @cached_property
    def shares(self) -> Floats:
        """Each entry's share of its document's words."""
        totals = np.add.reduceat(self.counts, self.starts[:-1])
        return np.asarray(self.counts / np.repeat(totals, np.diff(self.starts)))

    def bag(self, document: int) -> tuple[Ints, Ints]:
        """The rows of a document's distinct words, and how often each occurs."""
        place = slice(self.starts[document], self.starts[document + 1])
        return self.rows[place], self.counts[place]


def _gathered(some: Callable[[Ints], Floats], sizes: Ints, threads: int) -> Floats:
    """What `some` finds for problems of these sizes, those of like size together."""
    chunks, found = list(_alike(sizes)), np.zeros(len(sizes))
    parts = each(lambda number: some(chunks[number]), range(len(chunks)), threads)
    for chunk, part in zip(chunks, parts, strict=True):
        found[chunk] = part
    return found


def _alike(sizes: Ints) -> Iterator[Ints]:
    """Numbers of problems, the largest first, as many at a time as memory holds of the first."""
    order, start = np.argsort(-sizes, kind="stable"), 0
    while start < len(order):
        end = start + max(1, BATCH // int(sizes[order[start]]))
        yield order[start:end]
        start = end


def _parallel(work: Callable[[int], T], count: int) -> Iterator[T]:
    """`work` on 0, 1 and so on, the results in order, some for each core at a time."""
    for start in range(0, count, TOGETHER * cores()):
        yield from each(work, range(start, min(start + TOGETHER * cores(), count)), cores())
