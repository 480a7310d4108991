"""What a real card computes is what is computed here."""

import numpy as np
import pytest
import torch
from tests.on_card import (
    CHOICES,
    TABLES,
    WORLDS,
    composed,
    corpus_of,
    draws,
    relaxed,
    released,
    steepest,
    totals,
    values_of,
)

from nomdeplume import Table, devices
from nomdeplume.distance import arrays, query
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.scores import Plain

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
]
worlds = pytest.mark.parametrize("world", WORLDS)
choices = pytest.mark.parametrize("kind", CHOICES)
composers = pytest.mark.parametrize("composer", ["herding", "maxent"])


@pytest.fixture(scope="module")
def large():
    """More words than any block has, in more dimensions, with some of them at one place."""
    vectors = np.random.default_rng(1).standard_normal((20_000, 60)).astype(np.float32)
    vectors[::500] = vectors[1::500]
    return Table([f"w{i}" for i in range(20_000)], vectors, name="large")


@pytest.fixture
def tf32():
    """A process that lets products of float32 lose bits."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    yield
    torch.set_float32_matmul_precision(before)


@worlds
@choices
def test_totals_are_the_same(kind, world):
    choice = CHOICES[kind](TABLES[world])
    for found, due in zip(totals(choice, "cuda"), totals(choice, "cpu"), strict=True):
        assert found == pytest.approx(due, rel=1e-12, abs=1e-12)


@worlds
@choices
def test_the_same_words_are_drawn(kind, world):
    here, there = (draws(CHOICES[kind](TABLES[world]), on) for on in ("cpu", "cuda"))

    assert here == there


def test_totals_and_draws_of_a_large_table_are_the_same(large):
    made = [Choice(large, np.arange(20_000), Plain(), 1.0) for _ in "ab"]
    with devices.on("cpu"):
        due = made[0].log_totals(np.arange(20_000))
    with devices.on("cuda"):
        found = made[1].log_totals(np.arange(20_000))

    assert np.abs(found - due).max() < 1e-12
    assert draws(made[0], "cpu") == draws(made[1], "cuda")


def test_the_least_epsilon_of_a_large_table_is_the_same(large):
    with devices.on("cpu"):
        due = Exponential(large, 1.0).tight
    with devices.on("cuda"):
        found = Exponential(large, 1.0).tight

    assert found.epsilon == pytest.approx(due.epsilon, rel=1e-11)
    assert found.exact


@worlds
@pytest.mark.parametrize("m", [0, 3], ids=["numbers", "rows"])
def test_the_steepest_pairs_are_the_same(world, m):
    values = values_of(TABLES[world], m)
    found, due = (steepest(TABLES[world], values, on, 20) for on in ("cuda", "cpu"))

    assert found.slopes.tolist() == due.slopes.tolist()
    assert found.rest == due.rest


@pytest.mark.parametrize("m", [0, 20], ids=["numbers", "rows"])
def test_the_steepest_pairs_of_a_large_table_are_the_same(large, m, tf32):
    values = values_of(large, m)
    found, due = (steepest(large, values, on, 50) for on in ("cuda", "cpu"))

    assert found.slopes.tolist() == due.slopes.tolist()
    assert found.pairs.tolist() == due.pairs.tolist()


def test_products_keep_all_bits(tf32):
    """Those of 24 bits err by less than what those of 11 bits must lose, on cards that can."""
    rows = np.random.default_rng(2).standard_normal((512, 512)).astype(np.float32)
    with devices.on("cuda"):
        card = devices.card(1.0)
    there = card.put(rows)
    exact = rows.astype(np.float64) @ rows.T.astype(np.float64)

    def error():
        return np.abs(arrays.back(there @ there.T) - exact).max()

    with arrays.all_bits(card):
        kept = error()

    assert kept < 512 * 8 * 2.0**-24
    if torch.cuda.get_device_capability() >= (8, 0) and not torch.version.hip:
        assert error() > 20 * kept


@composers
@pytest.mark.parametrize("world", ["scattered", "off centre", "two words", "one word"])
def test_the_same_words_are_composed(composer, world, tf32):
    found, due = (composed(composer, TABLES[world], on) for on in ("cuda", "cpu"))

    assert (found == due).all()


@composers
def test_the_same_documents_are_released(composer):
    assert released(composer, "cuda") == released(composer, "cpu")


@worlds
@pytest.mark.parametrize("metric", ["w1", "winf"])
def test_bounds_of_distances_are_the_same(world, metric, monkeypatch):
    monkeypatch.setattr(query, "HELD", 1)
    corpus = corpus_of(world, metric)
    found, due = (np.array(relaxed(corpus, on)) for on in ("cuda", "cpu"))

    assert found == pytest.approx(due, rel=1e-12, abs=1e-12 * corpus.radius)
