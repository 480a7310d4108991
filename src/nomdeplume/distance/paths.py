"""Plans by shortest paths: for few words they are found sooner than a solver is imported."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Self

import numpy as np

from nomdeplume.distance.cloud import Floats, Ints
from nomdeplume.errors import PlumeError

NOWHERE = -1
FEW, ALL = 10_000, 100_000  # pairs of words in a problem, and in those solved before an import


class _Solved:
    """How many pairs of words were in problems so far."""

    pairs = 0


def sooner(costs: Floats, solver: str) -> bool:
    """Whether paths are found sooner than a solver's module is imported, if nobody did yet.

    It pays to import it for many problems, so only the first ones are solved without.
    """
    if costs.size > FEW or solver in sys.modules or _Solved.pairs >= ALL:
        return False
    _Solved.pairs += costs.size
    return True


@dataclass(frozen=True, eq=False)
class Paths:
    """A plan that grows row by row, and prices that show it to be a cheapest so far.

    Costs over prices, C − u − v, are nowhere below 0, and 0 wherever something moves: no plan
    of what has moved so far is cheaper. What is left in a row goes along a path that is
    shortest by these costs: on to a column, and where that is full, what came there before
    goes elsewhere. Lengths of paths become prices, by which both stays true.
    """

    costs: Floats  # (n, m)
    moved: Ints  # (n, m)
    left: Ints  # (n,) still to be moved away
    room: Ints  # (m,) still to be filled
    u: Floats  # (n,)
    v: Floats  # (m,)

    @classmethod
    def of(cls, costs: Floats, supply: Ints, demand: Ints) -> Self:
        u = costs.min(axis=1)
        v = (costs - u[:, None]).min(axis=0)
        return cls(costs, np.zeros(costs.shape, np.int64), supply.copy(), demand.copy(), u, v)

    def fill(self) -> Self:
        """Move everything."""
        self._begin(0.0)
        for row in range(len(self.left)):
            while self.left[row]:
                self._send(row, 0.0)
        return self

    def _begin(self, length: float) -> None:
        """Move what can go at once: by one move, on which a path grows no longer."""
        ways = self._ways(np.arange(len(self.left)), length)
        for row, column in np.argwhere(ways <= length).tolist():
            self.moved[row, column] = most = min(self.left[row], self.room[column])
            self.left[row] -= most
            self.room[column] -= most

    def _send(self, start: int, length: float) -> float:
        """Move what one shortest path from a row to a column with room can take.

        Paths begin with a length, and what is returned is how long this one is.
        """
        n, m = self.costs.shape
        reached, by = np.full(m, np.inf), np.full(m, NOWHERE)  # columns: how far, from which row
        over, via = np.full(n, np.inf), np.full(n, NOWHERE)  # rows: how far, from which column
        done = np.zeros(m, dtype=np.bool_)
        over[start] = length
        rows = np.array([start])
        while True:
            if len(rows):
                ways = self._ways(rows, length)
                first = ways.argmin(axis=0)
                ways = ways[first, np.arange(m)]
                nearer = (ways < reached) & ~done
                reached[nearer], by[nearer] = ways[nearer], rows[first[nearer]]
            ahead = np.where(done, np.inf, reached)
            length = max(length, float(ahead.min()))  # rounding may not turn back
            if length == np.inf:
                raise PlumeError("no plan moves all: more is to be moved than there is room for.")
            near = np.flatnonzero(ahead <= length)
            column = int(near[self.room[near].argmax()])  # one with room, if any has
            if self.room[column]:
                break
            done[column] = True
            rows = np.flatnonzero((self.moved[:, column] > 0) & (over == np.inf))
            over[rows], via[rows] = length, column
        self._price(length, over, np.where(done, reached, np.inf))
        self._move(start, column, by, via)
        return length

    def _ways(self, rows: Ints, length: float) -> Floats:
        """How long paths become that are `length` long and go on from a row to any column."""
        return np.asarray(length + (self.costs[rows] - self.u[rows, None] - self.v))

    def _price(self, length: float, rows: Floats, columns: Floats) -> None:
        """Add to the prices of what was passed by how much the path went on from there."""
        self.u[:] += np.maximum(length - rows, 0)
        self.v[:] -= np.maximum(length - columns, 0)

    def _move(self, start: int, column: int, by: Ints, via: Ints) -> None:
        """Along the path that ends in a column: forth to it, and back from where it is taken."""
        forth, back = [(int(by[column]), column)], []
        while (row := forth[-1][0]) != start:
            back.append((row, int(via[row])))
            forth.append((int(by[via[row]]), int(via[row])))
        most = min(self.left[start], self.room[column], *(self.moved[pair] for pair in back))
        for pair in forth:
            self.moved[pair] += most
        for pair in back:
            self.moved[pair] -= most
        self.left[start] -= most
        self.room[column] -= most


class Widest(Paths):
    """The same where a path is as long as its longest move, and taking back is free.

    If the shortest path from a row is longer than r, no plan moves all by moves up to r: the
    longest of all paths is the longest move of the plan where that is shortest.
    """

    def longest(self) -> float:
        """Move everything, and say how far at most."""
        found = float(max(self.costs.min(axis=1).max(), self.costs.min(axis=0).max()))
        self._begin(found)
        for row in range(len(self.left)):
            while self.left[row]:
                found = self._send(row, found)
        return found

    def _ways(self, rows: Ints, length: float) -> Floats:
        return np.maximum(self.costs[rows], length)

    def _price(self, length: float, rows: Floats, columns: Floats) -> None:
        """There are no prices: costs are what they are."""
