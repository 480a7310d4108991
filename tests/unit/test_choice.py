"""Words drawn by weights: their chances, and that memory is no part of them."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from math import e

import numpy as np
import pytest
from scipy.special import logsumexp
from tests.conftest import ALPHA

from nomdeplume import InputError, PrivacyError, Table, seeded
from nomdeplume.audit.chances import fit
from nomdeplume.decode import zipf
from nomdeplume.distance.ground import directions
from nomdeplume.mechanism import choice as module
from nomdeplume.mechanism import sums
from nomdeplume.mechanism import weights as weighing
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.scores import Plain, Truncated
from nomdeplume.mechanism.syntf import Dissimilar, SynTf

CLOUD = np.random.default_rng(8).standard_normal((300, 4))
CLOUD[17] = CLOUD[200]
TABLE = Table([f"w{i}" for i in range(300)], CLOUD, name="cloud")
SOME = np.arange(5, 300, 3)
ALL = np.arange(300)
ASKED = np.array([0, 17, 131, 299])
NOTHING = np.empty(0, dtype=np.int64)

KINDS = {
    "plain": Choice(TABLE, ALL, Plain(), 2.0),
    "truncated": Choice(TABLE, ALL, Truncated(gamma=1.5), 2.0),
    "weighted": Choice(TABLE, ALL, Plain(), 1.0, np.log(zipf(TABLE))),
    "narrowed": Choice(TABLE, SOME, Plain(), 1.5),
    "all of it": Choice(TABLE, SOME, Truncated(gamma=2.0), 0.5, np.log(zipf(TABLE)[SOME])),
    "directions": Choice(TABLE, ALL, Dissimilar(), 3.0, image=directions),
}
kinds = pytest.mark.parametrize("choice", KINDS.values(), ids=KINDS)


def fresh(choice):
    """The same with nothing made yet."""
    return Choice(choice.table, choice.answers, choice.score, choice.a, choice.log_q, choice.image)


def brute(choice, ids):
    """Logarithms of weights by their definition."""
    vectors = choice.table.vectors[:].astype(np.float64)
    vectors = choice.image(vectors) if choice.image else vectors
    away = np.sqrt(((vectors[ids, None] - vectors[choice.answers]) ** 2).sum(axis=2))
    return -choice.a * choice.score.of(away) + (0 if choice.log_q is None else choice.log_q)


def unlikely(choice, rng, trials=20_000, chances=None):
    """The least p-value of any word's count under its chance, times how many words were asked."""
    due = choice.channel(ASKED) if chances is None else chances
    drawn = choice.draw(np.tile(ASKED, trials), rng).reshape(trials, -1)
    return len(ASKED) * min(fit(*row) for row in zip(drawn.T, due, strict=True))


@kinds
def test_words_are_drawn_as_often_as_their_chances_say(choice, rng):
    assert len(choice.answers) > weighing.TILE
    assert unlikely(choice, rng) > ALPHA


@kinds
def test_a_small_error_in_the_weights_is_seen(choice, rng):
    other = Choice(TABLE, choice.answers, choice.score, 1.3 * choice.a, choice.log_q, choice.image)

    assert unlikely(choice, rng, 100_000, other.channel(ASKED)) < ALPHA


@kinds
def test_chances_are_weights_over_their_sum(choice):
    logs = brute(choice, ASKED)
    due = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    found = choice.channel(ASKED)

    assert found.shape == (4, 300)
    assert found[:, choice.answers] == pytest.approx(due, rel=1e-10)
    assert not np.delete(found, choice.answers, axis=1).any()


@kinds
def test_totals_are_logarithms_of_the_sums_of_weights(choice, monkeypatch):
    due = logsumexp(choice.log_weights(ALL), axis=1)

    assert choice.log_totals(ALL) == pytest.approx(due, rel=1e-12, abs=1e-12)
    assert choice.log_totals(SOME) == pytest.approx(due[SOME], rel=1e-12, abs=1e-12)
    assert choice.log_totals(NOTHING).shape == (0,)
    monkeypatch.setattr(weighing, "NUMBERS", 1000)  # a few rows at a time
    monkeypatch.setattr(weighing, "BLOCK", 70)
    assert choice.log_totals(ALL) == pytest.approx(due, rel=1e-12, abs=1e-12)
    assert choice.log_totals(SOME) == pytest.approx(due[SOME], rel=1e-12, abs=1e-12)


@kinds
def test_tiles_sum_up_all_weights(choice):
    tiles = choice.tiles(ASKED)
    due = [
        logsumexp(choice.log_weights(ASKED)[:, start : start + weighing.TILE], axis=1)
        for start in range(0, len(choice.answers), weighing.TILE)
    ]

    assert tiles == pytest.approx(np.column_stack(due), rel=1e-12, abs=1e-12)


@kinds
@pytest.mark.parametrize("rows", [1, 20 * 8 * 5])  # bytes: room for 16 words, and for 20
def test_forgotten_rows_change_nothing(choice, rows, monkeypatch):
    ids = np.random.default_rng(3).integers(300, size=2000)
    kept = fresh(choice)
    whole = [kept.draw(some, seeded(5)) for some in (ids, ids[:9], ids)]
    monkeypatch.setattr(sums, "ROWS", rows)
    forgetful = fresh(choice)
    again = [forgetful.draw(some, seeded(5)) for some in (ids, ids[:9], ids)]

    assert forgetful._sums.most < 300 == kept._sums.most
    assert len(forgetful._sums.parts(ids)) > 5 > len(kept._sums.parts(ids))
    assert [each.tolist() for each in whole] == [each.tolist() for each in again]
    assert whole[0].tolist() == whole[2].tolist()  # made before, or just now


@pytest.mark.parametrize("kind", ["plain", "all of it"])
def test_draws_of_forgotten_rows_have_the_same_chances(kind, rng, monkeypatch):
    monkeypatch.setattr(sums, "ROWS", 1)
    monkeypatch.setattr(module, "DRAWS", 5000)
    forgetful = fresh(KINDS[kind])
    for start in range(0, 300, 50):  # more words than are kept, so that all are forgotten
        forgetful.draw(np.arange(start, start + 50), rng)

    assert unlikely(forgetful, rng) > ALPHA


def test_tiles_of_any_width_give_the_same_chances(rng, monkeypatch):
    for tile in (7, 299, 1000):
        monkeypatch.setattr(weighing, "TILE", tile)
        monkeypatch.setattr(sums, "TILE", tile)

        assert unlikely(fresh(KINDS["plain"]), rng) > ALPHA


def test_threads_change_nothing():
    ids = np.random.default_rng(3).integers(300, size=20_000)
    one, four = (Choice(TABLE, ALL, Plain(), 1.0, threads=n) for n in (1, 4))

    assert (one.draw(ids, seeded(2)) == four.draw(ids, seeded(2))).all()


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_distances_are_those_of_brute_force(offset):
    vectors = CLOUD.copy()
    vectors[9] = vectors[8] + 1e-3
    vectors[250] = vectors[8]
    table = Table(TABLE.words, vectors + offset)
    exact = table.vectors[:].astype(np.float64)
    due = np.sqrt(((exact[:, None] - exact[None]) ** 2).sum(axis=2))
    found = Choice(table, ALL, Plain(), 1.0).distances(ALL)

    assert np.abs(found - due).max() < 1e-12
    assert (found[due == 0] == 0).all()
    assert 0 < found[8, 9] < 0.01
    assert found[8, 250] == 0
    assert np.abs(found[8, 9] / due[8, 9] - 1) < 1e-10


def test_distances_hold_beside_a_word_far_from_all_others(monkeypatch):
    """It makes all other pairs look near, so that these are computed directly, some at a time."""
    monkeypatch.setattr("nomdeplume.distance.cloud.PAIRS", 1000)
    vectors = np.vstack((CLOUD[:-1], np.full((1, 4), 1e6)))
    table = Table(TABLE.words, vectors)
    exact = table.vectors[:].astype(np.float64)
    due = np.sqrt(((exact[:, None] - exact[None]) ** 2).sum(axis=2))

    assert Choice(table, ALL, Plain(), 1.0).distances(ALL) == pytest.approx(due, rel=1e-9)


def test_words_at_one_place_are_equally_likely():
    found = KINDS["plain"].channel(ASKED)

    assert found[:, 17] == pytest.approx(found[:, 200], rel=1e-12)
    assert KINDS["plain"].channel(np.array([17])) == pytest.approx(
        KINDS["plain"].channel(np.array([200])), rel=1e-12
    )


def test_beyond_the_cap_all_words_are_alike():
    choice = KINDS["truncated"]
    away, found = choice.distances(ASKED), choice.channel(ASKED)
    for row, chances in zip(away, found, strict=True):
        beyond = row > 1.5

        assert beyond.sum() > 20
        assert np.ptp(chances[beyond]) < 1e-15 < chances[~beyond].min() - chances[beyond].max()


def test_the_cap_of_tem_leaves_little_beyond_it():
    """With all other words beyond γ, they have β together."""
    table = Table(TABLE.words, np.vstack((np.zeros((1, 4)), CLOUD[1:] + 1e4)))
    made = Exponential(table, 2.0, score=Truncated(beta=0.05))

    assert made.channel(np.array([0]))[0, 0] == pytest.approx(0.95, rel=1e-9)


def test_the_nearest_words_are_likeliest_by_a_known_factor():
    table = Table(["here", "near", "far"], np.array([[0.0], [1.0], [4.0]]))
    weights = np.array([1, e**-2, e**-8])

    assert Choice(table, np.arange(3), Plain(), 2.0).channel(np.array([0]))[0] == pytest.approx(
        weights / weights.sum()
    )


@pytest.mark.parametrize("make", [
    lambda: Exponential.of(TABLE, 1.0, inputs=SOME),
    lambda: Exponential(TABLE, 1.0, inputs=SOME, outputs=ALL[:7]),
    lambda: SynTf(TABLE, 1.0, SOME),
])  # fmt: skip
@pytest.mark.parametrize("ids", [[0], [5, 6], [300], [-1], [5, 8, 10**9]])
def test_words_that_are_not_covered_are_refused(make, ids, rng):
    mechanism = make()
    for use in (lambda: mechanism.release(np.array(ids), rng), lambda: mechanism.channel(ids)):
        with pytest.raises(PrivacyError, match="made for") as caught:
            use()

        assert not any(char.isdigit() for char in str(caught.value))


@kinds
def test_nothing_in_nothing_out(choice, rng):
    assert choice.draw(NOTHING, rng).shape == (0,)
    assert choice.channel(NOTHING).shape == (0, 300)


def test_a_huge_a_leaves_words_alone(rng):
    made = Exponential(TABLE, 1e6)
    released = made.release(ALL, rng)

    assert (TABLE.vectors[released] == TABLE.vectors[ALL]).all()
    assert made.tight.epsilon >= 1e6


def test_a_huge_a_takes_the_nearest_of_few_answers(rng):
    made = Exponential(TABLE, 1e6, outputs=SOME)

    nearest = SOME[made.choice.distances(ALL).argmin(axis=1)]

    assert (TABLE.vectors[made.release(ALL, rng)] == TABLE.vectors[nearest]).all()
    assert 0 < made.tight.epsilon <= 2e6


def test_a_tiny_a_tells_nothing(rng):
    made = Exponential(TABLE, 1e-9)

    assert made.channel(ASKED) == pytest.approx(1 / 300, rel=1e-6)
    assert 1e-9 <= made.tight.epsilon <= 2e-9
    assert unlikely(made.choice, rng, 20_000, np.full((4, 300), 1 / 300)) > ALPHA


def test_one_answer_always_comes_out(rng):
    choice = Choice(TABLE, np.array([42]), Plain(), 3.0)

    assert choice.draw(ALL, rng).tolist() == [42] * 300
    assert (choice.channel(ASKED)[:, 42] == 1).all()


def test_no_answer_is_refused():
    with pytest.raises(InputError, match="at least one word"):
        Choice(TABLE, NOTHING, Plain(), 1.0)


@pytest.mark.parametrize("a", [0, -1.0, float("nan"), float("inf")])
def test_impossible_weights_are_refused(a):
    with pytest.raises(InputError, match="a must be a finite number above 0"):
        Choice(TABLE, ALL, Plain(), a)
    with pytest.raises(InputError, match="a must be a finite number above 0"):
        Exponential(TABLE, a)


@pytest.mark.parametrize("weights", [np.ones(299), np.full(300, np.nan), -np.ones(300)])
def test_weights_are_one_a_word(weights):
    with pytest.raises(InputError, match="300 words need as many weights"):
        Exponential(TABLE, 1.0, weights=weights)


def test_every_word_that_may_come_out_has_a_weight():
    weights = (ALL < 100).astype(float)

    with pytest.raises(InputError, match="above 0"):
        Exponential(TABLE, 1.0, weights=weights)
    assert Exponential(TABLE, 1.0, weights=weights, outputs=ALL[:50]).weights.sum() == 100


def test_threads_that_share_a_cold_mechanism_draw_by_the_right_rows():
    table = Table(
        [f"w{i}" for i in range(2000)], np.random.default_rng(3).normal(size=(2000, 6)), name="many"
    )
    choice = Choice(table, np.arange(2000), Plain(), 2.0)
    parts = [np.random.default_rng(i).permutation(2000)[:700] for i in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda ids: choice.draw(ids, np.random.default_rng(ids[0])), parts))
    sums = choice._sums
    known = np.flatnonzero(sums._row >= 0)
    logs = choice.tiles(known)
    due = np.exp(logs - logs.max(axis=1, keepdims=True)).cumsum(axis=1)

    assert len(known) == len(np.unique(np.concatenate(parts)))
    assert np.allclose(sums._below[sums._row[known]], due, rtol=1e-12)


def test_a_mechanism_is_pickled_without_its_rows():
    table = Table([f"w{i}" for i in range(500)], np.random.default_rng(4).normal(size=(500, 3)))
    mechanism = Exponential(table, 1.0)
    before = len(pickle.dumps(mechanism))
    mechanism.release(np.arange(500), np.random.default_rng(1))

    assert len(pickle.dumps(mechanism)) < before + 500 * 500  # of rows there are 8 times as many
    again = pickle.loads(pickle.dumps(mechanism))
    assert (again.channel(np.arange(3)) == mechanism.channel(np.arange(3))).all()
