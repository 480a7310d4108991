"""Decoders against brute force on small tables; they see noisy vectors and nothing else."""

import inspect
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binomtest, chisquare
from tests.conftest import ALPHA, DECODINGS, NOISES, TINY

from nomdeplume import InputError, Laplace, NoisyNearest, Table, seeded
from nomdeplume.audit.worlds import World
from nomdeplume.decode import DECODERS, Bayes, Nearest, Rank, Vickrey, rank, zipf
from nomdeplume.decode.rank import Lists
from nomdeplume.mechanism.image import Projection, Unit
from nomdeplume.nearest import Several
from nomdeplume.noise import Mahalanobis, PolarLaplace, VonMisesFisher
from nomdeplume.table.directions import principal_directions


@pytest.fixture(scope="module")
def words():
    vectors = np.random.default_rng(5).standard_normal((300, 4)) * (3, 1, 1, 0.5)
    return Table([f"w{i}" for i in range(300)], vectors + 1)


@pytest.fixture
def noisy(words, rng):
    return Laplace(2.0).add(words.vectors[:].astype(float), rng)


def brute(words, noisy, outputs=None):
    """All that may come out, nearest first, and how far it is: (n, outputs)."""
    ids = np.arange(len(words)) if outputs is None else outputs
    away = cdist(noisy, words.vectors[ids].astype(float))
    order = np.argsort(away, axis=1, kind="stable")
    return ids[order], np.take_along_axis(away, order, axis=1)


@pytest.mark.parametrize("top", [1, 2, 7, 300])
@pytest.mark.parametrize("outputs", [None, np.arange(0, 300, 3)])
def test_the_several_nearest_are_those_of_brute_force(words, noisy, top, outputs):
    top = min(top, 300 if outputs is None else 100)
    ids, distances = Several(words, outputs, top=top).several(noisy)
    due, away = brute(words, noisy, outputs)

    assert (ids == due[:, :top]).all()
    assert distances == pytest.approx(away[:, :top])


@pytest.mark.parametrize("size", [2, 513, 3000])
@pytest.mark.parametrize("copies", [1, 3])
def test_two_of_many_are_found_among_ties_and_far_from_the_centre(size, copies):
    rng = np.random.default_rng(size)
    vectors = np.repeat(rng.standard_normal((size, 9)) + 100, copies, axis=0)
    many = Table([f"w{i}" for i in range(len(vectors))], vectors)
    queries = many.vectors[rng.integers(0, len(many), 60)] + 0.5 * rng.standard_normal((60, 9))

    assert (Several(many, top=2).several(queries)[0] == brute(many, queries)[0][:, :2]).all()


def test_several_must_be_there(words):
    with pytest.raises(InputError, match="top must be"):
        Several(words, np.array([1, 2]), top=3)


def test_nearest_is_the_first_of_all(words, noisy, rng):
    decode = Nearest().over(words, None, Laplace(2.0))

    assert (decode(noisy, rng) == brute(words, noisy)[0][:, 0]).all()


@pytest.mark.parametrize("t", [0.0, 0.3, 0.5, 1.0])
def test_vickrey_takes_the_second_as_often_as_its_formula_says(t, rng):
    line = Table(list("abc"), [[0.0], [3.0], [50.0]])
    decode = Vickrey(t).over(line, None, Laplace(1.0))
    found = decode(np.full((40_000, 1), 1.0), rng)
    first = (1 - t) * 2 / (t * 1 + (1 - t) * 2)

    assert set(found) <= {0, 1}
    assert binomtest(int((found == 0).sum()), 40_000, first).pvalue > ALPHA
    if 0 < t < 1:
        assert binomtest(int((found == 0).sum()), 40_000, 0.94 * first).pvalue < ALPHA


def test_vickrey_keeps_what_is_there_twice_and_what_is_alone(rng):
    twice = Table(list("abc"), [[0.0], [0.0], [5.0]])
    noisy = np.zeros((500, 1))

    assert set(Vickrey().over(twice, None, Laplace(1.0))(noisy, rng)) == {0}
    assert set(Vickrey().over(twice, np.array([2]), Laplace(1.0))(noisy, rng)) == {2}
    with pytest.raises(InputError, match="t must be"):
        Vickrey(1.5)


@pytest.mark.parametrize("outputs", [None, np.arange(0, 300, 2)])
def test_ranks_fall_off_as_they_should(words, outputs, rng):
    """Rank r of the nearest word's own neighbours with P ∝ exp(−c·ε·r)."""
    noise, n = Laplace(2.0), 60_000
    start = words.vectors[:1].astype(float) + 0.3
    found = Rank(0.1).over(words, outputs, noise)(np.repeat(start, n, axis=0), rng)
    nearest = brute(words, start, outputs)[0][0, :1]
    order, _ = brute(words, words.vectors[nearest].astype(float), outputs)
    chances = np.exp(-0.2 * np.arange(order.shape[1]))
    chances[104:] = 0  # 9·ln 10/0.2 ranks leave less than a billionth
    counts = np.array([(found == word).sum() for word in order[0]])
    common = n * chances / chances.sum() > 10

    def fit(counts, chances):
        due = np.append(chances[common], chances[~common].sum())
        seen = np.append(counts[common], counts[~common].sum())
        return chisquare(seen, due / due.sum() * n).pvalue

    assert counts.sum() == n
    assert fit(counts, chances) > ALPHA
    assert fit(counts, chances**1.06) < ALPHA


def test_rank_lists_start_with_the_word_itself_and_forget_when_full(words, monkeypatch):
    monkeypatch.setattr(rank, "TOGETHER", 20)
    monkeypatch.setattr(rank, "MEMORY", 4 * 5 * 50)
    lists = Lists(Several(words, top=5))
    due, _ = brute(words, words.vectors[:].astype(float))
    ids, ranks = np.arange(300).repeat(5), np.tile(np.arange(5), 300)

    assert len(lists._kept) == 50
    for _ in range(2):
        assert (lists.at(ids, ranks) == due[:, :5].ravel()).all()


def test_words_at_one_place_are_their_own_rank_nought():
    same = Table(list("abcd"), np.zeros((4, 2)))
    lists = Lists(Several(same, top=2))

    assert lists.at(np.arange(4), np.zeros(4, dtype=np.int64)).tolist() == [0, 1, 2, 3]
    assert lists._lists(np.arange(4))[:, 0].tolist() == [0, 1, 2, 3]


def test_few_ranks_are_left_where_they_fall_off_fast(words, noisy, rng):
    decode = Rank(50.0).over(words, None, Laplace(2.0))

    assert (decode(noisy, rng) == brute(words, noisy)[0][:, 0]).all()
    with pytest.raises(InputError, match="c must be"):
        Rank(0.0)


@pytest.mark.parametrize("outputs", [None, np.arange(0, 300, 3)])
def test_bayes_with_equal_weights_is_the_nearest_for_laplace_noise(words, noisy, outputs, rng):
    noise = Laplace(2.0)
    equal = Bayes(np.ones(300)).over(words, outputs, noise)

    assert (equal(noisy, rng) == Nearest().over(words, outputs, noise)(noisy, rng)).all()


def test_bayes_weighs_distance_against_frequency(words, noisy, rng):
    noise = Laplace(2.0)
    due = (np.log(zipf(words)) - 2 * cdist(noisy, words.vectors[:].astype(float))).argmax(axis=1)
    found = Bayes().over(words, None, noise)(noisy, rng)

    assert (found == due).all()
    assert (found != brute(words, noisy)[0][:, 0]).any()
    assert zipf(words)[[0, 7]] == pytest.approx([1 / 2.7, 1 / 9.7])


def test_bayes_never_releases_what_weighs_nothing(words, noisy, rng):
    weights = np.ones(300)
    weights[::2] = 0

    assert (Bayes(weights).over(words, None, Laplace(2.0))(noisy, rng) % 2 == 1).all()
    for wrong in (np.ones(3), np.zeros(300)):
        with pytest.raises(InputError, match="weight"):
            Bayes(wrong).over(words, None, Laplace(2.0))
    with pytest.raises(InputError, match="weights must be"):
        Bayes(np.array([1.0, -1.0]))


@pytest.mark.parametrize("size", [1, 4500])
def test_bayes_looks_at_all_blocks(size, rng):
    many = Table([f"w{i}" for i in range(size)], np.arange(size)[:, None])
    ids = rng.integers(0, size, 1100)
    found = Bayes(np.ones(size)).over(many, None, Laplace(1.0))(ids[:, None] + 0.25, rng)

    assert (found == ids).all()


@pytest.mark.parametrize("decoder", DECODINGS.values(), ids=DECODINGS)
def test_decoders_keep_to_outputs_and_take_nothing_and_one_word(words, noisy, decoder, rng):
    outputs = np.array([5, 17, 200])
    alone = Table(["alone"], [[1.0, 2.0, 0.0, 0.0]])
    decode = decoder.over(words, outputs, Laplace(2.0))

    assert set(decode(noisy, rng)) <= {5, 17, 200}
    assert decode(noisy[:0], rng).shape == (0,)
    assert set(decoder.over(alone, None, Laplace(2.0))(noisy, rng)) == {0}
    assert set(decoder.over(words, outputs[:1], Laplace(2.0))(noisy, rng)) == {5}


@pytest.mark.parametrize("decoder", DECODINGS.values(), ids=DECODINGS)
@pytest.mark.parametrize("name", NOISES)
def test_the_secret_is_not_seen(name, decoder):
    """One stream, one noisy vector: one release, whatever the word was."""
    noise, image = NOISES[name]

    @dataclass(frozen=True, eq=False)
    class Blind(type(noise)):
        def add(self, vectors, rng):
            return super().add(np.repeat(vectors[:1], len(vectors), axis=0), rng)

    blind = Blind(**{each: getattr(noise, each) for each in noise.__dataclass_fields__})
    mechanism = NoisyNearest(TINY, blind, image=image, decoder=decoder)
    first = [0] * 200

    def released(ids):
        return mechanism.release(np.array([0, *ids]), seeded(5))[1:].tolist()

    assert len({tuple(released(ids)) for ids in (first, [3] * 200, [1, 2] * 100)}) == 1
    assert list(inspect.signature(mechanism.decode).parameters)[:1] == ["noisy"]


def test_decoders_are_found_by_name():
    assert {name: made().name for name, made in DECODERS.items()} == {
        each: each for each in DECODERS
    }


def test_names_and_proofs_say_what_was_done(table):
    plain = NoisyNearest(table, Laplace(1.0))
    second = NoisyNearest(table, Laplace(1.0), decoder=Vickrey())
    shaped = NoisyNearest(table, Mahalanobis.of(table, 1.0), decoder=Vickrey())
    seen = NoisyNearest(table, Laplace(1.0), image=Projection([[1.0, 0.0]]))

    assert [each.name for each in (plain, second, shaped)] == ["laplace", "vickrey", "mahalanobis"]
    assert plain.guarantee == Laplace(1.0).guarantee
    assert second.guarantee.proofs == ("laplace", "postprocessing")
    assert seen.guarantee.proofs == ("laplace", "contraction")
    assert seen.places.dimensions == 1
    assert seen.places.words == table.words


def test_what_cannot_be_promised_is_refused(table):
    flat = Projection([[1.0, 0.0]])
    with pytest.raises(InputError, match=r"image=Unit\(\)"):
        NoisyNearest(table, VonMisesFisher(1.0))
    for noise, image, match in [
        (Laplace(1.0), Unit(), "noise on the sphere"),
        (PolarLaplace.of(table, 1.0), flat, "any two vectors"),
        (Laplace(1.0), Projection([[1.0, 0.0, 0.0]]), "3 dimensions"),
        (Mahalanobis.of(table, 1.0), flat, "shape of 2 dimensions"),
    ]:
        with pytest.raises(InputError, match=match):
            NoisyNearest(table, noise, image=image)
    with pytest.raises(InputError, match="singular value"):
        Projection([[1.0, 1.0]])


def test_noise_on_a_projection_is_added_to_images(words, rng):
    directions = principal_directions(words, 2)
    seen = NoisyNearest(words, Laplace(1e9), image=Projection(directions))
    ids = np.arange(300)

    assert (seen.release(ids, rng) == ids).all()
    assert seen.vectors(ids) == pytest.approx(words.vectors[:] @ directions.T, rel=1e-5)
    assert seen.guarantee.epsilon == 1e9


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_mechanisms_move_to_small_worlds(name, dimensions, rng):
    noise, image = NOISES[name]
    world = World(dimensions, 2.0)
    moved = NoisyNearest(
        TINY, noise, np.array([1]), image=image, decoder=Bayes(np.ones(4))
    ).elsewhere(world.table, 2.0)
    promise = moved.guarantee.loss(*moved.table.vectors[[0, 2]].astype(float))

    assert moved.table.words == world.table.words
    assert moved.outputs is None
    assert 0.5 < promise <= 1.1  # words 1/ε apart
    assert len(set(moved.release(np.zeros(4000, dtype=np.int64), rng))) > 3


def test_a_mechanism_that_was_used_can_be_sent_to_a_worker(table, rng):
    used = NoisyNearest(table, Laplace(1.0), decoder=Rank())
    used.release(np.arange(4), rng)
    again = pickle.loads(pickle.dumps(used))
    ids = np.arange(4).repeat(20)

    assert (again.release(ids, seeded(1)) == used.release(ids, seeded(1))).all()
