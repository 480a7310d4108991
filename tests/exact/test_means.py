"""The document level against brute force: the stretch of maps, and its promise enumerated."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import chisquare, laplace
from tests.conftest import ALPHA

from nomdeplume import InputError, Laplace, Obfuscator, PrivacyError, Table, Vocabulary
from nomdeplume.bag import Bag
from nomdeplume.distance import word_mover
from nomdeplume.mechanism import Anchors, Network, NoisyMean, Projection, Values, pairs
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.stretch import features_of, key_of, stretch
from nomdeplume.privacy.exact import bags
from nomdeplume.privacy.loss import Loss
from nomdeplume.text import StopWords

NONE = StopWords("none", frozenset())

# The stretch

K = 6


def clouds(rng):
    plain = rng.standard_normal((300, K))
    near = np.repeat(plain[:150], 2, axis=0)
    near[1::2] += 1e-6 * rng.standard_normal((150, K))
    twice = np.repeat(plain[:150], 2, axis=0)
    signed = twice.copy()
    signed[:, 0] = np.resize([0.0, -0.0], 300)
    apart = np.vstack([plain[:299], 1e4 * np.ones(K)])
    return {
        "plain": plain,
        "near duplicates": near,
        "exact duplicates": twice,
        "duplicates but for the sign of 0": signed,
        "off centre": plain + 1e4,
        "far outlier": apart,
        "tiny": plain * 1e-12,
        "huge": plain * 1e12,
        "more than a tile": rng.standard_normal((2500, K)),
    }


CLOUDS = clouds(np.random.default_rng(1))


def table_of(vectors):
    return Table([f"w{i}" for i in range(len(vectors))], vectors.astype(np.float32))


def images(rng, scale=1.0, centre=0.0):
    directions = np.linalg.qr(rng.standard_normal((K, K)))[0][:2]
    inner = rng.standard_normal((9, K)) / scale
    return {
        "projection": Projection(directions * [[1.0], [0.4]]),
        "anchors": Anchors(tuple(centre + scale * rng.standard_normal((3, 2, K))), 2.5 * scale),
        "network": Network(
            rng.standard_normal((3, K)) / scale, inner, np.ones(9), rng.standard_normal((3, 9))
        ),
    }


def brute(table, features, ids):
    """max ‖φ(v) − φ(w)‖ / ‖v − w‖ over all pairs, in float64."""
    moved = pdist(table.vectors[ids].astype(np.float64))
    rose = pdist(features.vectors[ids].astype(np.float64))
    assert (rose[moved == 0] == 0).all()
    return float((rose[moved > 0] / moved[moved > 0]).max())


@pytest.mark.parametrize("kind", CLOUDS)
@pytest.mark.parametrize("name", ["projection", "anchors", "network"])
def test_the_stretch_is_the_largest_of_all_pairs(kind, name, rng):
    table = table_of(CLOUDS[kind])
    scale, centre = {"tiny": 1e-12, "huge": 1e12}.get(kind, 1.0), 1e4 * (kind == "off centre")
    image = images(rng, scale, centre)[name]
    ids = np.arange(len(table))
    features = features_of(table, image, ids)
    found, due = stretch(table, features, ids), brute(table, features, ids)

    assert due <= found <= due * (1 + 2e-6)  # never below, and not by more than its last digit


def test_the_stretch_is_over_the_inputs_only(rng):
    table = table_of(CLOUDS["near duplicates"])
    features = features_of(table, images(rng)["network"], np.arange(len(table)))
    some = np.arange(0, 300, 2)

    assert stretch(table, features, some) < stretch(table, features, np.arange(300))
    assert stretch(table, features, some) == pytest.approx(brute(table, features, some), rel=2e-6)


def test_vectors_themselves_are_not_stretched(rng):
    table = table_of(CLOUDS["plain"])

    assert features_of(table, None, np.arange(len(table))) is table
    assert stretch(table, table, np.arange(300)) == 1


def test_a_map_to_one_point_is_refused():
    table = table_of(CLOUDS["plain"])
    flat = Network(np.zeros((2, K)), np.zeros((1, K)), np.zeros(1), np.ones((2, 1)))

    with pytest.raises(InputError, match="the same features"):
        NoisyMean(table, Laplace(1.0), image=flat)


@pytest.mark.parametrize("m", [1, 2, 7])
@pytest.mark.parametrize("count", [1, 5, 400])
@pytest.mark.parametrize("kind", ["plain", "near duplicates", "exact duplicates", "off centre"])
def test_the_steepest_pairs_of_rows_are_those_of_all_pairs(kind, count, m, rng):
    table = table_of(CLOUDS[kind])
    values = rng.standard_normal((300, m))
    found = Steepest(Words(table, np.arange(300), values), count)
    moved = pdist(table.vectors[:].astype(np.float64))
    slopes = np.divide(pdist(values), moved, out=np.zeros_like(moved), where=moved > 0)
    due = np.sort(slopes)[::-1]

    assert np.allclose(found.slopes, due[:count], rtol=1e-12)
    assert found.rest >= due[count] * (1 - 1e-12)
    assert np.allclose(found.slopes, Words(table, np.arange(300), values).slopes(found.pairs))


def test_a_column_of_numbers_is_as_steep_as_numbers(rng):
    table, values = table_of(CLOUDS["plain"]), rng.standard_normal(300)
    one = Steepest(Words(table, np.arange(300), values), 9)
    two = Steepest(Words(table, np.arange(300), values[:, None]), 9)

    assert np.allclose(one.slopes, two.slopes, rtol=1e-12)
    assert {tuple(sorted(pair)) for pair in one.pairs.tolist()} == {
        tuple(sorted(pair)) for pair in two.pairs.tolist()
    }


def test_rows_without_numbers_are_refused():
    values = np.full((300, 2), np.nan)

    with pytest.raises(PrivacyError, match="floats cannot hold"):
        Steepest(Words(table_of(CLOUDS["plain"]), np.arange(300), values))


# The promise, where Laplace noise has a closed law: features in one dimension

WORDS = ("apple", "pear", "river", "lake")
PLANE = np.array([[0.0, 0.0], [1.0, 1.0], [1.5, -2.0], [4.0, 0.5]])
LINE = np.array([[0.0], [1.0], [1.5], [4.0]])
BUDGET = 1.5
BAGS = [bag for n in (1, 2, 3) for bag in bags(len(WORDS), n)]
MAPS = {
    "a line": (LINE, None),
    "a projection": (PLANE, Projection([[0.6, -0.8]])),
    "a projection that shrinks": (PLANE, Projection([[0.3, 0.1]])),
    "anchors": (PLANE, Anchors(([[0.0, 0.0], [4.0, 0.0]],), 2.0)),
    "a network": (PLANE, Network([[0.2, 0.1]], [[2.0, 1.0]], [-1.0], [[3.0]])),
}


def counted(bag):
    return Bag.of({int(i): list(bag).count(i) for i in set(bag)})


def world(name):
    vectors, image = MAPS[name]
    table = Table(WORDS, vectors)
    kept = Vocabulary(table, StopWords("none", frozenset()))
    return Obfuscator(kept, NoisyMean(table, Laplace(BUDGET), image=image), size=3)


def losses(means):
    """The largest |log-odds| between any two means over intervals, from the exact law, (n, n).

    Intervals end between public cuts; of two tails, whichever loses no digits is taken.
    """
    cuts = np.concatenate([[-np.inf], np.linspace(-20, 20, 81), [np.inf]])
    low, high = cuts[:-1], cuts[1:]
    logs = []
    for mean in means:
        law = laplace(mean, 1 / BUDGET)
        left, right = law.cdf(high) - law.cdf(low), law.sf(low) - law.sf(high)
        logs.append(np.log(np.where(low < mean, left, right)))
    return np.abs(np.array(logs)[:, None] - np.array(logs)).max(axis=2)


@pytest.mark.parametrize("name", MAPS)
def test_both_promises_are_kept_and_nearly_reached(name):
    made = world(name)
    nearer, wider = made.guarantees
    texts = [" ".join(WORDS[i] for i in bag) for bag in BAGS]
    means = made.mechanism.means([counted(bag) for bag in BAGS]).ravel()
    lost = losses(means)
    for promise in (nearer, wider):
        pairs = list(combinations(range(len(BAGS)), 2))
        due = np.array([promise.loss(texts[i], texts[j]) for i, j in pairs])
        found = np.array([lost[pair] for pair in pairs])

        assert (found <= due + 1e-7).all()
        assert 0.999 < (found[due > 1e-6] / due[due > 1e-6]).max() <= 1 + 1e-6


def near(x, y):
    """Whether two bags differ in one word: changed, added or left out."""
    one, two = (Counter(bag) for bag in (x, y))
    return max((one - two).total(), (two - one).total()) == 1


@pytest.mark.parametrize("name", MAPS)
def test_what_one_word_can_cost_is_kept_and_reached(name):
    made = world(name)
    one_word = made.promises[0].one_word
    lost = losses(made.mechanism.means([counted(bag) for bag in BAGS]).ravel())
    shares = [
        lost[i, j] * max(len(x), len(y)) / one_word.any
        for (i, x), (j, y) in combinations(list(enumerate(BAGS)), 2)
        if near(x, y)
    ]

    assert 0.999 < max(shares) <= 1 + 1e-6
    assert made.promises[-1].one_word is None  # stated once
    features = made.mechanism.features.vectors[:].ravel() / made.mechanism.stretch
    median = np.median(pdist(features[:, None].astype(np.float64)))
    assert one_word.usual == pytest.approx(BUDGET * median)


def test_one_word_of_those_released_by_themselves_costs_its_own_loss():
    table = Table(WORDS, PLANE)
    kept = Vocabulary(table, NONE)
    away = pdist(PLANE)
    for reduction in ("sample", "apportion"):
        made = Obfuscator.laplace(kept, epsilon=0.7, size=5, reduction=reduction)
        found = made.promises[0].one_word

        assert found.any == pytest.approx(0.7 * away.max())
        assert found.usual == pytest.approx(0.7 * np.median(away))
        words = {"sample": "are drawn from a text", "apportion": "a text is reduced to"}
        assert f"one of the 5 words that {words[reduction]} had" in found.sentence
        assert ("may be drawn all 5 times" in found.sentence) == (reduction == "sample")


def test_one_changed_word_of_a_text_may_be_drawn_each_time():
    """Between texts whose words are drawn a changed word costs N times what a drawn one does."""
    made = Obfuscator.laplace(Vocabulary(Table(WORDS, PLANE), NONE), epsilon=0.7, size=5)
    found, texts = made.promises[0].one_word, made.guarantees[-1]
    most = max(texts.loss(f"{x} {x} {x}", f"{x} {x} {y}") for x in WORDS for y in WORDS)

    assert found.any < most == pytest.approx(5 * found.any)
    assert Loss(most).factor in found.sentence


@pytest.mark.parametrize("name", MAPS)
def test_features_that_are_divided_by_too_little_would_be_seen(name):
    """The enumeration can fail: a stretch a tenth too small breaks E·W₁."""
    made = world(name)
    means = made.mechanism.means([counted(bag) for bag in BAGS]).ravel() / 0.9
    vectors = made.vocabulary.table.vectors[:].astype(np.float64)
    lost = losses(means)
    moved = [
        (i, j, word_mover(vectors[list(x)], vectors[list(y)]))
        for (i, x), (j, y) in combinations(list(enumerate(BAGS)), 2)
    ]

    assert max(lost[i, j] / (BUDGET * w) for i, j, w in moved if w > 1e-9) == pytest.approx(
        1 / 0.9, rel=1e-3
    )


def test_the_code_adds_noise_of_that_law(rng):
    """What the program releases as a noisy mean falls into intervals as often as computed."""
    made = world("a projection").mechanism
    bag = counted((0, 2, 2))
    [[mean]] = made.means([bag])
    drawn = made.noisy([bag] * 40_000, rng).ravel()
    cuts = np.array([-np.inf, -2, -1, -0.5, 0, 0.5, 1, 2, np.inf]) + mean
    seen = np.histogram(drawn, cuts)[0]

    def fit(budget):
        return chisquare(seen, 40_000 * np.diff(laplace(mean, 1 / budget).cdf(cuts))).pvalue

    assert fit(BUDGET) > ALPHA
    assert fit(0.94 * BUDGET) < ALPHA
    assert fit(1.06 * BUDGET) < ALPHA


def test_words_at_one_place_have_the_value_of_the_first_that_is_kept():
    """The first word of all is not kept, and has no value."""
    places = np.array([[0, 0], [3, 4], [0, 0], [0, 0]])
    table = Table(["aa", "bb", "cc", "dd"], places)
    inputs = np.array([1, 2, 3])
    features = features_of(table, Values(inputs, [[1.0], [7.0], [9.0]]), inputs)

    assert features.vectors[inputs].ravel().tolist() == [1, 7, 7]
    assert stretch(table, features, inputs) == pytest.approx(6 / 5, rel=1e-6)


def test_a_remembered_stretch_below_that_of_some_pair_is_not_believed(tmp_path):
    rng = np.random.default_rng(0)
    table = Table([f"w{chr(97 + i)}" for i in range(20)], rng.standard_normal((20, 3)))
    inputs, memory = np.arange(20), Memory(tmp_path)
    features = features_of(table, Values(inputs, rng.standard_normal((20, 2))), inputs)
    due = stretch(table, features, inputs)
    memory.keep_number(key_of(table, features, inputs), due / 1000)

    assert stretch(table, features, inputs, memory=memory) == due
    assert memory.number(key_of(table, features, inputs)) == due


def test_words_at_one_place_are_not_stretched_and_others_need_features():
    ids, flat = np.arange(2), Table(["a", "b"], [[3.0], [3.0]])

    assert stretch(Table(["a", "b"], [[1.0, 2.0], [1.0, 2.0]]), flat, ids) == 1.0
    with pytest.raises(InputError, match="the same features"):
        stretch(Table(["a", "b"], [[1.0, 1.0], [2.0, 2.0]]), flat, ids)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("m", [0, 2])
def test_the_steepest_pair_is_found_across_tiles_in_any_unit(unit, m, rng, monkeypatch):
    """What is left out by its bound must not depend on what values are measured in."""
    monkeypatch.setattr(pairs, "TILE", 8)
    table = Table([f"w{i}" for i in range(60)], 5 * rng.standard_normal((60, 3)))
    values = unit * rng.standard_normal((60, m) if m else 60)
    away = pdist(table.vectors[:].astype(np.float64))
    slopes = pdist(values.reshape(60, -1)) / away
    for count in (1, 5):
        found = Steepest(Words(table, np.arange(60), values), count)
        assert found.slopes == pytest.approx(np.sort(slopes)[::-1][:count], rel=1e-9)
        assert found.rest == pytest.approx(found.slopes[-1], rel=1e-9)
