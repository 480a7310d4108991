"""Maps that are fitted on public texts: what they are, what they hold, and what refuses them."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from nomdeplume import Features, InputError, Obfuscator, Table, Vocabulary, fit_features, seeded
from nomdeplume.features import learning, steepness
from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.learning import Lesson, learnt
from nomdeplume.features.network import Network
from nomdeplume.features.placing import placed
from nomdeplume.features.steepness import Steepness
from nomdeplume.text import StopWords

OWN = {
    "sea": ["ship", "harbour", "boat", "sail", "anchor", "wave"],
    "sky": ["cloud", "star", "moon", "rain", "storm", "planet"],
    "land": ["field", "wheat", "barn", "cow", "tractor", "soil"],
}
COMMON = ["people", "house", "time", "day", "year", "way"]
HABITS = {"Ann": "people", "Bob": "time", "Cleo": "year"}  # words that tell authors, not topics


@pytest.fixture(scope="module")
def kept():
    return Vocabulary.of(Table.bundled())


@pytest.fixture(scope="module")
def corpus():
    """150 texts of three topics by three authors, each of whom has a word of their own."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(150):
        topic, author = list(OWN)[number % 3], list(HABITS)[number // 3 % 3]
        words = [*rng.choice(COMMON, 3), *rng.choice(OWN[topic], 3), *[HABITS[author]] * 3]
        rows.append((" ".join(words), topic, author))
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.fixture(scope="module")
def by_topic(corpus, kept):
    texts, topics, _ = corpus
    return ByTopic.of(kept.bags(texts), topics, kept)


@pytest.fixture(scope="module")
def columns(by_topic):
    return np.unique(by_topic.counts.indices).astype(np.int64)


@pytest.fixture(scope="module")
def features(corpus, kept):
    texts, topics, authors = corpus
    more = {"maps": ("topics", "anchors", "learnt"), "dimensions": 2, "budget": 4.0}
    return fit_features(texts, topics, kept, words=24, authors=authors, **more)


def vectors_of(kept, columns):
    return kept.table.vectors[kept.ids[columns]].astype(np.float64)


def told(values, by_topic, columns, budget):
    """Share of texts whose topic is that of the nearest centre, under noise."""
    shares = Lesson.of(by_topic, columns, None).shares
    means, topic = shares @ values, by_topic.topic
    centres = np.stack([means[topic == each].mean(axis=0) for each in range(3)])
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((40, *means.shape))
    noise /= np.linalg.norm(noise, axis=2, keepdims=True)
    noisy = means + noise * rng.gamma(means.shape[1], 1 / budget, (40, len(means), 1))
    far = np.linalg.norm(noisy[:, :, None, :] - centres, axis=3)
    return (far.argmin(axis=2) == topic).mean()


def test_values_are_no_farther_apart_than_words(by_topic, columns, kept):
    values = learnt(by_topic, columns, m=2, budget=4.0)
    ratio = pdist(values) / pdist(vectors_of(kept, columns))

    assert 0.9 < ratio.max() < 1.01


def test_learnt_values_tell_topics_better_than_the_directions_they_start_from(
    by_topic, columns, kept
):
    vectors = vectors_of(kept, columns)
    along = vectors @ learning.directions_of(by_topic, 2).T
    along /= (pdist(along) / pdist(vectors)).max()
    values = learnt(by_topic, columns, m=2, budget=2.0)
    values /= (pdist(values) / pdist(vectors)).max()

    assert told(values, by_topic, columns, 2.0) > told(along, by_topic, columns, 2.0) + 0.03


def test_the_same_texts_give_the_same_values(by_topic, columns, monkeypatch):
    monkeypatch.setattr(learning, "STEPS", 20)

    assert (learnt(by_topic, columns, m=2) == learnt(by_topic, columns, m=2)).all()


def test_a_topic_without_kept_words_is_left_out(corpus, kept, monkeypatch):
    monkeypatch.setattr(learning, "STEPS", 3)
    texts, topics = [*corpus[0], "12345", "67890"], [*corpus[1], "numbers", "numbers"]
    found = ByTopic.of(kept.bags(texts), topics, kept)
    columns = np.unique(found.counts.indices).astype(np.int64)

    assert found.topics == 4
    assert len(np.unique(Lesson.of(found, columns, None).topic)) == 3
    assert np.isfinite(learnt(found, columns, m=2)).all()


def test_what_authors_differ_in_is_held_down(by_topic, columns, corpus):
    authors = corpus[2]
    lesson = Lesson.of(by_topic, columns, authors)

    def apart(hide):
        values = learnt(by_topic, columns, m=2, budget=4.0, authors=authors, hide=hide)
        return np.linalg.norm(lesson.hands @ values, axis=1).mean()

    assert lesson.hands.shape[0] == 9  # three authors on each of three topics
    assert apart(3.0) < 0.7 * apart(0.0)


def test_slopes_of_the_network_are_those_of_differences(by_topic, columns, kept):
    rng, lesson = np.random.default_rng(0), Lesson.of(by_topic, columns, None)
    start = (lesson.shares, lesson.topic, 3.0)
    network = Network.start(vectors_of(kept, columns), rng.standard_normal((2, 100)), *start)
    rows = np.arange(len(columns))
    values, hidden = network.forward(rows)
    wanted = rng.standard_normal(values.shape)
    slopes = network.back(rows, wanted, hidden)
    for part, slope in zip(network._parts[:5], slopes, strict=True):
        flat, at = part.reshape(-1), int(rng.integers(part.size))
        before = flat[at]
        found = []
        for step in (1e-6, -1e-6):
            flat[at] = before + step
            found.append(float((network.forward(rows)[0] * wanted).sum()))
        flat[at] = before

        assert (found[0] - found[1]) / 2e-6 == pytest.approx(
            slope.reshape(-1)[at], rel=1e-4, abs=1e-6
        )


def test_slopes_of_the_penalty_are_those_of_differences():
    rng = np.random.default_rng(0)
    vectors, values = rng.standard_normal((12, 5)), 2 * rng.standard_normal((12, 2))
    some = np.arange(12)

    def penalty(values):
        ratio = pdist(values) / pdist(vectors)
        return steepness.PENALTY / 12 * (np.maximum(ratio - 1, 0) ** 2).sum()

    slopes = Steepness(vectors, np.ones(12)).slopes(some, values)
    moved = values.copy()
    moved[3, 1] += 1e-6

    assert (penalty(moved) - penalty(values)) / 1e-6 == pytest.approx(slopes[3, 1], rel=1e-3)


@pytest.mark.parametrize("way", ["mended", "placed"])
def test_mending_brings_words_together_and_leaves_alone_what_is_near_enough(way):
    rng = np.random.default_rng(0)
    vectors, values = rng.standard_normal((300, 6)), 1.2 * rng.standard_normal((300, 3))
    near = values / (pdist(values) / pdist(vectors)).max() * 0.99

    def mended(some):
        if way == "mended":
            return Steepness(vectors, np.ones(300)).mended(some)
        return placed(vectors, some, np.arange(300))

    ratio = pdist(mended(values)) / pdist(vectors)

    assert (pdist(values) / pdist(vectors)).max() > 2
    assert 0.9 < ratio.max() < 1.02
    assert mended(near) == pytest.approx(near, abs=1e-6)


def test_many_words_are_learnt_in_parts(by_topic, columns, kept, monkeypatch):
    """What does not fit together is looked at some words at a time, and placed one by one."""
    monkeypatch.setattr(steepness, "SOME", 10)
    monkeypatch.setattr(learning, "STEPS", 120)
    values = learnt(by_topic, columns, m=2, budget=4.0)

    assert 0.8 < (pdist(values) / pdist(vectors_of(kept, columns))).max() < 1.02


def test_maps_come_back_from_a_file_as_they_were(features, tmp_path):
    features.save(tmp_path / "f.json")
    found = Features.open(tmp_path / "f.json")

    assert found.fingerprint == features.fingerprint
    assert found.anchors == features.anchors
    assert found.values.shape == (24, 2)
    assert {name: len(row) for name, row in found.origins.items()} == {"topics": 2, "learnt": 2}


def test_words_have_the_weight_that_public_texts_give_them(features, corpus):
    """The mean share of a word among the chosen ones of a text; topics are equally large here."""
    chosen = set(features.words)
    texts = [[word for word in text.split() if word in chosen] for text in corpus[0]]
    due = {w: np.mean([text.count(w) / len(text) for text in texts]) for w in chosen}

    assert dict(zip(features.words, features.weights, strict=True)) == pytest.approx(due)


def test_anchors_stand_for_their_topic(features):
    """Topics are in alphabetical order: land, sea, sky."""
    for words, topic in zip(features.anchors, sorted(OWN), strict=True):
        assert words[0] in OWN[topic]


@pytest.mark.parametrize("name", ["topics", "anchors", "learnt"])
def test_a_release_uses_the_map_that_is_named(features, kept, name):
    narrowed = Vocabulary.of(kept.table, features=features)
    made = Obfuscator.mean(narrowed, budget=8, size=6, map=name)
    [document] = made(["The boat left the harbour under sail."], seeded(1))

    assert made.mechanism.settings["map"].startswith(name)
    assert set(document.words) <= set(features.words)


def test_topics_are_told_from_released_words(features, kept):
    narrowed = Vocabulary.of(kept.table, features=features)
    texts = [" ".join(words) for words in OWN.values()]
    documents = Obfuscator.mean(narrowed, budget=200, size=12)(texts, seeded(3))
    for document, own in zip(documents, OWN.values(), strict=True):
        assert sum(word in own for word in document.words) > 6


def test_all_words_can_be_kept(corpus, kept, monkeypatch):
    monkeypatch.setattr(learning, "STEPS", 3)
    small = Vocabulary.of(Table.owning(
        tuple(kept.table.words[i] for i in kept.ids[:1500]),
        kept.table.vectors[kept.ids[:1500]].copy(), "small", "en",
    ))  # fmt: skip
    texts, topics, _ = corpus
    found = fit_features(texts, topics, small, words=0, maps=("learnt",), dimensions=2)
    narrowed = Vocabulary.of(small.table, features=found)

    assert found.words == ()
    assert len(found.speaking) > 3
    assert len(found.values) == len(narrowed) == len(small)
    assert Obfuscator.mean(narrowed, size=3).mechanism.dimensions == 2
    with pytest.raises(InputError, match="other stop words"):
        Obfuscator.mean(Vocabulary(small.table, StopWords("mine", frozenset(["time"])), found))


def test_of_private_texts_not_even_their_place_is_kept(corpus, kept):
    found = fit_features(*corpus[:2], kept, words=12, maps=("topics",), leaks=True)

    assert found.directions is not None
    assert not found.origins
    assert not found.weights


REFUSED = [
    ({"maps": ("subjects",)}, "topics, anchors, learnt"),
    ({"maps": ("learnt",), "authors": ["Ann"]}, "every text needs an author"),
    ({"maps": ("learnt",), "dimensions": 101}, "from 1 to 100"),
    ({"maps": ("learnt",), "budget": -1.0}, "budget"),
]


@pytest.mark.parametrize(("parts", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_cannot_be_fitted_is_refused(corpus, kept, parts, said):
    with pytest.raises(InputError, match=said):
        fit_features(*corpus[:2], kept, words=12, **parts)


def test_a_learnt_map_is_of_one_table(features, kept):
    other = Table(kept.table.words, kept.table.vectors[:] * 2, "other", "en")
    with pytest.raises(InputError, match="not those of table"):
        Obfuscator.mean(Vocabulary.of(other, features=features))
