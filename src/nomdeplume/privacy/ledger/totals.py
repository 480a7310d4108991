"""What was spent: in budgets, and as the loss between any two texts, purely and up to a δ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.ledger.price import MICRO, Price
from nomdeplume.privacy.loss import Loss

MANY = 10**6  # draws of noise whose law is added up; beyond them losses are the pure ones


@dataclass(frozen=True)
class Spent:
    """Releases of one document, of an author, or of all, by what each of them cost."""

    prices: tuple[tuple[Price, int], ...] = ()  # and how many releases there were at each

    @property
    def releases(self) -> int:
        return sum(count for _, count in self.prices)

    @property
    def micro(self) -> int:
        return sum(price.micro * count for price, count in self.prices)

    @property
    def budget(self) -> float:
        """E: between two texts at most E times their distance was lost."""
        return self.micro / MICRO

    @property
    def pure(self) -> Loss | None:
        """The loss between any two texts at all; none where nothing is promised for some."""
        return _pure(self.prices)

    def loss(self, delta: float) -> Loss | None:
        """The same up to a δ, for all releases together; never more than the pure one."""
        return _loss(self.prices, delta)

    def __add__(self, other: Spent) -> Spent:
        """Of both: who has several accounts has spent them all."""
        return Spent.of((*self.prices, *other.prices))

    @classmethod
    def of(cls, prices: Iterable[tuple[Price, int]]) -> Spent:
        counts: dict[Price, int] = {}
        for price, count in prices:
            counts[price] = counts.get(price, 0) + count
        return cls(tuple(counts.items()))


def _pure(prices: tuple[tuple[Price, int], ...]) -> Loss | None:
    losses = [(price.loss, count) for price, count in prices]
    if any(loss is None for loss, _ in losses):
        return None
    return Loss(fsum(loss * count for loss, count in losses if loss))


@lru_cache(maxsize=1024)  # most accounts of a ledger are alike
def _loss(prices: tuple[tuple[Price, int], ...], delta: float) -> Loss | None:
    pure = _pure(prices)
    if pure is None:
        return None
    known = Account(())
    others: list[tuple[Price, int]] = []
    for price, count in prices:
        account = price.account if price.words * count <= MANY else None
        if account is None:
            others.append((price, count))
        else:
            known += account.over_releases(count)
    rest = _pure(tuple(others)) or 0.0
    return Loss(min(pure, known.loss(delta) + rest) if known.terms else pure)
