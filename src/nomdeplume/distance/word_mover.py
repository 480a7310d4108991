"""Word Mover's Distance W₁ and bottleneck distance W∞ between two bags of vectors.

Both bags weigh 1 in all, whatever their sizes; distances are Euclidean, between the
vectors as they are, unless another way to tell words apart is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance.cheapest import cheapest, cheapest_move
from nomdeplume.distance.cloud import Cloud, Floats, distances
from nomdeplume.distance.narrowest import narrowest, threshold
from nomdeplume.distance.plan import Plan, Problem
from nomdeplume.errors import InputError

Apart = Callable[[Floats, Floats], Floats]  # distances between the rows of two arrays
Points = Cloud | ArrayLike  # a bag: a cloud, or an array with a row for each word


def word_mover(x: Points, y: Points, apart: Apart = distances) -> float:
    """Word Mover's Distance W₁: the mean move of a cheapest plan from x to y.

    >>> word_mover([[0, 0], [0, 4]], [[0, 1]])
    2.0
    """
    return word_mover_plan(x, y, apart).cost


def bottleneck(x: Points, y: Points, apart: Apart = distances) -> float:
    """Bottleneck distance W∞: the smallest r such that a plan moves no word farther than r.

    >>> bottleneck([[0, 0], [0, 4]], [[0, 1]])
    3.0
    """
    costs, problem = _problem(x, y, apart)
    found = threshold(problem)
    return found if found <= costs[np.isfinite(costs)].max(initial=0.0) else inf


def word_mover_plan(x: Points, y: Points, apart: Apart = distances) -> Plan:
    """A cheapest plan from x to y: what goes where, and how far."""
    costs, problem = _problem(x, y, apart)
    plan = cheapest_move(problem)
    return plan if problem.costs is costs else replace(plan, moved=costs[plan.rows, plan.columns])


def bottleneck_plan(x: Points, y: Points) -> Plan:
    """Of the plans with the shortest longest move, a cheapest."""
    return narrowest(_problem(x, y, distances)[1])


def transport(
    costs: ArrayLike,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    metric: str = "w1",
) -> Plan:
    """The best plan for any table of costs, whose rows and columns may carry counts.

    >>> plan = transport([[1, 2], [0, 4]], a=[1, 1], b=[2, 2])
    >>> plan.cost, plan.matrix.tolist()
    (1.0, [[0.0, 0.5], [0.5, 0.0]])
    >>> transport([[1, 2], [0, 4]], metric="winf").longest
    2.0
    """
    if metric not in ("w1", "winf"):
        raise InputError("metric must be w1 or winf.")
    problem = Problem.of(costs, a, b)
    return cheapest(problem) if metric == "w1" else narrowest(problem)


def _problem(x: Points, y: Points, apart: Apart) -> tuple[Floats, Problem]:
    """The costs, and the problem. Where moves are forbidden, they are dearer there than any other.

    A plan without forbidden moves costs at most its dearest move; one with them has at
    least one unit of `total` among them, which costs more.
    """
    one, two = Cloud.of(x), Cloud.of(y)
    costs = apart(one.points, two.points)
    problem = Problem.checked(costs, one.counts, two.counts)
    allowed = np.isfinite(costs)
    if allowed.all():
        return costs, problem
    dear = 2.0 * problem.total * (costs[allowed].max(initial=0.0) + 1)
    return costs, replace(problem, costs=np.where(allowed, costs, dear))
