"""The accountant: what Laplace noise loses over words, documents and releases, up to a δ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, inf, log, nan, sqrt
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance.cloud import Floats, numbers
from nomdeplume.errors import InputError, got, positive, whole
from nomdeplume.privacy.accountant.sums import TOLERANCE, TiltedSum, summed
from nomdeplume.privacy.accountant.terms import Mixture, Terms, Ways
from nomdeplume.privacy.loss import Loss

LEAST = 1e-9  # pure losses below are what they are up to any δ
LARGEST = 1e6  # so are those of single words above
AGAIN = 3  # sums, each finer than the one before, until the grid adds little
FINER = 0.02  # of what a grid adds, where it is the δ of a small loss that is asked for


@dataclass(frozen=True, repr=False)
class Account:
    """What Laplace noise loses between two inputs: purely, and up to a δ.

    P(S) ≤ e^loss(δ)·P′(S) + δ for every set S of releases, P from one input and P′ from the
    other, and the other way round. Never less than it is, never more than the pure bound
    (docs/proofs/accounting.md).

    >>> account = Account.of_bags(1.0, [10.0] * 100, dimensions=100)  # 100 words, each moved by 10
    >>> account.pure, round(account.loss(1e-6), 1)
    (1000.0, 96.3)
    """

    terms: tuple[tuple[Ways, int], ...]  # what is released, and how many times

    @classmethod
    def of_bags(cls, epsilon: float, moves: ArrayLike, dimensions: int) -> Account:
        """Between two bags of one size, whose words are matched at these distances."""
        k = whole("dimensions", dimensions)
        losses = _losses(epsilon, moves)
        return cls._of(Counter((Mixture(k, (loss,), (1.0,)),) for loss in losses.tolist()))

    @classmethod
    def of_draws(
        cls,
        epsilon: float,
        plans: Sequence[tuple[ArrayLike, ArrayLike]],
        size: int,
        dimensions: int,
    ) -> Account:
        """Between two texts of which `size` words are drawn, by plans from one to the other.

        A plan is the distances of its moves and their shares. Whoever is also told which move
        a draw belongs to knows no less; and then the loss is that of a move, drawn by its
        share. So every plan gives a bound, and the better one is taken at a time.

        >>> Account.of_draws(1.0, [([0.0, 9.0], [0.9, 0.1]), ([3.0], [1.0])], 50, dimensions=20)
        <Account: 50 words that move, loss ≤ 150>
        """
        if not len(plans):
            raise InputError("plans must be at least one, got none.")
        k, count = whole("dimensions", dimensions), whole("size", size)
        ways = tuple(_mixture(k, _losses(epsilon, moves), numbers(parts)) for moves, parts in plans)
        return cls._of(Counter({ways: count}))

    @classmethod
    def _of(cls, counted: Counter[Ways]) -> Account:
        """What moves of this; where a plan moves nothing, nothing is lost."""
        moving = [each for each in counted.items() if all(mixture.pure for mixture in each[0])]
        account = cls(tuple(sorted(moving)))
        if account.pure == inf:
            raise InputError("a loss this large cannot be stated.")
        return account

    def __repr__(self) -> str:
        words = sum(count for _, count in self.terms)
        return f"<Account: {words:,} words that move, loss ≤ {self.pure:.6g}>"

    @cached_property
    def pure(self) -> Loss:
        """The loss that no release exceeds."""
        return Loss(sum(n * min(mixture.pure for mixture in ways) for ways, n in self.terms))

    def loss(self, delta: float, *, tolerance: float = TOLERANCE) -> Loss:
        """A loss at which δ is enough, and the least but for about a share of `tolerance`."""
        given = _number(delta)
        if not 0 < given < 1:
            raise InputError(f"delta must be a number between 0 and 1, got {got(delta)}.")
        found = min(self.pure, _answers_loss(self.pure, given))
        if not self._known:
            return Loss(found)
        tilt, finest = self._terms.tilt_for_delta(log(given)), inf
        for _ in range(AGAIN):  # a few far moves make the sum look wider than it is
            total = summed(self._terms, tilt, tolerance=tolerance, finest=finest)
            found = min(found, _least(total, log(given), self.pure))
            added = total.added(found)
            if added <= tolerance * found or not found:
                break
            finest = total.step * sqrt(tolerance * found / added)
        return Loss(found)

    def delta(self, loss: float) -> float:
        """A δ that is enough at a loss, and nearly the least.

        It is rounded up, as losses are, and not by the same: δ(loss(δ)) can exceed δ a little.
        """
        given = _number(loss)
        if not 0 <= given < inf:
            raise InputError(f"loss must be a finite number of at least 0, got {got(loss)}.")
        if given >= self.pure:
            return 0.0
        most = _answers_delta(self.pure, given)
        if not self._known:
            return most
        tilt = self._terms.tilt_for_loss(given)
        total = summed(self._terms, tilt)
        few = TOLERANCE * given / (total.added(given) or 1)
        if few < 1:
            total = summed(self._terms, tilt, finest=total.step * sqrt(max(few, FINER)))
        return min(most, max(exp(total.log_delta(given)), 5e-324))  # not 0 below the pure loss

    def curve(self, deltas: Iterable[float]) -> list[tuple[float, Loss]]:
        """Each δ and its loss."""
        return [(delta, self.loss(delta)) for delta in deltas]

    def over_releases(self, count: int) -> Account:
        """Of releasing the same `count` times with fresh noise."""
        times = whole("count", count)
        return self._of(Counter({ways: times * each for ways, each in self.terms}))

    def __add__(self, other: Account) -> Account:
        """Of two releases: those of an author's documents, one against one."""
        return self._of(Counter(dict(self.terms)) + Counter(dict(other.terms)))

    @cached_property
    def _terms(self) -> Terms:
        return Terms.of(self.terms)

    @property
    def _known(self) -> bool:
        """Whether losses are of a size whose law is computed; else others than pure are not."""
        largest = [mixture.pure for ways, _ in self.terms for mixture in ways]
        return self.pure > LEAST and max(largest) < LARGEST


def _number(value: float) -> float:
    """`value` as a float; not a number if it is none, or none that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return nan
    try:
        return float(value)
    except OverflowError:
        return nan


def _mixture(k: int, losses: Floats, shares: Floats) -> Mixture:
    right = shares.shape == losses.shape and (shares > 0).all() and abs(shares.sum() - 1) < 1e-9
    if not right or not losses.size:
        raise InputError("shares must be numbers above 0 that sum to 1, one for each distance.")
    moves, place = np.unique(losses, return_inverse=True)
    summed_shares = np.bincount(place, shares / shares.sum())
    return Mixture(k, tuple(moves.tolist()), tuple(summed_shares.tolist()))


def _losses(epsilon: float, distances: ArrayLike) -> Floats:
    given = numbers(distances)
    if given.ndim != 1 or not (given >= 0).all():
        raise InputError("distances must be a list of finite numbers of at least 0.")
    with np.errstate(over="ignore"):  # what is infinite is refused
        losses = positive("epsilon", epsilon) * given
    if not np.isfinite(losses).all():
        raise InputError("a loss this large cannot be stated.")
    return np.asarray(losses)


def _answers_delta(pure: float, loss: float) -> float:
    """δ of the worst release with that pure loss, one of two answers.

    It is (e^pure − e^loss)/(1 + e^pure).
    """
    return min(1.0, -expm1(loss - pure) / (1 + exp(-pure)) * (1 + 1e-12))


def _answers_loss(pure: float, delta: float) -> float:
    """The loss of the same at a δ: ln(e^pure − δ·(1 + e^pure))."""
    left = 1 - delta * (1 + exp(-pure))
    return max(0.0, (pure + log(left)) * (1 + 1e-12) + 1e-15) if left > 0 else 0.0


def _least(total: TiltedSum, log_delta: float, high: float) -> float:
    """The least loss, rounded up, at which the sum keeps to δ."""
    low = 0.0
    if total.log_delta(low) <= log_delta:
        return low
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if total.log_delta(middle) <= log_delta else (middle, high)
    return high
