"""Word Mover's Distance and bottleneck distance are what they are called."""

from itertools import permutations

import numpy as np
import ot
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from nomdeplume import InputError
from nomdeplume.distance import (
    Cloud,
    bottleneck,
    bottleneck_plan,
    paths,
    transport,
    word_mover,
    word_mover_plan,
)
from nomdeplume.distance import cheapest as solver
from nomdeplume.distance.bounds import centroid, priced, relaxed, relaxed_longest, smoothed
from nomdeplume.distance.cloud import distances
from nomdeplume.distance.narrowest import threshold
from nomdeplume.distance.paths import Widest
from nomdeplume.distance.plan import Problem

RELATIVE = 1e-9


@st.composite
def clouds(draw, most=7, dimensions=2):
    """Bags on a small grid, where ties, repeats and shared words are common; with counts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, most))
    fine = draw(st.booleans())
    points = rng.standard_normal((n, dimensions)) if fine else rng.integers(-2, 3, (n, dimensions))
    return Cloud.of(points, rng.integers(1, 5, n))


def repeated(cloud):
    return cloud.points.repeat(cloud.counts, axis=0)


def shares(cloud):
    return cloud.counts / cloud.counts.sum()


def by_pot(x, y):
    return ot.emd2(shares(x), shares(y), cdist(x.points, y.points), numItermax=10**7)


checked = settings(deadline=None, max_examples=80)


@checked
@given(clouds(), clouds())
def test_both_are_zero_for_equal_bags_and_symmetric(x, y):
    assert word_mover(x, x) == 0
    assert bottleneck(x, x) == 0
    assert word_mover(x, y) == pytest.approx(word_mover(y, x), rel=RELATIVE)
    assert bottleneck(x, y) == pytest.approx(bottleneck(y, x), rel=RELATIVE)


@checked
@given(clouds(), clouds())
def test_both_are_positive_for_bags_of_other_frequencies(x, y):
    def frequencies(cloud):
        found = {}
        for point, share in zip(cloud.points.tolist(), shares(cloud), strict=True):
            found[tuple(point)] = found.get(tuple(point), 0) + share
        return found

    one, two = frequencies(x), frequencies(y)
    same = one.keys() == two.keys() and all(abs(one[p] - two[p]) < 1e-12 for p in one)

    assert (word_mover(x, y) == 0) == same
    assert (bottleneck(x, y) == 0) == same


@checked
@given(clouds(), clouds(), clouds())
def test_the_triangle_inequality(x, y, z):
    assert word_mover(x, z) <= word_mover(x, y) + word_mover(y, z) + 1e-9
    assert bottleneck(x, z) <= bottleneck(x, y) + bottleneck(y, z) + 1e-9


@checked
@given(clouds(), clouds(), st.randoms(use_true_random=False))
def test_order_of_words_does_not_matter(x, y, random):
    order = list(range(len(x.points)))
    random.shuffle(order)
    shuffled = Cloud(x.points[order], x.counts[order])

    assert word_mover(shuffled, y) == pytest.approx(word_mover(x, y), rel=RELATIVE)
    assert bottleneck(shuffled, y) == pytest.approx(bottleneck(x, y), rel=RELATIVE)


@checked
@given(clouds(), clouds(), st.sampled_from([1e-6, 0.25, 3.0, 1e6]), st.floats(-9, 9))
def test_scaling_scales_and_shifting_does_nothing(x, y, factor, shift):
    def moved(cloud):
        return Cloud(factor * cloud.points + shift, cloud.counts)

    for distance in (word_mover, bottleneck):
        due = factor * distance(x, y)
        assert distance(moved(x), moved(y)) == pytest.approx(due, rel=1e-6, abs=1e-9 * (1 + factor))


@checked
@given(clouds(), clouds(), st.integers(2, 5))
def test_only_frequencies_count(x, y, times):
    larger = Cloud(x.points, x.counts * times)

    assert word_mover(larger, y) == pytest.approx(word_mover(x, y), rel=RELATIVE)
    assert bottleneck(larger, y) == bottleneck(x, y)


@checked
@given(clouds(), clouds())
def test_counts_stand_for_repeated_rows(x, y):
    apart = word_mover(repeated(x), repeated(y))

    assert word_mover(x, y) == pytest.approx(apart, rel=RELATIVE)
    assert bottleneck(x, y) == pytest.approx(bottleneck(repeated(x), repeated(y)), rel=RELATIVE)


@checked
@given(clouds(), clouds())
def test_bounds_lie_below(x, y):
    """centroid ≤ W₁ and relaxed ≤ priced-up prices ≤ W₁ ≤ W∞."""
    costs, a, b = distances(x.points, y.points), shares(x), shares(y)
    mean, longest = word_mover(x, y), bottleneck(x, y)

    assert centroid(x.mean, y.mean) <= mean + 1e-9
    for bound in (relaxed, priced, smoothed):
        assert bound(costs, a, b) <= mean + 1e-9
    assert relaxed_longest(costs) <= longest
    assert mean <= longest + 1e-9


def test_bounds_are_near_on_scattered_words(rng):
    """The dearer bounds say more than the cheaper: that is what they are for."""
    said = []
    for _ in range(50):
        x, y = Cloud.of(rng.standard_normal((40, 20))), Cloud.of(rng.standard_normal((45, 20)))
        costs, a, b = distances(x.points, y.points), shares(x), shares(y)
        exact = word_mover(x, y)
        bounds = (relaxed, priced, smoothed)
        said.append([centroid(x.mean, y.mean) / exact, *(f(costs, a, b) / exact for f in bounds)])
    ratios = np.mean(said, axis=0)

    assert list(ratios) == sorted(ratios)
    assert ratios[1] > 0.8
    assert ratios[3] > 0.97


@pytest.fixture(params=["by_paths", "assigned", "by_simplex", "programmed"])
def solving(request, monkeypatch):
    """Every way of solving, on problems that another would be chosen for."""
    way = getattr(solver, f"_{request.param}")
    monkeypatch.setattr(solver, "_solver", lambda *_: way)
    return request.param


@pytest.mark.parametrize("sizes", [(1, 1), (1, 6), (5, 5), (12, 9), (30, 30)])
def test_every_way_of_solving_agrees_with_pot(solving, sizes, rng):
    for _ in range(8):
        x, y = (Cloud.of(rng.integers(-2, 3, (n, 3)), rng.integers(1, 4, n)) for n in sizes)
        found = word_mover_plan(x, y)

        assert found.cost == pytest.approx(by_pot(x, y), rel=RELATIVE)
        assert found.matrix.sum(axis=1) == pytest.approx(shares(x))
        assert found.matrix.sum(axis=0) == pytest.approx(shares(y))


@pytest.mark.parametrize(("n", "m"), [(60, 60), (300, 260), (500, 500)])
def test_long_texts_agree_with_pot(n, m, rng):
    table = rng.standard_normal((400, 25))
    x, y = (np.unique(rng.zipf(1.3, size) % 400, return_counts=True) for size in (n, m))
    x, y = (Cloud(table[ids], counts) for ids, counts in (x, y))

    assert word_mover(x, y) == pytest.approx(by_pot(x, y), rel=RELATIVE)


@checked
@given(clouds(most=5), clouds(most=5), st.integers(0, 2**32))
def test_any_costs_will_do(x, y, seed):
    """Costs need be no distances: what is shared need not stay."""
    costs = np.random.default_rng(seed).normal(0, 3, (len(x.points), len(y.points)))
    plan = transport(costs, x.counts, y.counts)

    due = ot.emd2(shares(x), shares(y), costs)
    assert plan.cost == pytest.approx(due, rel=RELATIVE, abs=1e-12)


def test_what_is_shared_moves_if_costs_are_no_distances():
    assert transport([[0, 1], [1, 9]]).cost == 1.0


@checked
@given(clouds(most=4), clouds(most=4))
def test_the_longest_move_is_the_shortest_possible(x, y):
    """Brute force: over all matchings of equally many copies of the words."""
    x, y = (
        Cloud(x.points, np.ones(len(x.points), int)),
        Cloud(y.points, np.ones(len(y.points), int)),
    )
    times = np.lcm(len(x.points), len(y.points))
    if times > 6:
        times = len(x.points)
        y = Cloud(np.resize(y.points, x.points.shape), x.counts)
    one = x.points.repeat(times // len(x.points), axis=0)
    two = y.points.repeat(times // len(y.points), axis=0)
    costs = cdist(one, two)
    due = min(max(costs[i, j] for i, j in enumerate(order)) for order in permutations(range(times)))

    assert bottleneck(x, y) == pytest.approx(due, rel=RELATIVE)


@checked
@given(clouds(), clouds())
def test_the_plan_of_the_bottleneck_keeps_to_it(x, y):
    plan = bottleneck_plan(x, y)

    assert plan.longest == bottleneck(x, y)
    assert plan.cost >= word_mover(x, y) - 1e-9
    assert plan.matrix.sum(axis=1) == pytest.approx(shares(x))
    assert plan.matrix.sum(axis=0) == pytest.approx(shares(y))


@checked
@given(clouds(), clouds(), st.integers(0, 2**32))
def test_paths_find_the_same_longest_move(x, y, seed):
    """For distances and for any costs, of which many are the same."""
    found = np.random.default_rng(seed).integers(-3, 4, (len(x.points), len(y.points)))
    for costs in (cdist(x.points, y.points), found):
        problem = Problem.of(costs, x.counts, y.counts)
        widest = Widest.of(problem.costs, problem.supply, problem.demand)

        assert widest.longest() == threshold(problem)
        assert problem.costs[widest.moved > 0].max() <= threshold(problem)
        assert (widest.moved.sum(axis=1) == problem.supply).all()
        assert (widest.moved.sum(axis=0) == problem.demand).all()


def test_only_the_first_small_problems_are_solved_before_a_solver_is_imported(monkeypatch):
    monkeypatch.setattr(paths._Solved, "pairs", 0)
    few, many = np.zeros((100, 40)), np.zeros((200, 200))

    assert not paths.sooner(many, "a solver")
    assert not paths.sooner(few, "numpy")  # imported already
    assert [paths.sooner(few, "a solver") for _ in range(27)] == [*[True] * 25, False, False]


def test_large_counts_do_not_overflow():
    x, counts = np.array([[0.0], [1.0], [5.0]]), [50_000, 1, 1]
    one, two = Cloud.of(x, counts), Cloud.of(x, [50_001, 1, 1])

    assert bottleneck(one, one) == 0
    assert bottleneck(one, two) == 4  # one part in 50,002 of the 5s has to become a 1
    assert word_mover(one, two) == pytest.approx(6 / 50_002 - 6 / 50_003, rel=1e-6)


def test_unequal_sizes():
    assert word_mover([[0.0]], [[1.0], [3.0]]) == pytest.approx(2.0)
    assert bottleneck([[0.0]], [[1.0], [3.0]]) == 3.0


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 1.0, 1e5]))
@example(0, 1e7)
def test_distances_are_precise_even_far_from_the_origin(seed, offset):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 9, 5)) + offset
    y[:3] = x[:3]
    y[3] = x[3] + 1e-7
    found = distances(x, y)

    assert (np.diag(found)[:3] == 0).all()
    assert found == pytest.approx(cdist(x, y), rel=1e-10)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.empty((0, 2)), [[0.0, 1.0]], "at least one word"),
        ([[np.nan, 0.0]], [[0.0, 1.0]], "finite"),
        ([[0.0, 1.0]], [[0.0, 1.0, 2.0]], "one length"),
    ],
)
def test_what_is_no_bag_is_refused(x, y, message):
    with pytest.raises(InputError, match=message):
        word_mover(x, y)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-30, 1e-14, 1e-9, 1e30, 1e100])
def test_scales_of_any_size_lose_nothing(solving, scale, rng):
    x, y = (Cloud.of(rng.standard_normal((n, 3)), rng.integers(1, 3, n)) for n in (25, 22))
    far, away = (Cloud.of(scale * each.points, each.counts) for each in (x, y))

    assert word_mover(far, away) == pytest.approx(scale * word_mover(x, y), rel=1e-9)
    assert bottleneck(far, away) == pytest.approx(scale * bottleneck(x, y), rel=1e-9)


def test_coordinates_whose_squares_are_no_floats_are_refused():
    with pytest.raises(InputError, match="rescale"):
        word_mover([[0.0], [1e170]], [[1.0], [1e170]])
    with pytest.raises(InputError, match="rescale"):
        word_mover([[-1e308]], [[1e308], [1e308]])


def test_long_texts_have_whole_plans():
    """Masses of more digits than their products have room for."""
    x = [[0.0], [1.0], [5.0]]
    one, two = Cloud.of(x, [10**6 + 1, 1, 1]), Cloud.of(x, [10**6 + 5, 1, 1])

    assert bottleneck(one, two) == 4
    assert 0 < word_mover(one, two) < 1e-10


def test_many_equal_rows_stay_in_place():
    x = np.zeros((400, 2))

    assert word_mover_plan(x, x[:300]).cost == 0


def test_of_the_narrowest_plans_the_cheapest_is_taken():
    """Every plan has a move of 5; what else moves should move little."""
    plan = bottleneck_plan([[0.0], [10.0], [11.0]], [[5.0], [10.0], [11.0]])

    assert plan.longest == 5
    assert plan.cost == pytest.approx(5 / 3)


@checked
@given(clouds(most=4), clouds(most=4), st.integers(0, 2**32))
def test_the_longest_move_for_any_costs(x, y, seed):
    x, y = Cloud.of(x.points), Cloud.of(np.resize(y.points, x.points.shape))
    costs = np.random.default_rng(seed).integers(-9, 9, (len(x.points), len(y.points)))
    orders = permutations(range(len(costs)))
    due = min(max(costs[i, j] for i, j in enumerate(order)) for order in orders)

    assert transport(costs, metric="winf").longest == due


def test_more_words_than_floats_count_are_refused():
    with pytest.raises(InputError, match="too large to be compared"):
        word_mover(Cloud.of([[0.0], [1.0]], [2**30, 1]), Cloud.of([[0.0]], [2**30]))


@pytest.mark.parametrize("counts", [[1], [0, 1], [1, 1.5], [1, -1], [1, float("nan")]])
def test_counts_are_whole_and_positive(counts):
    with pytest.raises(InputError, match="counts"):
        Cloud.of([[0.0], [1.0]], counts)


def test_costs_must_be_a_table_of_numbers():
    with pytest.raises(InputError, match="finite"):
        transport([[1.0, float("inf")]])
    with pytest.raises(InputError, match="w1 or winf"):
        transport([[1.0]], metric="w2")
    with pytest.raises(InputError, match="at least one word"):
        transport(np.empty((0, 0)))


def test_without_pot_a_large_plan_says_what_to_install(monkeypatch, rng):
    monkeypatch.setattr(solver, "simplex", lambda: None)
    monkeypatch.setattr(solver, "FEW", 100)
    monkeypatch.setattr(solver, "UNITS", 100)
    monkeypatch.setattr(solver, "VARIABLES", 100)
    problem = Problem.of(rng.random((30, 29)), None, None)

    with pytest.raises(InputError, match=r"pip install 'nomdeplume\[wmd\]'"):
        solver.cheapest(problem)
