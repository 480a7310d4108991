"""The search agrees with float64 brute force: off-centre tables, duplicates and near ties too."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomdeplume import InputError, Table
from nomdeplume.nearest import Exact
from nomdeplume.nearest.products import Float32, Int8, quickest
from nomdeplume.nearest.rows import Rows


def by_floats(table, ids=None, **parts):
    """The search by float32 products."""
    return Exact(table, ids, plain=True, **parts)


def by_bytes(table, ids=None, **parts):
    """The search by products of 8 bits, however little there is to search."""
    index = Exact(table, ids, **parts)
    index.product = Int8(index._rows)
    return index


both = pytest.mark.parametrize("search", [by_floats, by_bytes])


def world(vectors):
    return Table([f"w{i}" for i in range(len(vectors))], vectors)


def brute(table, queries, ids=None):
    rows = np.arange(len(table)) if ids is None else ids
    vectors = table.vectors[rows].astype(np.float64)
    return np.array([rows[((query - vectors) ** 2).sum(axis=1).argmin()] for query in queries])


@both
@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(1, 1500),
    k=st.integers(1, 40),
    offset=st.sampled_from([0.0, 10.0, 1e4]),
    spread=st.sampled_from([1e-18, 1e-3, 1.0, 100.0, 1e18]),
    threads=st.integers(1, 2),
)
def test_nearest_is_brute_force(*, search, seed, size, k, offset, spread, threads):
    rng = np.random.default_rng(seed)
    table = world((rng.standard_normal((size, k)) + offset) * spread)
    queries = table.vectors[rng.integers(0, size, 40)] + spread * rng.standard_normal((40, k))

    found = search(table, threads=threads).nearest(queries)

    assert (found == brute(table, queries)).all()


@both
@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-6, 0.0])
def test_near_ties_are_decided_in_float64(gap, search):
    """Words in pairs a hair apart, queries between them: float32 alone cannot tell."""
    rng = np.random.default_rng(3)
    ones = rng.standard_normal((400, 50)) + 30
    table = world(np.concatenate([ones, ones + gap * rng.standard_normal((400, 50))]))
    queries = (table.vectors[:400].astype(float) + table.vectors[400:]) / 2
    queries += 1e-9 * rng.standard_normal(queries.shape)

    assert (search(table).nearest(queries) == brute(table, queries)).all()


def test_float32_alone_would_be_wrong_there():
    """The test above can fail: without the second look it would."""
    rng = np.random.default_rng(3)
    ones = rng.standard_normal((400, 50)) + 30
    table = world(np.concatenate([ones, ones + 1e-5 * rng.standard_normal((400, 50))]))
    queries = (table.vectors[:400].astype(float) + table.vectors[400:]) / 2
    vectors, asked = table.vectors[:], queries.astype(np.float32)
    scores = asked @ vectors.T - (vectors**2).sum(axis=1) / 2

    assert (scores.argmax(axis=1) != brute(table, queries)).mean() > 0.2


@pytest.mark.parametrize("product", [Float32, Int8])
def test_without_doubt_it_would_be_wrong(product):
    """The tests above can fail: bounds that are taken for the truth lose the nearest word."""
    rng = np.random.default_rng(6)
    table = world(rng.standard_normal((6000, 20)))
    pairs = table.vectors[:1000] + rng.standard_normal((1000, 20)) * 2e-7
    table = world(np.concatenate([table.vectors, pairs.astype(np.float32)]))
    queries = 3 * rng.standard_normal((2000, 20))
    queries[:1000] = (table.vectors[:1000].astype(float) + table.vectors[6000:]) / 2

    class Certain(product):
        def bounds(self, asked):
            most, least = super().bounds(asked)
            middle = (most + least) / 2
            return middle, middle

    index = Exact(table)
    index.product = Certain(index._rows)

    assert (index.nearest(queries) != Exact(table, plain=True).nearest(queries)).any()


def test_bounds_hold_for_every_tile(bundled, rng):
    """For real words and noise of all sizes, the best score of each tile lies between them."""
    rows = Rows.of(bundled, np.arange(0, len(bundled), 7), 256)
    vectors = (bundled.vectors[rows.ids].astype(float) - rows.centre) * rows.scale
    for size in (0.0, 1e-3, 1.0, 30.0):
        near = bundled.vectors[rng.integers(0, len(bundled), 60)]
        queries = near + size * rng.standard_normal(near.shape)
        asked = rows.asked(queries)
        scores = (asked.centred @ vectors.T) - (vectors**2).sum(axis=1) / 2
        best = np.array([scores[:, tile].max(axis=1) for tile in rows.tiles])
        sizes = np.multiply.outer(rows.tile_norms, asked.lengths + rows.tile_norms[-1])
        for product, close in ((Float32(rows), 1e-4), (Int8(rows), 0.1)):
            most, least = product.bounds(asked)
            assert (least <= best).all()
            assert (best <= most).all()
            assert np.median(((most - least) / sizes)[best > 0]) < close


def test_products_of_bytes_are_given_up_where_they_cannot_tell_words_apart():
    """Many words at one place: all tiles may hold the nearest, which float32 finds as well."""
    rng = np.random.default_rng(8)
    table = world(1 + 1e-4 * rng.standard_normal((9000, 6)) + np.repeat([[0.0], [9.0]], 4500, 0))
    queries = table.vectors[rng.integers(0, 9000, 300)] + 1e-4 * rng.standard_normal((300, 6))
    index = by_bytes(table)

    assert (index.nearest(queries) == brute(table, queries)).all()
    assert isinstance(index.product, Float32)


def test_a_faster_product_is_loaded_only_for_much_work(bundled):
    index = Exact(bundled)
    index.nearest(np.zeros((2, bundled.dimensions)))

    assert index.product is None

    index.searched = 1 << 40
    index.nearest(np.zeros((2, bundled.dimensions)))

    assert index.product is not None
    assert type(index.product) is type(quickest(index._rows) or Float32(index._rows))


@both
def test_few_words_are_candidates_where_all_scores_are_below_zero(search):
    """Directions in many dimensions: no word is as near to a query as the centre is."""
    rng = np.random.default_rng(9)
    vectors = rng.standard_normal((20_000, 100))
    table = world(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    queries = rng.standard_normal((200, 100))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    index = search(table)
    candidates = sum(len(query) for query, _ in index._candidates(queries))

    assert (queries @ table.vectors[:].T).max() < 0.7
    assert candidates < 10 * len(queries)  # of 20,000
    assert (index.nearest(queries[:50]) == brute(table, queries[:50])).all()


@both
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e200])
def test_what_is_no_place_is_refused(search, odd):
    index = search(world(np.eye(4)), np.array([2, 3]))
    with pytest.raises(InputError, match="queries must be numbers"):
        index.nearest(np.array([[0.0, 0.0, 0.0, odd]]))


@both
def test_the_smallest_numbers_are_told_apart(search):
    """A query that 8 bits cannot scale, at the centre of the table but for one bit."""
    vectors = np.random.default_rng(4).standard_normal((600, 5))
    table = world(np.concatenate([vectors, -vectors]))
    queries = np.array([[1e-322] + [0.0] * 4, [0.0] * 5, [0.0, -1e-300, 0.0, 0.0, 0.0]])

    assert (search(table).nearest(queries) == brute(table, queries)).all()


@pytest.mark.parametrize("broken", ["raise OSError('libcudart')", "", "_int_mm = None"])
def test_a_torch_that_does_not_work_is_done_without(broken, tmp_path, bundled):
    """Another process finds it first on its path, as it would a broken installation."""
    (tmp_path / "torch.py").write_text(broken, encoding="utf-8")
    script = (
        "import numpy as np; from nomdeplume import Table; from nomdeplume.nearest import Exact;"
        "index = Exact(Table.bundled()); vars(index)['searched'] = 1 << 40;"
        "print(index.nearest(np.zeros((2, 100))), type(vars(index)['product']).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout.split()[-1] == "Float32"


@both
def test_an_outlier_does_not_make_candidates_of_all(search):
    """One word a thousand times as long as the others: right answers, in bounded memory."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((30_000, 20))
    vectors[7] *= 1000
    table, index = world(vectors), search(world(vectors))
    queries = 3 * rng.standard_normal((500, 20))
    index.nearest(queries[:2])
    tracemalloc.start()
    found = index.nearest(queries)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (found[:50] == brute(table, queries[:50])).all()
    assert peak < 30e6


@both
def test_the_first_of_equal_words_wins(search):
    table = world(np.zeros((2000, 3)))

    assert (search(table).nearest(np.ones((5, 3))) == 0).all()


@both
def test_only_the_given_ids_are_found(search):
    rng = np.random.default_rng(1)
    table, ids = world(rng.standard_normal((900, 8))), np.arange(5, 900, 7)
    queries = rng.standard_normal((300, 8))

    assert (search(table, ids).nearest(queries) == brute(table, queries, ids)).all()


@both
def test_far_queries_and_none_at_all(search):
    rng = np.random.default_rng(2)
    table = world(rng.standard_normal((700, 10)))
    queries = 1e6 * rng.standard_normal((50, 10))

    assert (search(table).nearest(queries) == brute(table, queries)).all()
    assert search(table).nearest(np.empty((0, 10))).shape == (0,)


@both
def test_the_bundled_table_under_noise(search, bundled, rng):
    from nomdeplume import Laplace

    vectors = bundled.vectors[rng.integers(0, len(bundled), 80)].astype(float)
    noisy = Laplace(6.0).add(vectors, rng)

    assert (search(bundled).nearest(noisy) == brute(bundled, noisy)).all()
