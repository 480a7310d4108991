"""Metrics between words, and what bags are apart by them: brute force says the same."""

from itertools import permutations
from math import inf, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from nomdeplume import InputError, Table
from nomdeplume.distance import (
    Bottleneck,
    Capped,
    Chord,
    Cloud,
    Covered,
    Discrete,
    Euclidean,
    Ground,
    WordMover,
)
from nomdeplume.distance.ground import Grouped, Listed, Polar
from nomdeplume.privacy.guarantee import Guarantee

COUNT = 40
DRAW = np.random.default_rng(6)
VECTORS = DRAW.standard_normal((COUNT, 3)) * 2
VECTORS[7] = VECTORS[3]
VECTORS[11] = -3 * VECTORS[3]  # the opposite direction
VECTORS[12] = 0
TABLE = Table([f"w{i}" for i in range(COUNT)], VECTORS)
PLACES = TABLE.vectors[:].astype(np.float64)
LENGTHS = np.linalg.norm(PLACES, axis=1)
GROUNDS = {
    "euclidean": Euclidean(),
    "capped": Capped(limit=2.5),
    "capped at nothing much": Capped(limit=1e-9),
    "chord": Chord(),
    "polar": Polar(arc=1.7, longest=float(np.ptp(LENGTHS))),
    "discrete": Discrete(),
    "listed": Listed(positions=np.column_stack([DRAW.permutation(COUNT) for _ in range(3)])),
    "grouped": Grouped(groups=np.arange(COUNT) % 4),
    "covered": Covered(covered=np.arange(COUNT) >= 5),
}
EXTENDED = ("grouped", "covered")  # infinite between some words
grounds = pytest.mark.parametrize("name", GROUNDS)


def places(name, ids):
    ids = np.asarray(ids)
    return GROUNDS[name].places(PLACES[ids], ids)


def all_apart(name):
    everywhere = places(name, np.arange(COUNT))
    return GROUNDS[name].apart(everywhere, everywhere)


def moved(name, x, y):
    """The costs of all ways to turn one bag of ids into the other, word by word."""
    costs = GROUNDS[name].apart(places(name, x), places(name, y))
    return [[costs[i, j] for i, j in enumerate(way)] for way in permutations(range(len(x)))]


@grounds
def test_it_is_a_metric(name):
    away = all_apart(name)
    through = (away[:, :, None] + away[None, :, :]).min(axis=1)  # by way of any third word

    assert (np.diag(away) == 0).all()
    assert (away >= 0).all()
    assert np.isfinite(away).all() == (name not in EXTENDED)
    assert away == pytest.approx(away.T, rel=1e-12, abs=1e-12)
    finite = np.isfinite(through)
    assert (away[finite] <= through[finite] + 1e-7).all()
    assert (np.isinf(away) == np.isinf(through)).all()


@grounds
def test_two_words_alone_are_as_far_apart_as_among_others(name):
    ground, everywhere, away = GROUNDS[name], places(name, np.arange(COUNT)), all_apart(name)

    assert isinstance(ground, Ground)
    for x, y in ((0, 1), (3, 7), (3, 11), (6, 38), (4, 12), (9, 13)):
        assert ground(everywhere[x], everywhere[y]) == pytest.approx(away[x, y], rel=1e-9, abs=1e-9)


@grounds
def test_no_words_are_farther_apart_than_the_widest(name):
    widest = GROUNDS[name].widest(lambda: pdist(PLACES).max())
    away = all_apart(name)

    assert away.max() <= widest * (1 + 1e-9)
    assert widest == inf or away.max() >= widest / 2  # nor is it said to be much more


@grounds
def test_bags_have_the_widest_of_their_words(name):
    ground = GROUNDS[name]

    assert WordMover(ground=ground).widest(lambda: 2.0) == ground.widest(lambda: 2.0)
    assert Bottleneck(ground=ground).widest(lambda: 2.0) == ground.widest(lambda: 2.0)


KNOWN = {  # a pair of words, and how far they are apart by the definition
    "euclidean": (3, 11, 4 * LENGTHS[3]),
    "capped": (3, 11, min(2.5, 4 * LENGTHS[3])),
    "capped at nothing much": (0, 1, 1e-9),
    "chord": (3, 11, 2.0),
    "polar": (3, 11, 1.7 * pi + 2 * LENGTHS[3]),
    "discrete": (3, 7, 1.0),
    "listed": (3, 7, np.abs(np.diff(GROUNDS["listed"].positions[[3, 7]], axis=0)).max()),
    "grouped": (3, 7, 1.0),
    "covered": (3, 7, inf),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_distances(name):
    x, y, due = KNOWN[name]

    assert all_apart(name)[x, y] == pytest.approx(due, rel=1e-6)


def test_words_at_one_place_differ_only_where_words_count():
    apart = {name for name in GROUNDS if all_apart(name)[3, 7] > 0}

    assert apart == {"discrete", "listed", "grouped", "covered"}


def test_an_uncovered_word_is_infinitely_far_from_all_but_itself():
    away = all_apart("covered")

    assert (np.isinf(away[:5]).sum(axis=1) == COUNT - 1).all()
    assert away[5:, 5:] == pytest.approx(all_apart("euclidean")[5:, 5:])


@pytest.mark.parametrize("name", GROUNDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), size=st.integers(1, 4))
def test_bags_are_as_far_apart_as_the_cheapest_of_all_matchings(name, data, size):
    """Infinite where every matching has a pair that nothing is promised about."""
    bag = st.lists(st.integers(0, 14), min_size=size, max_size=size)
    x, y = data.draw(bag), data.draw(bag)
    ways = moved(name, x, y)
    clouds = Cloud.of(places(name, x)), Cloud.of(places(name, y))
    ground = GROUNDS[name]

    assert WordMover(ground=ground)(*clouds) == pytest.approx(
        min(sum(way) for way in ways) / size, rel=1e-9, abs=1e-9
    )
    assert Bottleneck(ground=ground)(*clouds) == pytest.approx(
        min(max(way) for way in ways), rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("name", EXTENDED)
def test_bags_that_differ_in_what_is_not_covered_are_infinitely_far_apart(name):
    inside = {"grouped": ([0, 1, 2], [2, 5, 4]), "covered": ([0, 8, 9], [11, 0, 13])}[name]
    across = {"grouped": ([0, 1, 2], [2, 5, 5]), "covered": ([0, 8, 9], [11, 1, 13])}[name]
    for metric in (WordMover(ground=GROUNDS[name]), Bottleneck(ground=GROUNDS[name])):
        near, far = (
            metric(Cloud.of(places(name, x)), Cloud.of(places(name, y)))
            for x, y in (inside, across)
        )

        assert 0 < near < 10
        assert far == inf


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("counts", [([2, 1], [3]), ([2, 2], [1, 3]), ([1], [1, 4])])
def test_counts_stand_for_words_that_occur_again(name, counts):
    bags = [
        (np.array(ids)[: len(some)], some)
        for ids, some in zip(([8, 12], [16, 20]), counts, strict=True)
    ]
    counted = [Cloud.of(places(name, ids), some) for ids, some in bags]
    spelt = [Cloud.of(places(name, np.repeat(ids, some))) for ids, some in bags]
    for metric in (WordMover(ground=GROUNDS[name]), Bottleneck(ground=GROUNDS[name])):
        assert 0 < metric(*counted) == pytest.approx(metric(*spelt), rel=1e-9)


@grounds
def test_a_guarantee_between_words_becomes_one_between_bags(name):
    word = Guarantee(0.5, GROUNDS[name], ("some",), anywhere=False)
    x, y = Cloud.of(places(name, [8, 9, 16])), Cloud.of(places(name, [12, 13, 20]))
    bag, texts = word.over_bags(3), word.over_samples(3)

    assert bag.loss(x, y) == pytest.approx(1.5 * WordMover(ground=GROUNDS[name])(x, y))
    assert texts.loss(x, y) == pytest.approx(1.5 * Bottleneck(ground=GROUNDS[name])(x, y))
    assert (GROUNDS[name].steps in bag.metric.name) & (GROUNDS[name].steps in texts.metric.name)
    with pytest.raises(InputError, match="between any two vectors"):
        word.over_means()


@grounds
def test_places_of_different_kinds_are_not_compared(name):
    with pytest.raises(InputError):
        GROUNDS[name](places(name, [0, 1]), places(name, [2, 3]))
    with pytest.raises(InputError):
        GROUNDS[name]([0.0], [0.0, 1.0])
