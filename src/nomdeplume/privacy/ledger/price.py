"""What one released document costs, and in which distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from math import isfinite
from typing import Any

from nomdeplume.distance.metrics import AnyTwo
from nomdeplume.errors import InputError, positive
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.guarantee import BETWEEN

MICRO = 1_000_000
MOST = 10**12  # of a budget, so that it is a whole number of 64 bits


@lru_cache(maxsize=256)  # a ledger has few prices and many accounts
def micro(budget: float, *, most: bool = False) -> int:
    """A budget in whole millionths: rounded up, and a limit, of which it is the most, down.

    The twelve digits count that promises are stated with: 100 words at 0.07 are 7.

    >>> micro(20), micro(100 * 0.07), micro(1e-300), micro(1e-7, most=True)
    (20000000, 7000000, 1, 0)
    """
    if positive("a budget", budget) > MOST:
        raise InputError(f"a ledger holds budgets of up to {MOST:.0e}, got {budget:.3g}.")
    exact = Decimal(f"{budget:.12g}") * MICRO
    return int(exact.to_integral_value(ROUND_FLOOR if most else ROUND_CEILING))


@dataclass(frozen=True)
class Price:
    """What is charged for a document, and what it stands for.

    Budgets add up only if they count in the same distance, that of one table; `distance`
    names it. Between any two texts at all a release loses `loss`; where its law is known it is
    that of `words` Laplace draws in `dimensions`, which add up to less.
    """

    budget: float
    distance: str
    metric: str
    mechanism: str
    kept: str  # fingerprint of the kept words
    loss: float | None  # nats, between any two texts; none where nothing is promised for some
    words: int = 0
    dimensions: int = 0

    def of_units(self) -> Price:
        """The price of one document for all texts of a unit.

        Its promise compares the bags of whole units. A change that does not move the bag of one
        text can move that of its unit, so budgets of the two do not add up. A promise between
        any two texts whatsoever is one between any two units too.
        """
        if self.metric == AnyTwo().name:
            return self
        return replace(self, distance=f"{BETWEEN}units' {self.distance.removeprefix(BETWEEN)}")

    @property
    def micro(self) -> int:
        return micro(self.budget)

    @property
    def account(self) -> Account | None:
        """What is lost between any two texts, where its law is known."""
        if self.loss is None or not self.words:
            return None
        one = Account.of_bags(1.0, [self.loss / self.words], self.dimensions)
        return one.over_releases(self.words)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Price:
        """From what a ledger holds."""
        price = cls(**data)
        kinds = {"words": int, "dimensions": int, "budget": float, "loss": float | None}
        for name, value in data.items():
            if not isinstance(value, kinds.get(name, str)):
                raise TypeError(name)
        if not isfinite(price.loss or 0.0):
            raise ValueError("loss")
        return price
