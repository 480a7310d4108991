"""Noise drawn for an audit, and what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from nomdeplume.audit.probe import Share
from nomdeplume.distance import Euclidean
from nomdeplume.distance.ground import directions
from nomdeplume.noise import Noise
from nomdeplume.table import Table

Floats = NDArray[np.float64]

DRAWS = 200_000  # at most
RATE = 50_000  # draws that can be looked at in a second, about
NUMBERS = 1 << 21  # in memory at a time
WIDE = 1_000  # dimensions beyond which the table's own axes are not computed
FINE = 1e3  # vectors so many times as long as noise leave it too few digits


@dataclass(frozen=True)
class Draws:
    """What is kept of many draws of standard noise: lengths, cosines, and counts by axis."""

    dimensions: int
    length: Floats  # (n,)
    fixed: Floats  # (n, looks): cosines with directions of interest
    own: Floats  # (n,): with the vector that the noise was added to
    next: Floats  # (n,): with the draw after it
    axes: NDArray[np.int64]  # (2, k): draws above 0 along each axis, and beyond the median size

    def __len__(self) -> int:
        return len(self.length)


class Drawn:
    """Noise at the table's own dimensions, drawn by the first probe that asks, for all."""

    def __init__(self, noise: Noise, table: Table) -> None:
        self._noise, self._table = noise, table
        self._draws: Draws | None = None

    @property
    def dimensions(self) -> int:
        """Of standard noise."""
        start = suited(self._noise, np.zeros((1, self._table.dimensions)))
        return int(self._noise.standard(start, start).shape[1])

    def lengths(self, share: Share) -> Floats:
        """Lengths of as many draws as make NUMBERS numbers, however long that takes.

        The sum of n lengths has a relative standard deviation of 1/√(n·k). Here n·k = NUMBERS
        whatever k is, so a scale that is 1 % off is 14 standard deviations off.
        """
        noise, _ = self._added(max(2, NUMBERS // self.dimensions), share)
        return np.asarray(np.sqrt(np.einsum("nk,nk->n", noise, noise)))

    def __call__(self, share: Share) -> Draws:
        if self._draws is None:
            k = self.dimensions
            self._along, self._median = _units(_looks(self._table)[:, :k]), median_size(k)
            self._axes = np.zeros((2, k), dtype=np.int64)
            most = int(np.clip(RATE * share.seconds, 5_000, DRAWS))
            rows = share.samples(lambda n: self._draw(n, share), most=most)
            self._draws = Draws(k, rows[:, 0], rows[:, 3:], rows[:, 1], rows[:, 2], self._axes)
        return self._draws

    def _draw(self, n: int, share: Share) -> Floats:
        step = max(2, NUMBERS // self._table.dimensions)
        return np.concatenate([self._some(min(step, n - i), share) for i in range(0, n, step)])

    def _some(self, n: int, share: Share) -> Floats:
        noise, vectors = self._added(n, share)
        length = np.sqrt(np.einsum("nk,nk->n", noise, noise))
        unit = noise / np.maximum(length, np.finfo(float).tiny)[:, None]
        self._axes += (unit > 0).sum(axis=0), (np.abs(unit) > self._median).sum(axis=0)
        own = np.einsum("nk,nk->n", unit, _units(vectors[:, : unit.shape[1]]))
        after = np.einsum("nk,nk->n", unit, np.roll(unit, -1, axis=0))
        return np.column_stack((length, own, after, unit @ self._along.T))

    def _added(self, n: int, share: Share) -> tuple[Floats, Floats]:
        """Standard noise, and the centred vectors of any words that it was added to.

        To the origin where vectors are so long that a sum keeps too few digits of the noise.
        Where nothing of the noise is left, as of a length cut off at 0, nothing is looked at;
        where nothing is left at all, there was none.
        """
        ids = np.random.default_rng(n).integers(0, len(self._table), n)  # public
        vectors = self._table.vectors[ids].astype(np.float64)
        long = self._table.radius + float(np.linalg.norm(self._table.centre))
        if long * self._noise.guarantee.epsilon > FINE * self._table.dimensions:
            vectors = suited(self._noise, np.zeros_like(vectors))
        noise = self._noise.standard(self._noise.add(vectors, share.rng), vectors)
        told = ~np.isnan(noise).any(axis=1)
        if not told.any():
            noise, told = np.zeros_like(noise), ~told
        return noise[told], vectors[told] - self._table.centre


def suited(noise: Noise, vectors: Floats) -> Floats:
    """Vectors that this noise can be added to: of one length, for noise on directions.

    Zeros become the first axis there, along which all other coordinates keep their digits.
    """
    metric = noise.guarantee.metric
    if isinstance(metric, Euclidean):
        return vectors
    return np.asarray(getattr(metric, "arc", 1.0) * directions(vectors))


def median_size(k: int) -> float:
    """What half of the coordinates of uniform directions are beyond, whatever their sign."""
    return float(np.sqrt(beta(0.5, (k - 1) / 2).median())) if k > 1 else 0.0


def _units(vectors: Floats) -> Floats:
    """Directions of vectors; the first axis where there is none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    axis = np.eye(1, vectors.shape[1])
    return np.where(lengths > 0, vectors / np.where(lengths > 0, lengths, 1), axis)


def _looks(table: Table) -> Floats:
    """Unit vectors to look along: where words vary most and least, the diagonal, two others."""
    k = table.dimensions
    words = table.vectors[: 1 << 13].astype(np.float64)
    own = np.eye(k)[[0, -1]]
    if len(words) > 1 and k <= WIDE:
        own = np.linalg.eigh(np.cov(words.T).reshape(k, k))[1].T[[-1, 0]]
    some = np.random.default_rng(1).standard_normal((2, k))
    return _units(np.vstack((own, np.ones((1, k)), some)))
