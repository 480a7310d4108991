"""Bags of vectors, and how far their words are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 1e-3  # of the squared norms: nearer pairs are computed directly
PAIRS = 1 << 16  # computed directly at a time: bounds the memory


@dataclass(frozen=True, eq=False)
class Cloud:
    """A bag of vectors: one row a word, and how often each word occurs."""

    points: Floats  # (n, k)
    counts: Ints  # (n,)

    @classmethod
    def of(cls, points: Cloud | ArrayLike, counts: ArrayLike | None = None) -> Cloud:
        """A bag of these rows, each once if no counts are given."""
        if isinstance(points, Cloud):
            return points
        rows = np.atleast_2d(np.asarray(points, dtype=np.float64))
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise InputError("a bag must be rows of finite numbers, one row a word.")
        return cls(rows, counted(len(rows) if rows.size else 0, counts))

    @property
    def mean(self) -> Floats:
        return np.asarray(self.counts @ self.points / self.counts.sum())


def counted(n: int, counts: ArrayLike | None) -> Ints:
    """How often each of n words occurs: whole numbers of at least 1, or once each."""
    if not n:
        raise InputError("a bag must hold at least one word, got none.")
    given = np.ones(n) if counts is None else np.asarray(counts)
    if given.shape != (n,) or not ((given >= 1) & (given % 1 == 0) & (given < 2**40)).all():
        raise InputError(f"{n} words need {n} counts, each a whole number of at least 1.")
    return given.astype(np.int64)


def distances(x: Floats, y: Floats) -> Floats:
    """Euclidean distances between the rows of x and of y; equal rows are exactly 0 apart.

    ‖x − y‖² = ‖x‖² + ‖y‖² − 2·x·y is one matrix product, but loses digits where it is
    small beside the norms. These pairs, which are few, are computed directly.
    """
    if x.shape[1] != y.shape[1]:
        raise InputError(f"both bags need vectors of one length, got {x.shape[1]}, {y.shape[1]}.")
    centre = y.mean(axis=0)
    one, two = x - centre, y - centre
    norms = (one * one).sum(axis=1)[:, None] + (two * two).sum(axis=1)
    squares: Any = one @ two.T
    squares *= -2
    squares += norms
    norms *= NEAR
    rows, columns = np.nonzero(squares <= norms)
    for start in range(0, len(rows), PAIRS):
        i, j = rows[start : start + PAIRS], columns[start : start + PAIRS]
        squares[i, j] = ((x[i] - y[j]) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(squares, out=squares))
