"""Word Mover's Distance and bottleneck distance are what they are called."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from nomdeplume import InputError
from nomdeplume.distance import bottleneck, word_mover
from nomdeplume.distance.word_mover import ASSIGNABLE, _transport, distances

bag = st.integers(0, 2**32).flatmap(
    lambda seed: st.integers(1, 7).map(
        lambda n: np.random.default_rng(seed).integers(-3, 4, (n, 2)).astype(float)
    )
)


@settings(deadline=None, max_examples=60)
@given(bag, bag)
def test_metric_axioms_but_the_triangle(x, y):
    assert word_mover(x, x) == 0
    assert bottleneck(x, x) == 0
    assert word_mover(x, y) == pytest.approx(word_mover(y, x))
    assert bottleneck(x, y) == pytest.approx(bottleneck(y, x))


@settings(deadline=None, max_examples=60)
@given(bag, bag, bag)
def test_the_triangle_inequality(x, y, z):
    assert word_mover(x, z) <= word_mover(x, y) + word_mover(y, z) + 1e-9
    assert bottleneck(x, z) <= bottleneck(x, y) + bottleneck(y, z) + 1e-9


@settings(deadline=None, max_examples=60)
@given(bag, bag)
def test_mean_move_lies_between_the_centroids_and_the_longest_move(x, y):
    mean = word_mover(x, y)

    assert np.linalg.norm(x.mean(axis=0) - y.mean(axis=0)) <= mean + 1e-9
    assert mean <= bottleneck(x, y) + 1e-9


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 8))
def test_assignment_and_transport_agree(seed, n):
    x, y = np.random.default_rng(seed).integers(-2, 3, (2, n, 2)).astype(float)
    costs = distances(x, y)
    rows, columns = linear_sum_assignment(costs)

    assert word_mover(x, y) == pytest.approx(costs[rows, columns].mean())
    assert word_mover(x, y) == pytest.approx(_transport(costs, np.ones(n, int), np.ones(n, int)))


def test_counts_stand_for_repeated_rows():
    x, y = np.array([[0.0], [4.0]]), np.array([[1.0], [2.0], [6.0]])
    a, b = [3, 1], [1, 2, 1]

    assert word_mover(x, y, a, b) == pytest.approx(word_mover(x.repeat(a, 0), y.repeat(b, 0)))
    assert bottleneck(x, y, a, b) == bottleneck(x.repeat(a, 0), y.repeat(b, 0))


def test_many_words_are_moved_by_the_transport_program():
    x, y = np.array([[0.0], [1.0]]), np.array([[0.0], [3.0]])
    half = ASSIGNABLE

    assert word_mover(x, y, [half, half], [half, half]) == pytest.approx(1.0)


def test_large_counts_do_not_overflow():
    x, counts = np.array([[0.0], [1.0], [5.0]]), [50_000, 1, 1]

    assert bottleneck(x, x, counts, counts) == 0
    with pytest.raises(InputError, match="too large"):
        bottleneck(x, x, counts, [50_001, 1, 1])


def test_unequal_sizes():
    assert word_mover([[0.0]], [[1.0], [3.0]]) == pytest.approx(2.0)
    assert bottleneck([[0.0]], [[1.0], [3.0]]) == 3.0


def test_an_empty_bag_is_refused():
    with pytest.raises(InputError, match="at least one word"):
        word_mover(np.empty((0, 2)), [[0.0, 1.0]])
