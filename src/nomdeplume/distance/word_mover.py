"""Transport between two bags of vectors: the mean move W₁ and the longest move W∞.

A bag is an array of vectors, one row a word, with a count for each row (one if
none are given). Both bags weigh 1 in total, whatever their sizes.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError

Points = ArrayLike  # (n, k)
Counts = ArrayLike  # (n,) whole numbers
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ASSIGNABLE = 512  # words up to which one row per word beats a linear program on distinct words


def word_mover(x: Points, y: Points, a: Counts | None = None, b: Counts | None = None) -> float:
    """Word Mover's Distance W₁: the mean distance moved by a cheapest plan from x to y.

    With equally many words on both sides some cheapest plan is a permutation
    (Birkhoff), so an assignment solver is exact; other sizes need the transport program.
    """
    xs, a_ = _bag(x, a)
    ys, b_ = _bag(y, b)
    costs = distances(xs, ys)
    size = int(a_.sum())
    if size == b_.sum() and size <= ASSIGNABLE:
        return _assign(costs.repeat(a_, axis=0).repeat(b_, axis=1))
    return _transport(costs, a_, b_)


def bottleneck(x: Points, y: Points, a: Counts | None = None, b: Counts | None = None) -> float:
    """W∞: the smallest r such that some plan from x to y moves no word farther than r.

    Whether a plan stays within r is a question of maximum flow. The answer is one
    of the pairwise distances, so a binary search over them is exact.
    """
    xs, a_ = _bag(x, a)
    ys, b_ = _bag(y, b)
    costs = distances(xs, ys)
    common = gcd(int(a_.sum()), int(b_.sum()))
    supply, demand = a_ * (b_.sum() // common), b_ * (a_.sum() // common)  # one common total
    if supply.sum() >= 2**31:
        raise InputError("the two bags are too large for a bottleneck distance.")
    radii = np.unique(costs)
    low, high = 0, len(radii) - 1  # everything moves within the largest distance
    while low < high:
        middle = (low + high) // 2
        if _flows(costs <= radii[middle], supply, demand):
            high = middle
        else:
            low = middle + 1
    return float(radii[low])


def distances(x: Floats, y: Floats) -> Floats:
    """Euclidean distances between the rows of x and of y; equal rows are exactly 0 apart."""
    return np.array([np.sqrt(((row - y) ** 2).sum(axis=1)) for row in x])


def _bag(points: Points, counts: Counts | None) -> tuple[Floats, Ints]:
    rows = np.atleast_2d(np.asarray(points, dtype=np.float64))
    if not rows.size:
        raise InputError("a bag must hold at least one word, got none.")
    weights = np.ones(len(rows), np.int64) if counts is None else np.asarray(counts, np.int64)
    if weights.shape != (len(rows),) or (weights < 1).any():
        raise InputError(f"{len(rows)} words need {len(rows)} counts of at least 1.")
    return rows, weights


def _assign(costs: Floats) -> float:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    return float(costs[rows, columns].mean())


def _transport(costs: Floats, a: Ints, b: Ints) -> float:
    """The linear program over plans: rows sum to a, columns to b."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, eye_array, kron

    n, m = costs.shape
    sums = block_array(
        [[kron(eye_array(n), np.ones((1, m)))], [kron(np.ones((1, n)), eye_array(m))]]
    )
    masses = np.concatenate([a / a.sum(), b / b.sum()])
    # one equation follows from the others; dropping it keeps rounding from contradicting it
    solution = linprog(costs.ravel(), A_eq=sums.tocsr()[:-1], b_eq=masses[:-1], method="highs")
    if solution.status != 0:
        raise InputError(f"the transport program has no solution: {solution.message}")
    return max(float(solution.fun), 0.0)


def _flows(allowed: NDArray[np.bool_], supply: Ints, demand: Ints) -> bool:
    """Whether all supply reaches the demand along allowed moves."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n, m = allowed.shape
    total = int(supply.sum())
    capacity = np.zeros((n + m + 2, n + m + 2), dtype=np.int32)
    capacity[0, 1 : n + 1] = supply
    capacity[1 : n + 1, n + 1 : -1] = np.where(allowed, total, 0)
    capacity[n + 1 : -1, -1] = demand
    return int(maximum_flow(csr_array(capacity), 0, n + m + 1).flow_value) == total
