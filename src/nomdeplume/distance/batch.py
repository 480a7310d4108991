"""Many problems of about one size at once: arrays do together what else many calls would."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nomdeplume.distance.cheapest import assignable, cheapest_move, over_prices, solved
from nomdeplume.distance.cloud import Floats, Ints
from nomdeplume.distance.narrowest import threshold
from nomdeplume.distance.plan import Problem, common

TINY = 1e-9  # of the longest way of the first word


@dataclass(frozen=True, eq=False)
class Side:
    """The bags of one side, stacked: the last word of a shorter bag stands in for what it lacks."""

    rows: Ints  # (problems, words) of the array of vectors
    counts: Ints
    words: Ints  # (problems,) how many are real

    @classmethod
    def of(cls, rows: Ints, counts: Ints, starts: Ints, documents: Ints) -> Side:
        """Some of many bags that stand one after the other in `rows` and `counts`."""
        words = starts[documents + 1] - starts[documents]
        steps = np.minimum(np.arange(words.max()), words[:, None] - 1)
        places = starts[documents][:, None] + steps
        return cls(rows[places], counts[places], words)

    def __getitem__(self, problems: Ints) -> Side:
        return Side(self.rows[problems], self.counts[problems], self.words[problems])

    @property
    def shares(self) -> Floats:
        """Each word's share of its bag; what stands in has none."""
        real = self.real
        return np.asarray(real / real.sum(axis=1, keepdims=True))

    @property
    def real(self) -> Ints:
        """Counts without those that stand in."""
        return np.where(np.arange(self.counts.shape[1]) < self.words[:, None], self.counts, 0)


@dataclass(frozen=True, eq=False)
class Batch:
    """Problems of bags against bags, and the distances between their words."""

    costs: Floats  # (problems, n, m)
    first: Side
    second: Side

    def __getitem__(self, problems: Ints) -> Batch:
        return Batch(self.costs[problems], self.first[problems], self.second[problems])

    def word_mover(self) -> list[float]:
        """W₁ of each; where it is next to nothing, once more with what is shared set aside."""
        tiny = TINY * self.costs[:, 0].max(axis=1)
        return [
            found if found > least else cheapest_move(self.problem(p)).cost
            for p, (found, least) in enumerate(zip(self._moved(), tiny.tolist(), strict=True))
        ]

    def _moved(self) -> list[float]:
        a, b = self.first.real, self.second.real
        x, y = a.sum(axis=1), b.sum(axis=1)
        over = over_prices(self.costs, self.first.shares, self.second.shares)
        if (x == x[0]).all() and (y == x[0]).all() and assignable(int(x[0]), over[0]):
            return self._matched(over, a, b, int(x[0]))
        found = []
        sizes = np.stack([self.first.words, self.second.words, x, y], axis=1).tolist()
        for p, (n, m, one, two) in enumerate(sizes):
            total = common(one, two)
            supply, demand = a[p, :n] * (total // one), b[p, :m] * (total // two)
            rows, columns, masses = solved(over[p, :n, :m], supply, demand)
            found.append(float(masses @ self.costs[p][rows, columns]) / total)
        return found

    def _matched(self, over: Floats, a: Ints, b: Ints, size: int) -> list[float]:
        """W₁ of each, where all bags have one size: by assignment of word to word."""
        from scipy.optimize import linear_sum_assignment

        problems, n, m = over.shape
        far = np.argsort(-over.sum(axis=2), axis=1)  # those that fit least come first
        rows = far.repeat(np.take_along_axis(a, far, axis=1).ravel()).reshape(-1, size)
        columns = np.tile(np.arange(m), problems).repeat(b.ravel()).reshape(-1, size)
        stack = np.arange(problems)[:, None]
        words = over.reshape(-1, m)[rows + stack * n]  # (problems, size, m)
        pairs = zip(words, columns, strict=True)
        found = [linear_sum_assignment(each.take(to, axis=1))[1] for each, to in pairs]
        moved = self.costs[stack, rows, np.take_along_axis(columns, np.stack(found), axis=1)]
        return moved.mean(axis=1).tolist()  # type: ignore[no-any-return]

    def bottleneck(self) -> list[float]:
        """W∞ of each."""
        return [threshold(self.problem(p)) for p in range(len(self.costs))]

    def problem(self, p: int) -> Problem:
        n, m = self.first.words[p], self.second.words[p]
        return Problem.checked(
            self.costs[p, :n, :m], self.first.counts[p, :n], self.second.counts[p, :m]
        )
