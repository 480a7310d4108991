"""Composers: from where documents lie to words whose mean is there, whatever is asked for."""

import numpy as np
import pytest

from nomdeplume import InputError, seeded
from nomdeplume.compose import COMPOSERS, Herding, MaxEnt

PLACES = np.random.default_rng(4).standard_normal((60, 3))
IDS = np.arange(100, 160)
every = pytest.mark.parametrize("name", COMPOSERS)


def compose(name, targets, size, *, weights=None, places=PLACES):
    """Rows of `places` for each target."""
    ids = IDS[: len(places)]
    composed = COMPOSERS[name]().over(places, ids, weights)
    found = composed(np.atleast_2d(targets), size, seeded(1))
    assert set(found.ravel().tolist()) <= set(ids.tolist())
    return found - 100


@every
@pytest.mark.parametrize("size", [1, 2, 100, 500])
@pytest.mark.parametrize("documents", [1, 3, 70])
def test_there_are_as_many_words_as_asked_for(name, size, documents, rng):
    targets = 0.3 * rng.standard_normal((documents, 3))

    assert compose(name, targets, size).shape == (documents, size)


@every
def test_the_same_stream_gives_the_same_words(name, rng):
    targets = 0.5 * rng.standard_normal((9, 3))

    assert (compose(name, targets, 50) == compose(name, targets, 50)).all()


@every
def test_a_document_does_not_depend_on_its_neighbours(name, rng):
    targets = 0.3 * rng.standard_normal((5, 3))
    alone = compose(name, targets[:1], 40)

    assert (compose(name, targets, 40)[:1] == alone).all()


@every
def test_the_mean_of_the_words_is_near_a_target_that_words_can_have(name, rng):
    """A quarter of a word's distance, on the way that they are spread, with 500 words."""
    targets = rng.dirichlet(np.full(60, 0.5), 20) @ PLACES
    means = PLACES[compose(name, targets, 500)].mean(axis=1)
    off = np.linalg.norm(means - targets, axis=1)

    assert off.max() < 0.25
    assert np.linalg.norm(targets - PLACES.mean(axis=0), axis=1).max() > 0.25  # not met by chance


@every
@pytest.mark.parametrize("far", [5.0, 1e3, 1e9])
def test_far_outside_of_all_words_there_are_words_on_that_side(name, far, rng):
    way = rng.standard_normal((8, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    means = PLACES[compose(name, far * way, 30)].mean(axis=1) - PLACES.mean(axis=0)

    assert np.isfinite(means).all()
    assert ((means * way).sum(axis=1) > 0.5).all()


@every
def test_words_of_more_weight_are_preferred(name):
    weights = np.ones(60)
    weights[:20] = 1e4
    target = PLACES.mean(axis=0)
    plain, weighted = ((compose(name, target, 200, weights=w) < 20).mean() for w in (None, weights))

    assert weighted > plain + 0.2


@every
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_the_table_does_not_matter(name, scale, rng):
    targets = 0.4 * rng.standard_normal((6, 3))
    plain = compose(name, targets, 40)
    scaled = compose(name, scale * targets, 40, places=scale * PLACES)

    assert (plain == scaled).mean() > 0.95


@every
@pytest.mark.parametrize("places", [np.zeros((1, 3)), np.ones((4, 3)), np.array([[0.0], [1.0]])])
def test_worlds_of_few_words(name, places):
    assert compose(name, np.full(places.shape[1], 0.3), 7, places=places).shape == (1, 7)


@every
def test_a_target_at_a_word_brings_words_around_it(name):
    words = compose(name, PLACES[11], 50)

    assert np.linalg.norm(PLACES[words[0]].mean(axis=0) - PLACES[11]) < 0.5


def test_settings_are_checked_and_stated():
    assert Herding(0.0).settings == {"compose": "herding", "penalty": 0.0}
    assert MaxEnt(0.5).settings == {"compose": "maxent", "ridge": 0.5}
    for wrong in (-1, np.inf, np.nan):
        with pytest.raises(InputError, match="penalty"):
            Herding(wrong)
        with pytest.raises(InputError, match="ridge"):
            MaxEnt(wrong)
    with pytest.raises(InputError, match="ridge"):
        MaxEnt(0.0)


def test_without_a_penalty_few_words_are_taken_often():
    counts = [
        len(np.unique(Herding(penalty).over(PLACES, IDS)(PLACES[:1], 60, seeded(1))))
        for penalty in (0.0, 0.5, 5.0)
    ]

    assert counts[0] < counts[1] <= counts[2]
