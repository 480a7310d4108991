"""Words chosen directly, enumerated: the promise is kept by every pair, and reached by one."""

from dataclasses import replace
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomdeplume import InputError, PrivacyError, Table
from nomdeplume.decode import Rank, zipf
from nomdeplume.distance import Cloud
from nomdeplume.mechanism import pairs, tight
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.ranked import Ranked
from nomdeplume.mechanism.santext import SanText
from nomdeplume.mechanism.scores import Plain, Truncated
from nomdeplume.mechanism.syntf import SynTf
from nomdeplume.privacy.exact import bags, law, loss


def world(count, dimensions, seed=1, *, spread=1.0):
    """Words at random places."""
    drawn = spread * np.random.default_rng(seed).standard_normal((count, dimensions))
    return Table([f"w{i}" for i in range(count)], drawn, name="world")


def doubled(table):
    """The same, some words at the place of others."""
    vectors = np.array(table.vectors[:])
    vectors[1::4] = vectors[0]
    return Table(table.words, vectors)


LINE = Table(list("abcdefgh"), np.array([0, 1, 1.5, 4, 4, 9, 10, 20])[:, None] * [1.0, 2.0])
TABLES = {
    "5 words on a line": world(5, 1),
    "20 words in the plane": world(20, 2, spread=3.0),
    "60 words in space, some at one place": doubled(world(60, 3)),
    "30 words in four dimensions": world(30, 4, seed=9),
    "8 words on a slant, two at one place": LINE,
}
SCORES = {"exponential": Plain(), "tem": Truncated(), "tem, early cap": Truncated(beta=0.2)}
NARROWED = {  # which words go in and which may come out
    "all": lambda n: {},
    "inputs among the outputs": lambda n: {"inputs": np.arange(0, n, 2)},
    "same words in and out": lambda n: {"inputs": np.arange(1, n), "outputs": np.arange(1, n)},
    "few outputs": lambda n: {"outputs": np.arange(0, n, 3)},
    "others out than in": lambda n: {"inputs": np.arange(n // 2), "outputs": np.arange(n // 2, n)},
}
INSIDE = list(NARROWED)[:3]  # where every input may come out
WEIGHTS = {"plain": lambda table: None, "zipf": zipf}

tables = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
scores = pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
narrowed = pytest.mark.parametrize("narrow", NARROWED)
weighted = pytest.mark.parametrize("weigh", WEIGHTS)


def parts_of(table, score, narrow, weigh):
    return {"score": score, "weights": WEIGHTS[weigh](table), **NARROWED[narrow](len(table))}


def lost(mechanism):
    """The largest log-ratio of chances for each unit of distance, over all pairs and answers."""
    ids, metric = mechanism.covered, mechanism.guarantee.metric
    logs = np.log(mechanism.channel(ids)[:, mechanism.choice.answers])
    places = metric.places(mechanism.table.vectors[ids].astype(np.float64), ids)
    away = metric.apart(places, places)
    most = np.abs(logs[:, None, :] - logs[None, :, :]).max(axis=2)

    assert most[away == 0].max() < 1e-12  # words at one place are not told apart
    return float((most[away > 0] / away[away > 0]).max())


@tables
@scores
@narrowed
@weighted
def test_what_is_calibrated_is_kept_by_all_pairs_and_reached_by_one(table, score, narrow, weigh):
    for epsilon in (0.3, 4.0):
        made = Exponential.of(table, epsilon, **parts_of(table, score, narrow, weigh))
        found = lost(made)

        assert made.guarantee.epsilon == epsilon
        assert found <= epsilon * (1 + 1e-9)
        assert epsilon / 2 <= made.a <= epsilon
        if narrow in INSIDE or made.a < epsilon * (1 - 1e-6):  # no larger a is looked for
            assert found >= epsilon * (1 - 1e-6)


@tables
@scores
@narrowed
@weighted
def test_the_least_epsilon_is_that_of_brute_force(table, score, narrow, weigh):
    for a in (0.2, 3.0):
        made = Exponential(table, a, **parts_of(table, score, narrow, weigh))

        assert made.tight.exact
        assert made.tight.epsilon == pytest.approx(lost(made), rel=1e-9, abs=1e-11)
        assert made.tight.epsilon >= lost(made) * (1 - 1e-12)
        assert made.guarantee.epsilon == made.tight.epsilon
        assert made.tight.epsilon <= 2 * a == made.tight.textbook
        assert narrow not in INSIDE or made.tight.epsilon >= a


def test_a_promise_a_hundredth_too_small_would_be_seen():
    made = Exponential.of(TABLES["20 words in the plane"], 1.0)

    assert lost(replace(made, a=1.01 * made.a, epsilon=None)) > 1.005


def test_the_textbook_bound_can_be_almost_reached():
    """A word beside one that weighs far more loses nearly 2a: nothing less holds in general."""
    table = Table(["rare", "common"], np.array([[0.0], [1.0]]))

    assert Exponential(table, 1.0, weights=np.array([1.0, 1e6])).tight.epsilon > 1.99999


@pytest.mark.parametrize("way", [Exponential.of, Exponential])
def test_one_answer_tells_nothing(way):
    made = way(world(6, 2), 1.0, outputs=np.array([3]))

    assert 0 <= made.tight.epsilon < 1e-12
    assert made.guarantee.epsilon > 0
    assert (made.channel(np.arange(6))[:, 3] == 1).all()


def test_words_with_equal_sums_of_weights_are_told_apart_all_the_same():
    """Two words between two answers: the sums are equal, the chances are not."""
    table = Table(list("abcd"), np.array([[-1.0], [1.0], [-2.0], [2.0]]))
    made = Exponential(table, 0.5, inputs=np.array([0, 1]), outputs=np.array([2, 3]))

    assert np.ptp(made.choice.log_totals(made.covered)) < 1e-15
    assert lost(made) == pytest.approx(made.tight.epsilon) == pytest.approx(0.5)


def test_one_word_alone_is_promised_what_holds_for_any():
    made = Exponential(world(1, 2), 0.7)

    assert made.tight.exact
    assert made.guarantee.epsilon == pytest.approx(0.7)


# Bags and texts


FEW = {
    "in the plane": Table(list("abcde"), np.array([[0, 0], [0, 1], [1, 1], [4, 4], [4, 5]])),
    "two at one place": Table(list("abcd"), np.array([[1, 0], [1, 0], [0, 3], [2, 2]])),
}
MAKERS = {
    "exponential": lambda table: Exponential.of(table, 0.9),
    "exponential, two outputs": lambda table: Exponential.of(table, 0.9, outputs=np.array([0, 3])),
    "tem": lambda table: Exponential.of(table, 0.9, score=Truncated(beta=0.1), weights=zipf(table)),
    "syntf": lambda table: SynTf(table, 1.5),
    "santext+": lambda table: SanText(table, 0.9, share=0.25),
    "custext": lambda table: CusText(table, 1.5, group=2),
    "diffractor": lambda table: Diffractor(table, 0.4, lists=2),
}
RANKED = {f"{name}, ranked": lambda table, make=make: Ranked(make(table), Rank(0.5))
          for name, make in MAKERS.items()}  # fmt: skip
PARTIAL = ("santext+", "custext")


def spent(mechanism, guarantee, inputs, laws):
    """The largest share of its promise that any two inputs lose; and how many have none."""
    metric, vectors = mechanism.guarantee.metric, mechanism.table.vectors
    clouds = [
        Cloud.of(metric.places(vectors[ids].astype(np.float64), ids))
        for ids in map(np.array, inputs)
    ]
    shares, unbound = [0.0], 0
    for i, j in combinations(range(len(clouds)), 2):
        due = float(guarantee.loss(clouds[i], clouds[j]))
        found = max(loss(laws[i], laws[j]), loss(laws[j], laws[i]))
        unbound += due == inf
        assert due > 0 or found < 1e-12
        shares.append(found / due if 0 < due < inf else 0.0)
    return max(shares), unbound


@pytest.mark.parametrize("name", [*MAKERS, *RANKED])
@pytest.mark.parametrize("few", FEW)
@pytest.mark.parametrize("size", [2, 3])
def test_bags_keep_their_promise(name, few, size):
    mechanism = (MAKERS | RANKED)[name](FEW[few])
    channel = mechanism.channel(np.arange(len(mechanism.table)))
    inputs = list(bags(len(mechanism.table), size))
    laws = [law(channel, bag) for bag in inputs]
    share, unbound = spent(mechanism, mechanism.guarantee.over_bags(size), inputs, laws)

    assert share <= 1 + 1e-9
    assert (unbound > 0) == name.startswith(PARTIAL)


@pytest.mark.parametrize("name", ["exponential", "tem", "santext+", "diffractor"])
def test_some_bags_reach_their_promise(name):
    """By a bag of one word many times, against another: nothing smaller would hold."""
    mechanism = MAKERS[name](FEW["in the plane"])
    laws = [law(row[None], [0, 0, 0]) for row in mechanism.channel(np.arange(5))]
    inputs = [(word,) * 3 for word in range(5)]
    share, _ = spent(mechanism, mechanism.guarantee.over_bags(3), inputs, laws)

    assert share > (0.9 if name == "diffractor" else 1 - 1e-6)


@pytest.mark.parametrize("few", FEW)
def test_a_step_by_rank_loses_no_more_than_was_lost_before(few):
    for name, make in MAKERS.items():
        before = make(FEW[few])
        after = RANKED[f"{name}, ranked"](FEW[few])
        ids = np.arange(len(before.table))
        one, two = before.channel(ids), after.channel(ids)
        for i, j in combinations(ids, 2):
            assert loss(two[i], two[j]) <= loss(one[i], one[j]) + 1e-12
        assert np.abs(one - two).max() > 0.01


@pytest.mark.parametrize(
    ("name", "reached"), [("exponential", 0.999), ("tem", 0.999), ("exponential, ranked", 0.3)]
)
def test_sampled_texts_keep_the_bottleneck_promise(name, reached):
    """Over all texts of one to three words, two of which are drawn from each."""
    mechanism = (MAKERS | RANKED)[name](FEW["in the plane"])
    channel, guarantee = mechanism.channel(np.arange(5)), mechanism.guarantee.over_samples(2)
    texts = [text for n in (1, 2, 3) for text in bags(5, n)]
    drawn = [law(channel[list(text)].mean(axis=0)[None], [0, 0]) for text in texts]
    share, _ = spent(mechanism, guarantee, texts, drawn)

    assert reached < share <= 1 + 1e-9


# Whatever the table


def tables_of(most=12):
    coordinate = st.integers(-20, 20).map(lambda n: n / 4)
    sizes = st.tuples(st.integers(2, most), st.integers(1, 3))
    return sizes.flatmap(
        lambda size: st.lists(
            st.lists(coordinate, min_size=size[1], max_size=size[1]),
            min_size=size[0],
            max_size=size[0],
        )
    ).map(lambda rows: Table([f"w{i}" for i in range(len(rows))], np.array(rows)))


def apart(table):
    vectors = table.vectors[:].astype(np.float64)
    return np.sqrt(((vectors[:, None] - vectors[None]) ** 2).sum(axis=2))


@settings(max_examples=150, deadline=None)
@given(tables_of(), st.floats(0.01, 20), st.sampled_from(list(SCORES)), st.booleans())
def test_no_pair_of_any_table_loses_more_than_is_found(table, a, name, weigh):
    made = Exponential(table, a, score=SCORES[name], weights=zipf(table) if weigh else None)
    found, cap = made.tight, getattr(made.guarantee.metric, "limit", inf)
    logs = made.choice.log_weights(made.covered)
    logs -= made.choice.log_totals(made.covered)[:, None]
    away = np.minimum(apart(table), cap)
    most = np.abs(logs[:, None] - logs[None]).max(axis=2)

    assert (most <= found.epsilon * away * (1 + 1e-9) + 1e-12 * (1 + a)).all()
    assert a <= found.epsilon <= 2 * a


@settings(max_examples=60, deadline=None)
@given(tables_of(), st.floats(0.01, 20), st.sampled_from(list(SCORES)), st.data())
def test_any_calibration_keeps_its_promise(table, epsilon, name, data):
    ids = st.lists(st.integers(0, len(table) - 1), min_size=1, unique=True).map(np.array)
    outputs = data.draw(st.none() | ids)
    made = Exponential.of(table, epsilon, score=SCORES[name], outputs=outputs)

    assert epsilon / 2 <= made.a <= epsilon
    assert made.tight.epsilon <= epsilon
    assert Exponential(table, made.a, score=SCORES[name], outputs=outputs).tight.epsilon <= epsilon


@settings(max_examples=150, deadline=None)
@given(
    table=tables_of(40),
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([1, 2, 7, 10_000]),
    cap=st.sampled_from([inf, 1e9, 2.0, 0.3, 1e-12]),
    scale=st.sampled_from([1e-9, 1.0, 1e30]),
    tile=st.sampled_from([3, 8, 1024]),
)
def test_the_steepest_pairs_are_those_of_brute_force(table, seed, count, *, cap, scale, tile):
    values = scale * np.random.default_rng(seed).standard_normal(len(table)).round(1)
    words = Words(table, np.arange(len(table)), values, cap)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pairs, "TILE", tile)
        found = Steepest(words, count)
    one, two = np.triu_indices(len(table), 1)
    away = np.minimum(apart(table), cap)[one, two]
    rise = np.abs(values[one] - values[two])
    slopes = -np.sort(-np.divide(rise, away, out=np.zeros_like(away), where=away > 0))

    assert found.slopes == pytest.approx(slopes[:count], rel=1e-12)
    assert found.slopes == pytest.approx(words.slopes(found.pairs), rel=1e-12)
    assert len({tuple(pair) for pair in found.pairs.tolist()}) == len(found.pairs)
    if count >= len(slopes):
        assert found.rest == -inf
    else:
        assert found.rest >= slopes[count] * (1 - 1e-12)


@pytest.mark.parametrize("near", [1e-4, 1e-3, 1e-2])
def test_pairs_nearer_than_float32_can_tell_are_not_missed(monkeypatch, near):
    """Each later pair is a little steeper, and seen in another tile than the ones before."""
    monkeypatch.setattr(pairs, "TILE", 8)
    for seed in range(10):
        draw = np.random.default_rng(seed)
        vectors = draw.standard_normal((128, 30)).astype(np.float32)
        vectors[64:] = vectors[:64] + near * draw.standard_normal((64, 30))
        table = Table([f"w{i}" for i in range(128)], vectors + 1e2)
        values = np.zeros(128)
        values[64:] = np.linalg.norm(table.vectors[64:] - table.vectors[:64], axis=1)
        values[64:] *= 1 + np.arange(64) / 1e4
        found = Steepest(Words(table, np.arange(128), values), threads=1)
        one, two = np.triu_indices(128, 1)
        slopes = np.abs(values[one] - values[two]) / apart(table)[one, two]

        assert found.slopes[0] == pytest.approx(slopes.max(), rel=1e-12)


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("steep", [1e-200, 1.0, 1e200])
def test_no_numbers_are_too_small_or_too_large_for_the_search(size, steep):
    table, values = world(50, 3, spread=size), steep * np.sin(np.arange(50))
    found = Steepest(Words(table, np.arange(50), values, cap=1e300))
    one, two = np.triu_indices(50, 1)
    slopes = np.abs(values[one] - values[two]) / apart(table)[one, two]

    assert found.slopes[0] == pytest.approx(slopes.max(), rel=1e-9)


def test_progress_is_told_of_every_word_twice():
    told = []
    made = Exponential(world(60, 3), 1.0)
    tight.tight(made.choice, made.covered, told.append)

    assert sum(told) == 120


# More pairs than can be gone through


@scores
@pytest.mark.parametrize("held", [1, 8, 200])
@pytest.mark.parametrize("a", [0.2, 3.0])
def test_pairs_that_are_not_held_are_bounded(monkeypatch, score, held, a):
    monkeypatch.setattr(tight, "HELD", held)
    monkeypatch.setattr(tight, "TOGETHER", 4)
    monkeypatch.setattr(pairs, "TILE", 7)
    apart_from = NARROWED["others out than in"](60)
    made = Exponential(world(60, 3, seed=2), a, score=score, **apart_from)

    assert lost(made) <= made.tight.epsilon * (1 + 1e-9)
    assert made.tight.epsilon <= 2 * a
    if made.tight.exact:
        assert lost(made) == pytest.approx(made.tight.epsilon, rel=1e-9)


def test_a_bound_says_that_it_is_one(monkeypatch):
    monkeypatch.setattr(tight, "HELD", 8)
    made = Exponential(world(60, 3, seed=2), 0.2, **NARROWED["others out than in"](60))

    assert not made.tight.exact
    assert lost(made) < made.tight.epsilon < 0.4
    assert "bound" in made.settings


@scores
@pytest.mark.parametrize("narrow", ["few outputs", "others out than in"])
def test_a_calibration_by_a_bound_keeps_its_promise(monkeypatch, score, narrow):
    monkeypatch.setattr(tight, "HELD", 8)
    for epsilon in (0.3, 4.0):
        parts = {"score": score, **NARROWED[narrow](60)}
        made = Exponential.of(world(60, 3, seed=2), epsilon, **parts)

        assert made.tight.epsilon <= epsilon
        assert lost(made) <= epsilon * (1 + 1e-9)
        assert made.a >= epsilon / 2


def test_a_first_guess_on_few_words_changes_nothing(monkeypatch):
    table = world(60, 3)
    whole = Exponential.of(table, 1.0)
    monkeypatch.setattr(tight, "FEW", 10)

    assert Exponential.of(table, 1.0).a == pytest.approx(whole.a, rel=1e-8)


def test_if_no_guess_holds_the_textbook_does(monkeypatch):
    monkeypatch.setattr(tight, "ROUNDS", 0)
    made = Exponential.of(world(60, 3), 1.0)

    assert made.a == 0.5
    assert lost(made) <= made.tight.epsilon * (1 + 1e-9) <= 1 + 1e-9


# Figures


@pytest.fixture(scope="module")
def common(bundled):
    return Table(bundled.words[:4000], bundled.vectors[:4000])


@pytest.mark.parametrize(
    ("a", "epsilon"), [(0.5, 0.7509), (1.5, 1.8175), (3.0, 3.2806), (5.0, 5.0965)]
)
def test_figures_of_common_words_stay_what_they_are(common, a, epsilon):
    assert Exponential(common, a).tight.epsilon == pytest.approx(epsilon, abs=1e-4)


def test_no_promise_below_what_holds_is_made():
    table = Table(["a", "b", "c"], np.array([[0.0], [1.0], [3.0]]))
    honest = Exponential.of(table, 1.0)

    with pytest.raises(PrivacyError, match="promises"):
        _ = Exponential(table, 5.0, epsilon=0.01).guarantee
    with pytest.raises(PrivacyError, match="promises"):
        _ = replace(honest, a=5.0).guarantee  # what was found for another a is not believed
    assert Exponential(table, 5.0, epsilon=10.0).guarantee.epsilon == 10.0  # the textbook holds


def test_weights_that_floats_cannot_add_are_refused():
    table = Table([f"w{i}" for i in range(50)], np.random.default_rng(0).normal(size=(50, 2)))
    weights = np.full(50, 1e300)
    weights[0] = 1e-320

    with pytest.raises(InputError, match="factor"):
        Exponential(table, 300.0, weights=weights)


def test_near_duplicates_are_calibrated_without_falling_back_to_the_textbook():
    vectors = np.random.default_rng(5).normal(size=(300, 3)).astype(np.float32)
    vectors[1] = vectors[0] + np.float32(2e-7)
    table = Table([f"w{i}" for i in range(300)], vectors)
    mechanism = Exponential.of(table, 2.4)

    assert mechanism.a > 1.3
    assert mechanism.tight.epsilon <= 2.4
    again = Exponential.checked(table, mechanism.a, 2.4)
    assert again.guarantee.epsilon == 2.4


def test_no_promise_is_above_the_textbook_bound_and_none_below_what_was_found():
    assert tight._up(1.0, 0.5) == 1.0
    assert 1.0 < tight._up(1.0, 0.6) < 1.0 + 1e-9
