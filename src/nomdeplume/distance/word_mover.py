"""Word Mover's Distance W₁ and bottleneck distance W∞ between two bags of vectors.

Both bags weigh 1 in all, whatever their sizes; distances are Euclidean, between the
vectors as they are.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from nomdeplume.distance.cheapest import cheapest, cheapest_move
from nomdeplume.distance.cloud import Cloud, distances
from nomdeplume.distance.narrowest import narrowest, threshold
from nomdeplume.distance.plan import Plan, Problem
from nomdeplume.errors import InputError

Points = Cloud | ArrayLike  # a bag: a cloud, or an array with a row for each word


def word_mover(x: Points, y: Points) -> float:
    """Word Mover's Distance W₁: the mean move of a cheapest plan from x to y.

    >>> word_mover([[0, 0], [0, 4]], [[0, 1]])
    2.0
    """
    return word_mover_plan(x, y).cost


def bottleneck(x: Points, y: Points) -> float:
    """Bottleneck distance W∞: the smallest r such that a plan moves no word farther than r.

    >>> bottleneck([[0, 0], [0, 4]], [[0, 1]])
    3.0
    """
    return threshold(_problem(x, y))


def word_mover_plan(x: Points, y: Points) -> Plan:
    """A cheapest plan from x to y: what goes where, and how far."""
    return cheapest_move(_problem(x, y))


def bottleneck_plan(x: Points, y: Points) -> Plan:
    """Of the plans with the shortest longest move, a cheapest."""
    return narrowest(_problem(x, y))


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


def _problem(x: Points, y: Points) -> Problem:
    one, two = Cloud.of(x), Cloud.of(y)
    return Problem.checked(distances(one.points, two.points), one.counts, two.counts)
