"""Releases on a card: what a seed gives is the same there, and what nobody knows has its law."""

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.conftest import ALPHA

from nomdeplume import InputError, Laplace, NoisyNearest, Table, devices, secure, seeded
from nomdeplume.decode import Rank
from nomdeplume.mechanism.image import Projection
from nomdeplume.noise import Mahalanobis, VonMisesFisher


@pytest.fixture
def world():
    rng = np.random.default_rng(0)
    return Table([f"w{i}" for i in range(300)], rng.standard_normal((300, 6)).astype(np.float32))


def test_a_seed_gives_the_same_on_every_device(card, world):
    ids = np.arange(300)
    for decoder in ({}, {"decoder": Rank(0.5)}):
        here = NoisyNearest(world, Laplace(3.0), **decoder).release(ids, seeded(1))
        with devices.on(card):
            there = NoisyNearest(world, Laplace(3.0), **decoder).release(ids, seeded(1))
        assert (here == there).all()
        assert (here != ids).any()


@pytest.mark.parametrize("outputs", [None, np.array([1, 3])])
@pytest.mark.parametrize("kind", ["laplace", "mahalanobis", "projected"])
def test_secure_noise_there_has_the_law_that_it_has_here(quick, table, outputs, kind):
    noise = Mahalanobis.of(table, 0.7) if kind == "mahalanobis" else Laplace(0.7)
    image = Projection([[0.6, 0.8]]) if kind == "projected" else None
    ids = np.full(40_000, 1)
    here = NoisyNearest(table, noise, outputs, image=image).release(ids, seeded(2))
    with devices.on(quick):
        there = NoisyNearest(table, noise, outputs, image=image).release(ids, secure())
    counts = np.array([np.bincount(found, minlength=4) for found in (here, there)])
    counts = counts[:, counts.sum(axis=0) > 0]
    due = counts.sum(axis=0) / 2

    assert chisquare(counts.ravel(), np.tile(due, 2), ddof=len(due)).pvalue > ALPHA
    assert len(due) > 1


def test_secure_noise_is_drawn_on_the_card_and_new_each_time(card, world, monkeypatch):
    from nomdeplume.noise.card import stream

    made = []
    start = stream.Stream.__init__
    monkeypatch.setattr(
        stream.Stream, "__init__", lambda self, *given: made.append(1) or start(self, *given)
    )
    mechanism, ids, rng = NoisyNearest(world, Laplace(3.0)), np.arange(300), secure()
    with devices.on(card):
        one, two = mechanism.release(ids, rng), mechanism.release(ids, rng)
        assert len(made) == 2
        mechanism.release(ids, seeded(3))
        assert len(made) == 2  # what a seed must repeat is drawn here

    assert (one != two).any()


def test_noise_that_cannot_be_drawn_there_is_drawn_here(card, table):
    from nomdeplume.mechanism.image import Unit

    with devices.on(card):
        mechanism = NoisyNearest(table, VonMisesFisher(2.0), image=Unit())
        assert set(mechanism.release(np.zeros(50, dtype=np.int64), secure())) <= {0, 1, 2, 3}


def test_devices_by_name():
    assert devices.card(1e30) is None or devices.card(1e30).at.type == "cuda"
    with devices.on("cpu"):
        assert devices.card(1e30) is None
        assert devices.chosen() == "cpu"
    assert devices.chosen() == "auto"
    assert devices.card(1.0) is None  # not worth waking a card
    with pytest.raises(InputError, match="auto, cpu or cuda"), devices.on("gpu"):
        pass


def test_a_missing_card_is_said():
    import torch

    if torch.cuda.is_available():
        with devices.on("cuda"):
            assert devices.card(0).at.type == "cuda"
    else:
        with pytest.raises(InputError, match="finds no card"), devices.on("cuda"):
            pass
    assert devices.chosen() == "auto"
