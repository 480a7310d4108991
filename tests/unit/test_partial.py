"""Mechanisms whose promise is about groups or lists of words: CusText and 1-Diffractor."""

from functools import partial
from math import exp, inf

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.conftest import ALPHA
from threadpoolctl import threadpool_limits

from nomdeplume import InputError, PrivacyError, Table
from nomdeplume.mechanism import lists
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor

NOTHING = np.empty(0, dtype=np.int64)
BOTH = pytest.mark.parametrize("make", [partial(CusText, group=4), Diffractor])
SIZES = pytest.mark.parametrize("size", [2, 3, 16, 47, 60])


def cloud(count, dimensions=4, seed=5):
    """Words at random places, each place twice now and then."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimensions))
    vectors[7 % count] = vectors[3 % count]
    return Table([f"w{i}" for i in range(count)], vectors, name="cloud")


@pytest.fixture
def some():
    return np.setdiff1d(np.arange(60), [0, 11, 12, 59])


def losses(mechanism, ids):
    """The largest loss between each two of the ids over all outputs, and what is promised."""
    chances = mechanism.channel(ids)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(chances[:, None, :]) - np.log(chances[None, :, :])
    found = np.where(np.isnan(ratios), -inf, ratios).max(axis=2)
    guarantee, vectors = mechanism.guarantee, mechanism.table.vectors[ids].astype(np.float64)
    places = guarantee.metric.places(vectors, ids)
    return found, guarantee.epsilon * guarantee.metric.apart(places, places)


def unlikely(mechanism, ids, rng, trials=20_000):
    """The smallest p-value of any word's count under its chance, times how many were looked at."""
    pvalues = []
    for word, chances in zip(ids, mechanism.channel(ids), strict=True):
        seen = mechanism.release(np.full(trials, word), rng)
        counts = np.bincount(seen, minlength=len(chances))
        pairs = zip(counts.tolist(), np.clip(chances, 0, 1).tolist(), strict=True)
        pvalues += [binomtest(count, trials, chance).pvalue for count, chance in pairs]
    return min(pvalues) * len(pvalues)


def brute(vectors, size):
    """The partition as its definition says."""
    left, groups, number = list(range(len(vectors))), np.zeros(len(vectors), dtype=int), 0
    while left:
        away = [float(((vectors[i] - vectors[left[0]]) ** 2).sum()) for i in left]
        members = [left[i] for i in np.argsort(away, kind="stable")[:size]]
        groups[members] = number
        left = [i for i in left if i not in members]
        number += 1
    return groups


@BOTH
def test_rows_of_chances_sum_to_one_and_stay_among_the_inputs(make, some):
    mechanism = make(cloud(60), 0.3, some)
    chances = mechanism.channel(some)

    assert chances.shape == (56, 60)
    assert np.abs(chances.sum(axis=1) - 1).max() < 1e-12
    assert (mechanism.outputs == some).all()
    assert not np.delete(chances, some, axis=1).any()


@BOTH
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0])
def test_words_come_out_as_often_as_their_chances_say(make, epsilon, some, rng):
    mechanism = make(cloud(60), epsilon, some)

    assert unlikely(mechanism, some[[0, 6, 30, 55]], rng) > ALPHA


@BOTH
def test_a_small_error_in_epsilon_is_seen(make, some, rng):
    mechanism, other = make(cloud(60), 1.0, some), make(cloud(60), 1.15, some)
    vars(mechanism)["channel"] = other.channel

    assert unlikely(mechanism, some[[0, 6, 30, 55]], rng, 200_000) < ALPHA


@BOTH
def test_no_pair_of_words_beats_the_promise(make, some):
    for epsilon in (0.05, 1.0, 6.0):
        found, promised = losses(make(cloud(60), epsilon, some), some)

        assert (found <= promised * (1 + 1e-9) + 1e-12).all()


def test_groups_reach_a_good_part_of_their_promise(some):
    found, promised = losses(CusText(cloud(60), 1.0, some, group=4), some)
    within = (promised > 0) & (promised < inf)

    assert 0.3 < (found[within] / promised[within]).max() <= 1


def test_lists_reach_almost_all_of_their_promise(some):
    found, promised = losses(Diffractor(cloud(60), 1.0, some), some)
    apart = promised > 0

    assert (found[apart] / promised[apart]).max() > 0.9


def test_one_list_reaches_its_promise_for_every_pair(some):
    found, promised = losses(Diffractor(cloud(60), 0.3, some, lists=1), some)

    assert np.abs(found - promised).max() < 1e-9


def test_every_pair_of_groups_is_told_apart_with_certainty(some):
    mechanism = CusText(cloud(60), 1.0, some, group=4)
    found, promised = losses(mechanism, some)
    same = mechanism.groups[some, None] == mechanism.groups[some]

    assert (np.isinf(promised) == ~same).all()
    assert (np.isinf(found) == ~same).all()
    assert mechanism.guarantee.metric.widest(lambda: 1.0) == inf


@SIZES
def test_groups_are_those_of_brute_force(size):
    table = cloud(47)

    assert (
        CusText(table, 1.0, group=size).groups == brute(table.vectors[:].astype(float), size)
    ).all()


def test_groups_are_exact_where_float32_is_not():
    """Two heaps so far apart that float32 products cannot tell the words of one apart."""
    vectors = cloud(60).vectors / 1000 + np.where(np.arange(60) < 40, 8, -16)[:, None]
    table = Table([f"w{i}" for i in range(60)], vectors)

    assert (CusText(table, 1.0, group=5).groups == brute(table.vectors[:].astype(float), 5)).all()


@SIZES
def test_every_input_is_in_one_full_group_but_the_last(size, some):
    groups = CusText(cloud(60), 1.0, some, group=size).groups
    sizes = np.bincount(groups[some])

    assert sizes[:-1].tolist() == [size] * (len(sizes) - 1)
    assert sizes.sum() == 56
    assert groups[[0, 11, 12, 59]].tolist() == [-1, -12, -13, -60]


def test_blocks_of_leaders_make_the_same_groups(monkeypatch):
    table = cloud(300, 10)
    whole = CusText(table, 1.0, group=7).groups
    monkeypatch.setattr("nomdeplume.mechanism.groups.NUMBERS", 1500)

    assert (CusText(table, 1.0, group=7).groups == whole).all()


def test_words_at_one_place_are_equally_likely():
    table = Table(["one", "two", "three"], np.ones((3, 2)))

    assert CusText(table, 9.0).channel(np.arange(3)) == pytest.approx(1 / 3)


def test_the_nearest_words_of_a_group_are_likeliest():
    table = Table(["here", "near", "far"], np.array([[0.0], [1.0], [4.0]]))
    weights = np.array([1, exp(-0.25), exp(-1)])

    assert CusText(table, 2.0).channel(np.array([0]))[0] == pytest.approx(weights / weights.sum())


@pytest.mark.parametrize("count", [1, 2, 3, 8, 61])
def test_every_list_holds_every_input_once(count):
    positions = Diffractor(cloud(count), 1.0, lists=3).positions

    assert (np.sort(positions, axis=0) == np.arange(count)[:, None]).all()


def test_words_on_a_line_are_listed_in_its_order():
    places = np.random.default_rng(3).permutation(50)
    table = Table([f"w{i}" for i in range(50)], places[:, None])
    positions = Diffractor(table, 1.0).positions

    assert ((positions == places[:, None]) | (positions == 49 - places[:, None])).all()


def test_lists_do_not_depend_on_how_sums_are_taken():
    points = lists._whole(np.random.default_rng(1).standard_normal((1, 9000)), 18).reshape(300, 30)
    turned = np.random.default_rng(2).permutation(30)

    assert (lists._order(points) == lists._order(points[:, turned])).all()


@BOTH
def test_threads_change_nothing(make):
    table = cloud(500, 20)
    with threadpool_limits(1):
        one = make(table, 1.0)
        here = one.guarantee.metric.places(table.vectors[:], np.arange(500))
    there = make(table, 1.0).guarantee.metric.places(table.vectors[:], np.arange(500))

    assert (here == there).all()


def test_neighbours_in_a_list_are_near_and_lists_differ(bundled):
    sample = np.arange(0, 20_000, 5)
    vectors = bundled.vectors[sample].astype(np.float64)
    orders = lists.lists_of(bundled, sample, 3)
    lengths = [np.linalg.norm(np.diff(vectors[order], axis=0), axis=1).mean() for order in orders]
    anyhow = np.linalg.norm(np.diff(vectors, axis=0), axis=1).mean()
    places = np.argsort(orders, axis=1)
    apart = np.abs(places[0] - places[1:]).mean(axis=1)

    assert max(lengths) < 0.85 * anyhow
    assert (apart > 100).all()


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 50.0])
def test_moves_have_their_law_at_any_epsilon(epsilon, rng):
    """P(|n| ≥ m) = 2·e^(−εm)/(1 + e^(−ε)) for m ≥ 1, on both sides alike."""
    moves = Diffractor(cloud(4), epsilon)._moves(100_000, rng)
    for least in (1, 1 + int(0.1 / epsilon), 1 + int(2 / epsilon)):
        tail = exp(-epsilon * least) / (1 + exp(-epsilon))

        assert binomtest(int((moves >= least).sum()), 100_000, tail).pvalue > ALPHA
        assert binomtest(int((moves <= -least).sum()), 100_000, tail).pvalue > ALPHA


@BOTH
@pytest.mark.parametrize("ids", [[0], [1, 12], [60], [-5]])
def test_words_that_are_not_covered_are_refused(make, some, ids, rng):
    mechanism = make(cloud(60), 1.0, some)
    for use in (lambda: mechanism.release(np.array(ids), rng), lambda: mechanism.channel(ids)):
        with pytest.raises(PrivacyError, match="made for") as caught:
            use()

        assert not any(word in str(caught.value) for word in mechanism.table.words)


def test_words_in_no_list_have_no_place(some):
    metric = Diffractor(cloud(60), 1.0, some).guarantee.metric

    assert metric.widest(lambda: 1.0) == 55
    with pytest.raises(InputError, match="in the lists"):
        metric.places(np.empty((1, 4)), np.array([0]))


@BOTH
@pytest.mark.parametrize("inputs", [[], [-1], [60], [0.5], [[1]]])
def test_inputs_must_be_words_of_the_table(make, inputs):
    with pytest.raises(InputError, match="inputs must be ids"):
        make(cloud(60), 1.0, inputs)


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), inf])
@BOTH
def test_impossible_epsilons_are_refused(make, epsilon):
    with pytest.raises(InputError, match="epsilon"):
        make(cloud(60), epsilon)


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="group"):
        CusText(cloud(60), 1.0, group=1)
    with pytest.raises(InputError, match="lists"):
        Diffractor(cloud(60), 1.0, lists=0)
    with pytest.raises(InputError, match="per place"):
        Diffractor(cloud(60), 1e-10)


@BOTH
def test_nothing_in_nothing_out(make, some, rng):
    mechanism = make(cloud(60), 1.0, some)

    assert mechanism.release(NOTHING, rng).shape == (0,)
    assert mechanism.channel(NOTHING).shape == (0, 60)


@BOTH
def test_huge_epsilon_leaves_words_alone(make, some, rng):
    released = make(cloud(60), 1e300, some).release(some, rng)
    same = cloud(60).vectors[released] == cloud(60).vectors[some]

    assert same.all()


@BOTH
def test_a_mechanism_moves_to_another_table(make, some, rng):
    moved = make(cloud(60), 1.0, some).elsewhere(cloud(30), 2.0)

    assert moved.outputs is None
    assert moved.guarantee.epsilon == 2.0
    assert set(moved.release(np.arange(30), rng)) <= set(range(30))


@BOTH
def test_what_is_not_covered_is_said(make):
    mechanism = make(cloud(60), 1.0)

    assert mechanism.covers.endswith(".")
    assert not mechanism.guarantee.anywhere
    assert mechanism.guarantee.proofs == (mechanism.name,)


def test_large_requests_are_cut_into_blocks(monkeypatch, rng):
    monkeypatch.setattr("nomdeplume.mechanism.custext.NUMBERS", 40)
    monkeypatch.setattr("nomdeplume.mechanism.diffractor.WORDS", 7)
    for make in (CusText, Diffractor):
        released = make(cloud(60), 1.0).release(np.arange(60).repeat(3), rng)

        assert released.shape == (180,)
        assert set(released) <= set(range(60))
