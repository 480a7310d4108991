"""Transport plans: how much of each word of one bag goes to each word of the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance.cloud import Floats, Ints, counted, numbers
from nomdeplume.errors import InputError

LARGEST = 2**53  # up to which floats hold whole numbers


@dataclass(frozen=True, eq=False)
class Plan:
    """The moves of a plan: `masses[m]` of `total` go from `rows[m]` to `columns[m]`.

    Masses are whole numbers, so that a plan's margins hold exactly.
    """

    rows: Ints
    columns: Ints
    masses: Ints
    moved: Floats  # how far each goes
    total: int
    shape: tuple[int, int]

    @property
    def cost(self) -> float:
        """The mean move: W₁, if the plan is a cheapest one."""
        return float(self.masses @ self.moved / self.total)

    @property
    def longest(self) -> float:
        """The longest move: W∞, if no plan has a shorter one."""
        return float(self.moved.max())

    @property
    def matrix(self) -> Floats:
        """The shares moved, (n, m); rows and columns sum to the words' shares of their bags."""
        shares = np.zeros(self.shape)
        shares[self.rows, self.columns] = self.masses / self.total
        return shares


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be moved: from rows that supply to columns that demand, at these costs."""

    costs: Floats  # (n, m)
    supply: Ints  # (n,) in parts of `total`
    demand: Ints  # (m,)
    total: int

    @classmethod
    def of(
        cls, costs: ArrayLike, a: ArrayLike | None = None, b: ArrayLike | None = None
    ) -> Problem:
        """Rows that occur `a` times and columns that occur `b` times, of one mass in all."""
        table = numbers(costs)
        if table.ndim != 2:
            raise InputError("costs must be a table of finite numbers, a row for each first word.")
        rows, columns = counted(table.shape[0], a), counted(table.shape[1], b)
        return cls.checked(table, rows, columns)

    @classmethod
    def checked(cls, costs: Floats, a: Ints, b: Ints) -> Problem:
        """The same of what is known to be whole, finite and of fitting shapes."""
        first, second = int(a.sum()), int(b.sum())
        total = common(first, second)
        return cls(costs, a * (total // first), b * (total // second), total)

    def plan(self, rows: Ints, columns: Ints, masses: Ints) -> Plan:
        moved = self.costs[rows, columns]
        return Plan(rows, columns, masses, moved, self.total, self.costs.shape)


def common(first: int, second: int) -> int:
    """The parts into which bags of two sizes are split so that all masses are whole."""
    total = lcm(first, second)
    if total > LARGEST:
        raise InputError(f"bags of {first:,} and {second:,} words are too large to be compared.")
    return total
