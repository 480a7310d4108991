"""The search agrees with float64 brute force: off-centre tables, duplicates and near ties too."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomdeplume import Table
from nomdeplume.nearest import Exact


def world(vectors):
    return Table([f"w{i}" for i in range(len(vectors))], vectors)


def brute(table, queries, ids=None):
    rows = np.arange(len(table)) if ids is None else ids
    vectors = table.vectors[rows].astype(np.float64)
    return np.array([rows[((query - vectors) ** 2).sum(axis=1).argmin()] for query in queries])


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(1, 1500),
    k=st.integers(1, 40),
    offset=st.sampled_from([0.0, 10.0, 1e4]),
    spread=st.sampled_from([1e-18, 1e-3, 1.0, 100.0, 1e18]),
    threads=st.integers(1, 2),
)
def test_nearest_is_brute_force(*, seed, size, k, offset, spread, threads):
    rng = np.random.default_rng(seed)
    table = world((rng.standard_normal((size, k)) + offset) * spread)
    queries = table.vectors[rng.integers(0, size, 40)] + spread * rng.standard_normal((40, k))

    found = Exact(table, threads=threads).nearest(queries)

    assert (found == brute(table, queries)).all()


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-6, 0.0])
def test_near_ties_are_decided_in_float64(gap):
    """Words in pairs a hair apart, queries between them: float32 alone cannot tell."""
    rng = np.random.default_rng(3)
    ones = rng.standard_normal((400, 50)) + 30
    table = world(np.concatenate([ones, ones + gap * rng.standard_normal((400, 50))]))
    queries = (table.vectors[:400].astype(float) + table.vectors[400:]) / 2
    queries += 1e-9 * rng.standard_normal(queries.shape)

    assert (Exact(table).nearest(queries) == brute(table, queries)).all()


def test_float32_alone_would_be_wrong_there():
    """The test above can fail: without the second look it would."""
    rng = np.random.default_rng(3)
    ones = rng.standard_normal((400, 50)) + 30
    table = world(np.concatenate([ones, ones + 1e-5 * rng.standard_normal((400, 50))]))
    queries = (table.vectors[:400].astype(float) + table.vectors[400:]) / 2
    vectors, asked = table.vectors[:], queries.astype(np.float32)
    scores = asked @ vectors.T - (vectors**2).sum(axis=1) / 2

    assert (scores.argmax(axis=1) != brute(table, queries)).mean() > 0.2


def test_an_outlier_does_not_make_candidates_of_all():
    """One word a thousand times as long as the others: right answers, in bounded memory."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((30_000, 20))
    vectors[7] *= 1000
    table, index = world(vectors), Exact(world(vectors))
    queries = 3 * rng.standard_normal((500, 20))
    index.nearest(queries[:2])
    tracemalloc.start()
    found = index.nearest(queries)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (found[:50] == brute(table, queries[:50])).all()
    assert peak < 30e6


def test_the_first_of_equal_words_wins():
    table = world(np.zeros((2000, 3)))

    assert (Exact(table).nearest(np.ones((5, 3))) == 0).all()


def test_only_the_given_ids_are_found():
    rng = np.random.default_rng(1)
    table, ids = world(rng.standard_normal((900, 8))), np.arange(5, 900, 7)
    queries = rng.standard_normal((300, 8))

    assert (Exact(table, ids).nearest(queries) == brute(table, queries, ids)).all()


def test_far_queries_and_none_at_all():
    rng = np.random.default_rng(2)
    table = world(rng.standard_normal((700, 10)))
    queries = 1e6 * rng.standard_normal((50, 10))

    assert (Exact(table).nearest(queries) == brute(table, queries)).all()
    assert Exact(table).nearest(np.empty((0, 10))).shape == (0,)


def test_the_bundled_table_under_noise(bundled, rng):
    from nomdeplume import Laplace

    vectors = bundled.vectors[rng.integers(0, len(bundled), 300)].astype(float)
    noisy = Laplace(6.0).add(vectors, rng)

    assert (Exact(bundled).nearest(noisy) == brute(bundled, noisy)).all()
