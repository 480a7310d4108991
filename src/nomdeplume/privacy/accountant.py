"""The accountant: what Laplace noise loses over words, documents and releases, up to a δ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, inf, log
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance.cloud import Floats, numbers
from nomdeplume.errors import InputError, positive, whole
from nomdeplume.privacy.loss import Loss
from nomdeplume.privacy.loss_sum import TiltedSum, summed
from nomdeplume.privacy.loss_terms import Mixture, Terms

Ways = tuple[Mixture, ...]  # to see one release, all of them right

LEAST = 1e-9  # pure losses below are what they are up to any δ
LARGEST = 1e6  # so are those of single words above


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
        cls, epsilon: float, distances: ArrayLike, shares: ArrayLike, size: int, dimensions: int
    ) -> Account:
        """Between two texts of which `size` words are drawn, by any plan from one to the other.

        Whoever is also told which move of the plan a draw belongs to knows no less; and
        then the loss is that of a move, drawn by its share.
        """
        k, losses, parts = (
            whole("dimensions", dimensions),
            _losses(epsilon, distances),
            numbers(shares),
        )
        right = parts.shape == losses.shape and (parts > 0).all() and abs(parts.sum() - 1) < 1e-9
        if not right or not losses.size:
            raise InputError("shares must be numbers above 0 that sum to 1, one for each distance.")
        moves, place = np.unique(losses, return_inverse=True)
        summed_shares = np.bincount(place, parts / parts.sum())
        mixture = Mixture(k, tuple(moves.tolist()), tuple(summed_shares.tolist()))
        return cls._of(Counter({(mixture,): whole("size", size)}))

    @classmethod
    def _of(cls, counted: Counter[Ways]) -> Account:
        """What moves of this; a word that stays where it is loses nothing."""
        moving = [each for each in counted.items() if all(mixture.pure for mixture in each[0])]
        account = cls(tuple(sorted(moving, key=repr)))
        if account.pure == inf:
            raise InputError("a loss this large cannot be stated.")
        return account

    def __repr__(self) -> str:
        words = sum(count for _, count in self.terms)
        return f"<Account: {words:,} words that move, loss ≤ {self.pure:.6g}>"

    @cached_property
    def pure(self) -> Loss:
        """The loss that no release exceeds."""
        return Loss(self._terms.pure)

    def loss(self, delta: float) -> Loss:
        """The least loss at which δ is enough, rounded up."""
        if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < delta < 1:
            raise InputError(f"delta must be a number between 0 and 1, got {delta!r:.20}.")
        most = min(self.pure, _answers_loss(self.pure, float(delta)))
        if not self._known:
            return Loss(most)
        total = summed(self._terms, self._terms.tilt_for_delta(log(delta)))
        return Loss(min(most, _least(total, log(delta), self.pure)))

    def delta(self, loss: float) -> float:
        """The least δ that is enough at a loss, rounded up."""
        if isinstance(loss, bool) or not isinstance(loss, Real) or not 0 <= loss < inf:
            raise InputError(f"loss must be a finite number of at least 0, got {loss!r:.20}.")
        if loss >= self.pure:
            return 0.0
        most = _answers_delta(self.pure, float(loss))
        if not self._known:
            return most
        total = summed(self._terms, self._terms.tilt_for_loss(loss))
        return min(most, max(exp(total.log_delta(loss)), 5e-324))  # not 0 below the pure loss

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

    def __or__(self, other: Account) -> Account:
        """Of one release of drawn words that is seen by two plans: by the better one at a time."""
        if not self.terms or not other.terms:
            return Account(())
        if len(self.terms) + len(other.terms) > 2 or self.terms[0][1] != other.terms[0][1]:
            raise InputError("two plans must be of one release, of the same number of draws.")
        [(ways, count)], [(others, _)] = self.terms, other.terms
        return Account((((*ways, *others), count),))

    @cached_property
    def _terms(self) -> Terms:
        return Terms([ways for ways, _ in self.terms], [count for _, count in self.terms])

    @property
    def _known(self) -> bool:
        """Whether losses are of a size whose law is computed; else others than pure are not."""
        largest = [mixture.pure for ways, _ in self.terms for mixture in ways]
        return self.pure > LEAST and max(largest) < LARGEST


def _losses(epsilon: float, distances: ArrayLike) -> Floats:
    with np.errstate(over="ignore"):  # what is infinite is refused
        losses = positive("epsilon", epsilon) * numbers(distances)
    if losses.ndim != 1 or not ((losses >= 0) & np.isfinite(losses)).all():
        raise InputError("distances must be a list of finite numbers of at least 0.")
    return np.asarray(losses)


def _answers_delta(pure: float, loss: float) -> float:
    """δ of the worst release with that pure loss, one of two answers.

    It is (e^pure − e^loss)/(1 + e^pure).
    """
    return -expm1(loss - pure) / (1 + exp(-pure)) * (1 + 1e-12)


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
