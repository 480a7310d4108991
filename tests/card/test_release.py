"""Releases on a card: what a seed gives is the same there, and what nobody knows has its law."""

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.conftest import ALPHA

from nomdeplume import (
    InputError,
    Laplace,
    NoisyNearest,
    Obfuscator,
    Table,
    devices,
    secure,
    seeded,
)
from nomdeplume.decode import Rank
from nomdeplume.mechanism.image import Projection
from nomdeplume.nearest import Auto
from nomdeplume.noise import Mahalanobis, VonMisesFisher

WORDS = ("boats", "nets", "fire", "bread", "orchard")


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


def test_what_follows_the_search_is_drawn_by_the_same_generator(quick, world):
    ids = np.arange(300)
    with devices.on(quick):
        released = NoisyNearest(world, Laplace(1e4), decoder=Rank(5e-5)).release(ids, secure())

    assert set(released) <= set(ids)
    assert (released != ids).mean() > 0.3  # noise this small moves none of them, but ranks do


def test_noise_that_cannot_be_drawn_there_is_drawn_here(card, table):
    from nomdeplume.mechanism.image import Unit

    with devices.on(card):
        mechanism = NoisyNearest(table, VonMisesFisher(2.0), image=Unit())
        assert set(mechanism.release(np.zeros(50, dtype=np.int64), secure())) <= {0, 1, 2, 3}


def test_a_seed_gives_the_same_documents_on_every_device(quick):
    """More words than a batch has: batches must not depend on the device."""
    texts = [f"{one} and {two}." for one in WORDS for two in WORDS] * 8
    vectors = np.random.default_rng(0).standard_normal((len(WORDS), 3))
    table = Table(WORDS, vectors.astype(np.float32))
    here = Obfuscator.laplace(table, epsilon=1.0)(texts, seeded(1))
    with devices.on(quick):
        there = Obfuscator.laplace(table, epsilon=1.0)(texts, seeded(1))

    assert len(texts) * 100 > 2 * 8192
    assert len({tuple(each.words) for each in here}) > 25
    assert [each.words for each in here] == [each.words for each in there]


def test_what_is_made_of_the_mechanism_goes_its_own_way(card, world):
    """A subclass that changes what noise is added to, or what follows, is not passed over."""

    class Constant(NoisyNearest):
        def vectors(self, ids):
            return super().vectors(np.zeros_like(ids))

    class Loud(Laplace):
        def add(self, vectors, rng):
            return super().add(np.asarray(vectors), rng)

    with devices.on(card):
        ids = np.arange(5)
        assert Constant(world, Laplace(1e6)).release(ids, secure()).tolist() == [0] * 5
        assert NoisyNearest(world, Loud(1e6)).release(ids, secure()).tolist() == list(range(5))


def test_a_card_that_fails_is_given_up_unless_it_was_asked_for(world, monkeypatch):
    import torch

    from nomdeplume.nearest import auto
    from nomdeplume.nearest.card import OnCard

    def broken(*_):
        raise RuntimeError("out of memory")

    found = devices.Card(torch, torch.device("cpu"))
    ids, queries = np.arange(300), world.vectors[:].astype(np.float64)
    monkeypatch.setattr(OnCard, "found", broken)
    with devices.on(found), pytest.raises(RuntimeError, match="out of memory"):  # by name
        NoisyNearest(world, Laplace(1e6)).release(ids, secure())
    monkeypatch.setattr(auto, "card", lambda _: found)  # a card that auto found
    mechanism = NoisyNearest(world, Laplace(1e6))
    assert (mechanism.release(ids, secure()) == ids).all()
    assert mechanism.decode.index.on_card(1) is None
    search = Auto(world)
    assert (search.nearest(queries) == ids).all()


def test_work_is_counted_once(world, monkeypatch):
    from nomdeplume.nearest import auto

    asked = []
    monkeypatch.setattr(auto, "card", asked.append)
    mechanism = NoisyNearest(world, Laplace(3.0))
    for _ in range(3):
        mechanism.release(np.arange(10), secure())

    assert max(asked) == 3 * 10 * 300 * 6


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
