"""Means of features are no farther apart than words move: ‖f(x) − f(y)‖ ≤ W₁(x, y), any lengths.

Real and random bags, under every map, on the first words of the bundled table and, under the
map that is usual, on all of it.
"""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from nomdeplume import Corpus, Laplace, Obfuscator, Table, Vocabulary
from nomdeplume.bag import Bag
from nomdeplume.decode import zipf
from nomdeplume.mechanism import Network, NoisyMean, Projection, Values
from nomdeplume.mechanism.maps import mapped
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.vocabulary import DATA

ROOT = Path(__file__).parents[2]
FIRST = 12_000  # words of the table, most of what texts hold
LENGTHS = (1, 1, 2, 3, 5, 8, 30, 200, 1000, 5000)
MAPS = ("vectors", "principal", "subjects", "anchors", "topics", "values", "network")
SLACK = 1 + 1e-9


def texts():
    """Letters, reviews and the public reference texts."""
    letters = [path.read_text(encoding="utf-8") for path in (ROOT / "examples/letters").iterdir()]
    lines = (ROOT / "examples/reviews.jsonl").read_text(encoding="utf-8").splitlines()
    references = json.loads((DATA / "reference-en.json").read_text(encoding="utf-8"))
    reviews = [json.loads(line)["text"] for line in lines]
    return [*letters, *reviews, *(text for pair in references.values() for text in pair)]


def real_bags(vocabulary):
    return [bag for bag in vocabulary.bags(texts()) if len(bag)]


def random_bags(vocabulary, count, rng, most=6):
    """Bags of few distinct words and of many words, drawn as they are common in the language."""
    law = zipf(vocabulary.table)[vocabulary.ids]
    found = []
    for _ in range(count):
        distinct = int(rng.integers(1, most + 1))
        words = rng.choice(vocabulary.ids, distinct, replace=False, p=law / law.sum())
        length = max(int(rng.choice(LENGTHS)), distinct)
        counts = 1 + rng.multinomial(length - distinct, rng.dirichlet(np.ones(distinct)))
        found.append(Bag.of(dict(zip(words.tolist(), counts.tolist(), strict=True))))
    return found


def moved(table, bags, pairs):
    """W₁ of each pair of bags, exactly."""
    rows, counts = (np.concatenate([getattr(bag, n) for bag in bags]) for n in ("ids", "counts"))
    used, place = np.unique(rows, return_inverse=True)
    vectors = table.vectors[used].astype(np.float64)
    corpus = Corpus.of(vectors, place, counts, [len(bag.ids) for bag in bags])
    return corpus.pairs(*pairs.T)


def steepness(mechanism, bags, pairs, apart):
    """The most that means of features are apart for each unit that words move."""
    means = mechanism.means(bags)
    found = np.linalg.norm(means[pairs[:, 0]] - means[pairs[:, 1]], axis=1)
    assert (found[apart == 0] < 1e-12).all()  # one bag, one mean
    return float((found[apart > 0] / apart[apart > 0]).max())


@pytest.fixture(scope="module")
def kept(bundled):
    table = Table(bundled.words[:FIRST], bundled.vectors[:FIRST], language="en", name="first")
    return Vocabulary.of(table)


def image_of(name, vocabulary, rng):
    k = vocabulary.table.dimensions
    if name == "topics":  # as fitted ones are: few directions, not all of length 1
        directions = np.linalg.qr(rng.standard_normal((k, 7)))[0].T
        return Projection(directions * np.linspace(0.3, 1, 7)[:, None], "topics")
    if name == "values":  # any numbers at all, one row a word
        return Values(vocabulary.ids, rng.standard_normal((len(vocabulary), 4)))
    if name == "network":
        inner = rng.standard_normal((16, k)) / np.sqrt(k)
        return Network(rng.standard_normal((5, k)), inner, np.ones(16), np.ones((5, 16)))
    return mapped(name, vocabulary, None).image


@pytest.fixture(scope="module")
def means(kept):
    rng = np.random.default_rng(5)
    return {
        name: NoisyMean(kept.table, Laplace(20.0), kept.ids, image=image_of(name, kept, rng))
        for name in MAPS
    }


@pytest.fixture(scope="module")
def sample(kept):
    """Some thousands of pairs of bags with how far words move between them."""
    rng = np.random.default_rng(6)
    real, made = real_bags(kept), random_bags(kept, 900, rng)
    bags = [*real, *made]
    among = np.array([(i, j) for i in range(len(real)) for j in range(i)])
    others = len(real) + rng.integers(0, len(made), (3500, 2))
    mixed = np.column_stack([rng.integers(0, len(real), 100), others[:100, 0]])
    pairs = np.vstack([among, others, mixed])
    return bags, pairs, moved(kept.table, bags, pairs)


def test_the_bags_are_of_all_lengths(sample):
    bags, pairs, apart = sample
    lengths = np.array([int(bag.counts.sum()) for bag in bags])

    assert (lengths.min(), lengths.max()) == (1, 5000)
    assert len(pairs) > 3000
    assert (lengths[pairs[:, 0]] != lengths[pairs[:, 1]]).mean() > 0.5
    assert apart.max() > 5


@pytest.mark.parametrize("name", MAPS)
def test_means_are_no_farther_apart_than_words_move(means, sample, name):
    assert 0.01 < steepness(means[name], *sample) <= SLACK


def steepest(mechanism, kept):
    """The two words, as documents of one word, whose features the map brings farthest apart."""
    pair = kept.ids[:2]  # of vectors themselves, any two
    if mechanism.image is not None:
        values = mechanism.features.vectors[kept.ids].astype(np.float64)
        [pair] = kept.ids[Steepest(Words(kept.table, kept.ids, values)).pairs]
    bags = [Bag.of({int(i): 1}) for i in pair]
    pairs = np.array([[0, 1], [1, 0]])
    return bags, pairs, moved(kept.table, bags, pairs)


@pytest.fixture(scope="module")
def farthest(means, kept):
    return {name: steepest(mechanism, kept) for name, mechanism in means.items()}


@pytest.mark.parametrize("name", MAPS)
def test_between_some_words_all_of_the_promise_is_used(means, farthest, name):
    """So that not a millionth of the budget is given away."""
    assert 1 - 1e-6 < steepness(means[name], *farthest[name]) <= SLACK


class Summed(NoisyMean):
    """Sums in the place of means: long documents reach far."""

    def means(self, bags):
        return super().means(bags) * np.array([[bag.counts.sum()] for bag in bags])


class Loose(NoisyMean):
    """Features divided by less than they stretch."""

    def means(self, bags):
        return super().means(bags) * 1.2


def turned(kind, mechanism):
    parts = {each.name: getattr(mechanism, each.name) for each in fields(mechanism)}
    found = object.__new__(kind)  # as unpickled: what took long is not found again
    found.__dict__.update(parts, stretch=mechanism.stretch, features=mechanism.features)
    return found


@pytest.mark.parametrize("name", MAPS)
def test_sums_in_the_place_of_means_are_found_out(means, sample, name):
    assert steepness(turned(Summed, means[name]), *sample) > 2


@pytest.mark.parametrize("name", MAPS)
def test_a_stretch_that_is_too_small_is_found_out(means, farthest, name):
    found = steepness(turned(Loose, means[name]), *farthest[name])

    assert found == pytest.approx(1.2, rel=1e-5)
    assert found > SLACK


def test_the_usual_map_keeps_it_on_the_whole_table(bundled, rng):
    made = Obfuscator.mean(bundled)
    bags = [*real_bags(made.vocabulary), *random_bags(made.vocabulary, 500, rng)]
    pairs = rng.integers(0, len(bags), (800, 2))

    assert made.mechanism.settings["map"] == "subjects"
    assert steepness(made.mechanism, bags, pairs, moved(bundled, bags, pairs)) <= SLACK


def test_weighted_means_would_not_keep_it(kept):
    """Why all words count alike: by their rarity, W₁ would not bound how far means are apart."""
    common, rare = (int(kept.ids[i]) for i in (0, -1))
    vectors = kept.table.vectors[[common, rare]].astype(np.float64)
    bags = [Bag.of({common: 99, rare: 1}), Bag.of({common: 100})]
    [apart] = moved(kept.table, bags, np.array([[0, 1]]))
    weighted = (99 * vectors[0] + 50 * vectors[1]) / 149  # a rare word counts as fifty

    assert np.linalg.norm(weighted - vectors[0]) > 10 * apart
