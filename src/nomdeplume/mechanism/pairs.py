"""The pairs of words between which a value changes fastest, of all pairs, none sampled.

A value is a number or a row of numbers. Slopes are screened in float32, by a bound that is
never below the true slope; whatever passes is computed again in float64. A card may screen:
its sums are taken in another order, which the bound allows for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from nomdeplume.devices import Card, card
from nomdeplume.distance.arrays import Array, all_bits, back, namespace, put
from nomdeplume.distance.cloud import squared
from nomdeplume.errors import PrivacyError
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Rise = Callable[[slice, slice], Array]

TILE = 1024  # words compared with as many at a time
WIDE = 1 << 14  # words that a card compares them with
FEW = 1 << 14  # pairs computed together in float64
SLACK = 4 * 2.0**-24  # more than float32 loses of the difference of two numbers


@dataclass(frozen=True, eq=False)
class Words:
    """Words of a table, a value for each, and a cap on the distances between them."""

    table: Table
    ids: Ids
    values: Floats  # (n,), or (n, m)
    cap: float = inf
    doubt: float = 0.0  # what rounding may have lost of the difference of two numbers

    def apart(self, pairs: Ids) -> Floats:
        """Distances between the words of each pair, (n, 2) of rows."""
        found = np.empty(len(pairs))
        for start in range(0, len(pairs), FEW):
            some = self.ids[pairs[start : start + FEW]].T
            one, two = (self.table.vectors[ids].astype(np.float64) for ids in some)
            found[start : start + FEW] = np.sqrt(squared(one - two))
        return np.minimum(found, self.cap)

    def slopes(self, pairs: Ids) -> Floats:
        """How much the values of each pair differ, for each unit of distance; 0 at one place."""
        away = self.apart(pairs)
        rise = self._differ(pairs) + self.doubt
        return np.divide(rise, away, out=np.zeros_like(away), where=away > 0)

    def _differ(self, pairs: Ids) -> Floats:
        if self.values.ndim == 1:
            return np.asarray(np.abs(self.values[pairs[:, 0]] - self.values[pairs[:, 1]]))
        found = np.empty(len(pairs))
        for start in range(0, len(pairs), FEW):
            one, two = self.values[pairs[start : start + FEW]].transpose(1, 0, 2)
            found[start : start + FEW] = np.sqrt(squared(one - two))
        return found


@dataclass(eq=False)
class Steepest:
    """The `count` pairs of the largest slopes, and a bound on the slopes of all others."""

    words: Words
    count: int = 1
    tell: Callable[[int], None] | None = None
    threads: int = field(default_factory=cores)
    pairs: Ids = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64), init=False)
    slopes: Floats = field(default_factory=lambda: np.empty(0), init=False)
    rest: float = field(default=-inf, init=False)  # −∞ if there are no others

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._card = card(self._products())
        self._prepare()
        with all_bits(self._card):
            starts = range(0, len(self.words.ids), TILE)
            each(self._row, starts, 1 if self._card else self.threads)
        order = np.argsort(-self.slopes, kind="stable")
        self.pairs, self.slopes = self.pairs[order], self.slopes[order]
        n = len(self.words.ids)
        if self.count < n * (n - 1) // 2:
            self.rest = self._least()  # what was not taken, or not kept, is no steeper

    def _products(self) -> float:
        """Multiply-adds of the search."""
        n, values = len(self.words.ids), self.words.values
        return n * n / 2 * (self.words.table.dimensions + values[:1].size)

    def _prepare(self) -> None:
        """Vectors, numbers and doubts at most 1, so that float32 holds all that is made of them.

        A sum of k + 2 products of rounded numbers errs by less than (k + 8)·2⁻²⁴ of the sizes
        of its terms, of which the squared norms and twice the product are at most 4 in all.
        """
        table, values = self.words.table, self.words.values
        if not np.isfinite(values).all():
            raise PrivacyError("floats cannot hold these weights, so nothing can be promised.")
        self._scale = table.radius or 1.0
        x = (table.vectors[self.words.ids].astype(np.float64) - table.centre) / self._scale
        self._left, self._right = _squaring(x, self._card)
        self._doubt = np.float32(4 * (x.shape[1] + 8) * 2.0**-24)
        self._cap = np.float32(min(self.words.cap / self._scale, 3.0) ** 2 * (1 - 1e-6))
        middle = values - values.mean(axis=0)
        sizes = np.abs(middle) if values.ndim == 1 else np.sqrt(squared(middle))
        self._unit = max(float(sizes.max()), self.words.doubt) or 1.0
        self._rise = self._of_numbers(middle) if values.ndim == 1 else self._of_rows(middle)

    def _of_numbers(self, middle: Floats) -> Rise:
        """Bounds on the squared differences of numbers, of two tiles."""
        scaled = put((middle / self._unit).astype(np.float32), self._card)
        slack = np.float32(SLACK + self.words.doubt / self._unit * (1 + 1e-6))

        def rise(one: slice, two: slice) -> Array:
            found = scaled[one, None] - scaled[two]
            namespace(found).abs(found, out=found)
            found += slack
            found *= found
            return found

        return rise

    def _of_rows(self, middle: Floats) -> Rise:
        """The same of rows of numbers; what rounding may have lost is added as above."""
        left, right = _squaring(middle / self._unit, self._card)
        slack = np.float32(4 * (middle.shape[1] + 8) * 2.0**-24)

        def rise(one: slice, two: slice) -> Array:
            found = left[one] @ right[two].T
            found += slack
            return found

        return rise

    def _row(self, start: int) -> None:
        """All pairs of some words with each other, and with the words after them."""
        count, one = len(self.words.ids), slice(start, start + TILE)
        self._tile(one, one)
        for other in range(start + TILE, count, wide := WIDE if self._card else TILE):
            self._tile(one, slice(other, other + wide))
        if self.tell:
            self.tell(len(self.words.ids[one]))

    def _tile(self, one: slice, two: slice) -> None:
        """Pairs of two tiles whose slope may be above the least that is kept."""
        least = self._left[one] @ self._right[two].T
        xp = namespace(least)
        least -= self._doubt
        xp.clip(least, 0, self._cap, out=least)
        limit = min(self._least() * self._scale / self._unit, 1e18) ** 2 * (1 - 1e-6)
        least *= np.float32(limit)
        found = self._rise(one, two) > least
        if one.start == two.start:
            found = xp.triu(found, 1)
        i, j = map(back, xp.unravel_index(xp.where(found.reshape(-1))[0], found.shape))
        if len(i):
            self._take(np.column_stack((i + one.start, j + two.start)))

    def _least(self) -> float:
        return float(self.slopes.min()) if len(self.slopes) >= self.count else 0.0

    def _take(self, pairs: Ids) -> None:
        """Keep the largest slopes of what was kept and of these."""
        slopes = self.words.slopes(pairs)
        with self._lock:
            slopes = np.concatenate((self.slopes, slopes))
            pairs = np.concatenate((self.pairs, pairs))
            if len(slopes) > self.count:
                best = np.argpartition(-slopes, self.count - 1)[: self.count]
                slopes, pairs = slopes[best], pairs[best]
            self.pairs, self.slopes = pairs, slopes


def _squaring(x: Floats, card: Card | None) -> tuple[Array, Array]:
    """Two arrays whose product is all squared distances: ‖x‖² + ‖y‖² − 2·x·y, in one go."""
    norms, ones = squared(x)[:, None], np.ones((len(x), 1))
    left, right = np.hstack((-2 * x, norms, ones)), np.hstack((x, ones, norms))
    return put(left.astype(np.float32), card), put(right.astype(np.float32), card)
