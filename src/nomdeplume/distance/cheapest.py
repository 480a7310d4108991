"""The cheapest plan, exactly: by paths, assignment, network simplex, or a linear program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from nomdeplume.distance.bounds import prices
from nomdeplume.distance.cloud import Floats, Ints
from nomdeplume.distance.paths import FEW, Paths, sooner
from nomdeplume.distance.plan import Plan, Problem
from nomdeplume.errors import InputError, PlumeError

Moves = tuple[Ints, Ints, Ints]  # from, to, how much
Solver = Callable[[Floats, Ints, Ints], Moves]

REPEATS = 2.5  # pairs of units for a pair of distinct words, from which the simplex is faster
UNITS, MORE = 1000, 8  # units, and pairs of them, up to which assignment beats the linear program
SOONER = 2_000  # units that are assigned sooner than POT is imported, if nobody did yet
VARIABLES = 4 * 10**6  # that the linear program can take


def cheapest(problem: Problem) -> Plan:
    """The plan that moves least in all, whatever the costs."""
    return problem.plan(*_moves(problem.costs, problem.supply, problem.demand))


def cheapest_move(problem: Problem) -> Plan:
    """The plan that moves least in all, where costs are distances of a metric.

    By the triangle inequality some cheapest plan leaves in place what both bags share:
    a word that moves on while another takes its place may as well stay. So shared mass
    is set aside first, and identical bags are exactly 0 apart.
    """
    rows, columns, masses, supply, demand = _shared(problem)
    i, j = np.flatnonzero(supply), np.flatnonzero(demand)
    if not len(i):
        return problem.plan(rows, columns, masses)
    costs = problem.costs
    rest = costs if (len(i), len(j)) == costs.shape else costs[np.ix_(i, j)]
    start, end, moved = _moves(rest, supply[i], demand[j])
    if not len(rows):
        return problem.plan(i[start], j[end], moved)
    return problem.plan(
        np.concatenate([rows, i[start]]),
        np.concatenate([columns, j[end]]),
        np.concatenate([masses, moved]),
    )


def _shared(problem: Problem) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """What stays in place (from, to, how much), and what is left to supply and demand."""
    supply, demand = problem.supply.copy(), problem.demand.copy()
    rows, columns = np.nonzero(problem.costs == 0)
    if len(rows) == len(set(rows.tolist())) == len(set(columns.tolist())):  # no word twice
        masses = np.minimum(supply[rows], demand[columns])
        supply[rows] -= masses
        demand[columns] -= masses
        return rows, columns, masses, supply, demand
    masses = np.zeros(len(rows), np.int64)
    firsts = np.flatnonzero(np.diff(rows, prepend=-1))
    for start, end in pairwise([*firsts.tolist(), len(rows)]):
        i, js = rows[start], columns[start:end]
        reached = np.minimum(np.cumsum(demand[js]), supply[i])
        masses[start:end] = taken = np.diff(reached, prepend=0)
        demand[js] -= taken
        supply[i] -= reached[-1]
    stays = masses > 0
    return rows[stays], columns[stays], masses[stays], supply, demand


def _moves(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """The moves of a cheapest plan, none of them twice."""
    unit = int(np.gcd(np.gcd.reduce(supply), np.gcd.reduce(demand)))
    if unit > 1:
        supply, demand = supply // unit, demand // unit
    over = over_prices(costs, supply.astype(np.float64), demand.astype(np.float64))
    rows, columns, masses = solved(over, supply, demand)
    pairs, place = np.unique(rows * costs.shape[1] + columns, return_inverse=True)
    summed = np.zeros(len(pairs), np.int64)
    np.add.at(summed, place, masses)
    return *np.divmod(pairs, costs.shape[1]), summed * unit


def over_prices(costs: Floats, a: Floats, b: Floats) -> Floats:
    """Costs over good prices: the same plans are cheapest, and far sooner found.

    Taking prices off rows and columns takes one sum off every plan. What is left of
    the costs is 0 or nearly so where the best plans go.
    """
    u, v = prices(costs, a, b)
    over = costs - v[..., None, :]
    over -= u[..., None]
    return over


def solved(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """The moves of a cheapest plan; some may be there in parts."""
    return _solver(costs, int(supply.sum()))(costs, supply, demand)


def _solver(costs: Floats, units: int) -> Solver:
    """Paths at first; assignment of single units if they are few, the simplex, or what there is."""
    if min(costs.shape) == 1:
        return _only
    single = assignable(units, costs)
    if sooner(costs, "scipy.optimize" if single else "ot"):
        return _by_paths
    if single or (units <= SOONER and costs.size > FEW and "ot" not in sys.modules):
        return _assigned
    if simplex() or costs.size <= FEW:
        return _by_simplex if simplex() else _by_paths
    if units <= UNITS or units**2 <= MORE * costs.size:
        return _assigned
    if costs.size > VARIABLES:
        raise InputError(
            f"a plan between {costs.shape[0]:,} and {costs.shape[1]:,} words needs POT: "
            "pip install 'nomdeplume[wmd]'"
        )
    return _programmed


def assignable(units: int, costs: Floats) -> bool:
    """Whether words repeat so little that one unit after the other is the fastest way."""
    return units**2 <= REPEATS * costs.size


def _only(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """The one plan there is if a side has one word."""
    rows, columns = np.indices(costs.shape).reshape(2, -1)
    return rows, columns, np.minimum(supply[rows], demand[columns])


def _assigned(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """Equally many units on both sides: some cheapest plan is a permutation (Birkhoff)."""
    from scipy.optimize import linear_sum_assignment

    far = np.argsort(-costs.sum(axis=1))  # first those that fit least: others then step aside less
    rows, columns = far.repeat(supply[far]), np.arange(len(demand)).repeat(demand)
    costs = costs[rows]
    if len(columns) > len(demand):
        costs = costs[:, columns]
    _, matched = linear_sum_assignment(costs)  # of the rows in their order
    return rows, columns[matched], np.ones(len(rows), np.int64)


def _by_paths(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """What goes along shortest paths."""
    masses = Paths.of(costs, supply, demand).fill().moved
    rows, columns = np.nonzero(masses)
    return rows, columns, masses[rows, columns]


def _by_simplex(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """The network simplex of POT; its plan is whole, but for rounding, if the margins are."""
    total = float(supply.sum())
    plan, log = simplex()(
        supply / total,
        demand / total,
        np.ascontiguousarray(_of_usual_size(costs)),
        numItermax=10**8,
        log=True,
        center_dual=False,
        check_marginals=False,
    )
    if log["warning"]:
        raise PlumeError(f"no cheapest plan was found: {log['warning']}")
    return _whole(plan * total, supply, demand)


def _programmed(costs: Floats, supply: Ints, demand: Ints) -> Moves:
    """The linear program over plans; its corners are whole if the margins are."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, eye_array, kron

    n, m = costs.shape
    sums = block_array(
        [[kron(eye_array(n), np.ones((1, m)))], [kron(np.ones((1, n)), eye_array(m))]]
    )
    # one equation follows from the others; dropping it keeps rounding from contradicting it
    total = float(supply.sum())
    margins = np.concatenate([supply, demand])[:-1] / total
    precise = {"dual_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-10}
    solution = linprog(
        _of_usual_size(costs).ravel(),
        A_eq=sums.tocsr()[:-1],
        b_eq=margins,
        method="highs-ds",
        options=precise,
    )
    if solution.status != 0:
        raise PlumeError(f"no cheapest plan was found: {solution.message}")
    return _whole(solution.x.reshape(n, m) * total, supply, demand)


def _of_usual_size(costs: Floats) -> Floats:
    """Costs times a power of two, so that a solver's fixed tolerances are small beside them."""
    _, exponent = np.frexp(np.abs(costs).max())
    return np.ldexp(costs, 20 - int(exponent))


def _whole(plan: Floats, supply: Ints, demand: Ints) -> Moves:
    """The moves of a plan whose masses are whole but for rounding."""
    masses = np.rint(plan).astype(np.int64)
    if (masses.sum(axis=1) != supply).any() or (masses.sum(axis=0) != demand).any():
        raise PlumeError("no cheapest plan was found: the solver's plan does not add up.")
    rows, columns = np.nonzero(masses)
    return rows, columns, masses[rows, columns]


@lru_cache(maxsize=1)
def simplex() -> Any:
    """POT's network simplex if it is installed, else nothing."""
    try:
        from ot.lp import emd
    except ModuleNotFoundError:
        return None
    return emd
