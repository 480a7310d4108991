"""The plan whose longest move is shortest, exactly: a search for the smallest threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance.cheapest import cheapest
from nomdeplume.distance.paths import Widest, sooner
from nomdeplume.distance.plan import Plan, Problem

UNITS = 16  # pairs of units for a pair of words, up to which single units are matched
LARGEST = 2**31 - 1  # that SciPy's flows can hold


def threshold(problem: Problem) -> float:
    """W∞: the smallest r such that some plan moves nothing farther than r.

    It is one of the costs, and no less than what the worst-placed word must move. That
    bound is often reached, so the search leaps upwards from it and then halves.
    """
    costs = problem.costs
    if sooner(costs, "scipy.sparse.csgraph"):
        return Widest.of(costs, problem.supply, problem.demand).longest()
    least = max(costs.min(axis=1).max(), costs.min(axis=0).max())
    if _within(problem, least):
        return float(least)
    radii = np.unique(costs[costs > least])
    low, step = 0, 1  # radii before `low` are too small
    while low + step < len(radii) and not _within(problem, radii[low + step - 1]):
        low, step = low + step, 2 * step
    high = min(low + step - 1, len(radii) - 1)  # all costs allowed, all moves are
    while low < high:
        middle = (low + high) // 2
        if _within(problem, radii[middle]):
            high = middle
        else:
            low = middle + 1
    return float(radii[low])


def narrowest(problem: Problem) -> Plan:
    """The cheapest of the plans whose longest move is shortest."""
    radius = threshold(problem)
    n, m = problem.costs.shape
    least = float(problem.costs.min())
    # dearer than any detour: a detour replaces one move by at most min(n, m) allowed ones
    forbidden = (min(n, m) + 1) * ((radius - least) or 1.0)
    allowed = np.where(problem.costs <= radius, problem.costs - least, forbidden)
    plan = cheapest(Problem(allowed, problem.supply, problem.demand, problem.total))
    return problem.plan(plan.rows, plan.columns, plan.masses)


def _within(problem: Problem, radius: float) -> bool:
    """Whether all supply reaches the demand by moves of at most `radius`."""
    allowed = problem.costs <= radius
    n, m = allowed.shape
    if problem.total**2 <= UNITS * n * m:
        return _matched(allowed.repeat(problem.supply, axis=0).repeat(problem.demand, axis=1))
    if problem.total > LARGEST:
        beyond = np.maximum(problem.costs - radius, 0)  # which is nothing for a plan within
        far = Problem(beyond, problem.supply, problem.demand, problem.total)
        return cheapest(far).cost == 0
    return _flows(allowed, problem)


def _matched(allowed: NDArray[np.bool_]) -> bool:
    """Whether a matching of single units is complete."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    return bool((maximum_bipartite_matching(csr_array(allowed)) >= 0).all())


def _flows(allowed: NDArray[np.bool_], problem: Problem) -> bool:
    """Whether the largest flow from a source through allowed moves to a sink is everything."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n, m = allowed.shape
    rows, columns = np.nonzero(allowed)
    capacities = np.concatenate(
        [problem.supply, np.minimum(problem.supply[rows], problem.demand[columns]), problem.demand]
    )
    starts = np.concatenate([np.zeros(n), rows + 1, np.arange(m) + n + 1])
    ends = np.concatenate([np.arange(n) + 1, columns + n + 1, np.full(m, n + m + 1)])
    places = starts.astype(np.int32), ends.astype(np.int32)  # before SciPy 1.13 no others will do
    size = n + m + 2
    graph = csr_array((capacities.astype(np.int32), places), shape=(size, size))
    return int(maximum_flow(graph, 0, size - 1).flow_value) == problem.total
