"""Bags of vectors, and how far their words are apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.devices import Card
from nomdeplume.distance.arrays import Array, namespace, put
from nomdeplume.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 1e-3  # of the squared norms: nearer pairs are computed directly
SMALL, LARGE = 1e-140, 1e140  # coordinates between which squares are floats
PAIRS = 1 << 16  # computed directly at a time: bounds the memory


@dataclass(frozen=True, eq=False, repr=False)
class Cloud:
    """A bag of vectors: one row a word, and how often each word occurs."""

    points: Floats  # (n, k)
    counts: Ints  # (n,)

    @classmethod
    def of(cls, points: Cloud | ArrayLike, counts: ArrayLike | None = None) -> Cloud:
        """A bag of these rows, each once if no counts are given."""
        if isinstance(points, Cloud):
            return points if counts is None else cls.of(points.points, counts)
        rows = np.atleast_2d(numbers(points))
        if rows.ndim != 2:
            raise InputError("a bag must be rows of numbers, one row a word.")
        return cls(rows, counted(len(rows) if rows.size else 0, counts))

    def __repr__(self) -> str:
        n, k = self.points.shape
        return f"<Cloud: {self.counts.sum():,} words, {n:,} of them distinct, {k} dimensions>"

    @property
    def mean(self) -> Floats:
        return np.asarray(self.counts @ self.points / self.counts.sum())


def numbers(values: Any) -> Floats:
    """An array of finite numbers; what else it is, a text perhaps, is not quoted."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full((), np.nan)
    if not np.isfinite(found).all():
        raise InputError("vectors and costs must be finite numbers; Distance compares texts.")
    return found


def counted(n: int, counts: ArrayLike | None) -> Ints:
    """How often each of n words occurs: whole numbers of at least 1, or once each."""
    if not n:
        raise InputError("a bag must hold at least one word, got none.")
    given = np.ones(n) if counts is None else np.asarray(counts)
    if given.shape != (n,) or not ((given >= 1) & (given % 1 == 0) & (given < 2**31)).all():
        raise InputError(f"{n} words need {n} counts, each a whole number of at least 1.")
    return given.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Points:
    """Vectors made ready for the distances between them: relative to a centre, and squared."""

    vectors: Floats  # (n, k)
    centred: Floats  # (n, k)
    squared: Floats  # (n,)

    @classmethod
    def of(cls, vectors: Floats, centre: Floats) -> Points:
        centred = vectors - centre
        return cls(vectors, centred, squared(centred))

    @classmethod
    def around(cls, vectors: Floats, centre: Floats) -> Points:
        """The same with the centred vectors alone.

        Between float32 numbers of like size, float64 subtracts exactly: of a table's vectors
        and a centre in float32 no digit is lost.
        """
        centred = vectors - centre
        return cls(centred, centred, squared(centred))

    def __getitem__(self, rows: Any) -> Points:
        centred = self.centred[rows]
        same = self.vectors is self.centred
        return Points(centred if same else self.vectors[rows], centred, self.squared[rows])

    def at(self, stack: Sequence[Any], rows: Any) -> Array:
        """Some rows, of some sets of the stack if there is one."""
        return self.vectors[(*stack, rows) if self.vectors.ndim > 2 else rows]

    def on(self, card: Card) -> Points:
        """The same on a card."""
        centred = put(self.centred, card)
        same = self.vectors is self.centred
        return Points(
            centred if same else put(self.vectors, card), centred, put(self.squared, card)
        )


def distances(x: Floats, y: Floats) -> Floats:
    """Euclidean distances between the rows of x and of y; equal rows are exactly 0 apart."""
    if x.shape[1] != y.shape[1]:
        raise InputError(f"both bags need vectors of one length, got {x.shape[1]}, {y.shape[1]}.")
    if not max(np.abs(x).max(), np.abs(y).max()) < LARGE:
        raise InputError(f"coordinates must be below {LARGE:g}; rescale the vectors.")
    centre = y.mean(axis=0)
    one, two = Points.of(x, centre), Points.of(y, centre)
    widest = float(max(np.abs(one.centred).max(), np.abs(two.centred).max()))
    if widest == 0 or widest > SMALL:
        return np.asarray(apart(one, two))
    unit = 2.0 ** floor(log2(widest))  # else squares are lost; a power of two loses nothing
    return np.asarray(unit * distances(x / unit, y / unit))


def apart(x: Points, y: Points) -> Array:
    """Distances between points of one centre, here or on a card; sets of points may be stacked.

    ‖x − y‖² = ‖x‖² + ‖y‖² − 2·x·y is one matrix product, but loses digits where it is
    small beside the norms. These pairs, which are few, are computed directly.
    """
    norms = x.squared[..., :, None] + y.squared[..., None, :]
    squares: Any = x.centred @ y.centred.swapaxes(-1, -2)
    squares *= -2
    squares += norms
    norms *= NEAR
    return rooted(squares, norms, lambda *at: x.at(at[:-2], at[-2]) - y.at(at[:-2], at[-1]))


def rooted(squares: Array, near: Array, differ: Callable[..., Array]) -> Array:
    """Roots of squares, in their place; what is no larger than `near` is computed directly.

    `differ` gives the vectors between some pairs, by the indices of each.
    """
    xp = namespace(squares)
    few = xp.where((squares <= near).reshape(-1))[0]
    for start in range(0, len(few), PAIRS):
        place = xp.unravel_index(few[start : start + PAIRS], squares.shape)
        squares[place] = squared(differ(*place))
    return xp.sqrt(squares, out=squares)


def squared(vectors: Floats) -> Floats:
    """The squared norm of each row, here or on a card."""
    found: Floats = namespace(vectors).einsum("...k,...k->...", vectors, vectors)
    return found
