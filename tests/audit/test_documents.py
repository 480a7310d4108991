"""Audits of noise on the mean of a document: every planted fault is found, what is right holds."""

from dataclasses import replace

import numpy as np
import pytest
from tests.audit.patience import patiently
from tests.audit.planted import planted
from tests.conftest import TINY

from nomdeplume import Audit, Laplace, Obfuscator, Table, secure, seeded
from nomdeplume.audit import documents, flow
from nomdeplume.audit.bags import Words, pairs_of_bags, some_bags
from nomdeplume.audit.finding import BROKEN
from nomdeplume.audit.loss import of_texts
from nomdeplume.audit.probe import Share
from nomdeplume.audit.questions import Questions
from nomdeplume.audit.streams import of_streams
from nomdeplume.audit.worlds import World
from nomdeplume.bag import Bag
from nomdeplume.features.subjects import Subjects
from nomdeplume.mechanism import NoisyMean, Projection
from nomdeplume.mechanism.contract import Released
from nomdeplume.releasing import Releasing
from nomdeplume.table.directions import principal_directions
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

BUDGET = 6.0
SHARE = Share(1e-8, 60, seeded(1))  # seconds enough to look at all words, which ends it
MEANS = "noise is added to the mean of the words' features"
STRETCH = "no two words are farther apart in the features"
MOVES = "means are no farther apart than words move"
BLIND = "what follows the noise sees nothing else"
GRID = "words are composed from points of the public grid"
CHARGED = "a release is charged what it promises"
CERTIFICATE = "the certificate says what was done"
INSIDE = {  # what must be seen from inside, and between which texts from outside
    "sum in place of the mean": ({MEANS, MOVES}, "a text and ten times itself"),
    "map stretched by 1.2": ({STRETCH, MOVES}, ""),
    "mean by rarity": ({MEANS, MOVES}, "one word in twenty is far away"),
    "mean of one length": ({MEANS, STRETCH, MOVES}, "two texts of one word"),
    "mean of distinct words": ({MEANS, MOVES}, "one word in twenty is far away"),
    "composed of the text's words": ({BLIND}, "other words around one mean"),
    "mean under Gamma(m−1)": (set(), "two texts of one word"),
    "no noise for one word": ({BLIND}, "a word and ten times itself"),
    "mean without noise above 300 words": ({BLIND}, ""),
    "mean of subjects under noise × 0.99": (set(), ""),
    "mean off the grid": ({GRID}, ""),
}


@pytest.fixture(scope="module")
def words(bundled):
    """The commonest words of the bundled table: real ones, few enough to be quick."""
    return Table.owning(list(bundled.words[:400]), bundled.vectors[:400], "common", "en")


@pytest.fixture(scope="module")
def topical(bundled):
    """The same, and those by which subjects are told."""
    subjects = Subjects.told(bundled)
    anchors = [word for some in subjects.anchors.values() for word in some]
    ids = np.unique(np.append(np.arange(400), bundled.ids(anchors)))
    named = [bundled.words[i] for i in ids.tolist()]
    return Table.owning(named, bundled.vectors[ids], "common", "en")


def asked(subject, share=SHARE):
    """Verdicts of the questions about the inside of a mechanism, by title."""
    system = subject if isinstance(subject, Obfuscator) else None
    mechanism = system.mechanism if system else subject
    kept = system.vocabulary.ids if system else np.arange(len(mechanism.table))
    inside = Questions(mechanism, system, kept, [], secure)._means(mechanism)
    found = [probe.ask(share) for probe in inside]
    return {finding.question: finding.verdict for finding in found}


def in_the_plane(system):
    """The same system among the words of the plane, and the pairs of texts to try there."""
    world = World(2, system.mechanism.guarantee.epsilon)
    moved = system.mechanism.elsewhere(world.table, world.epsilon)
    there = Vocabulary(world.table, StopWords("none", frozenset()))
    return replace(system, vocabulary=there, mechanism=moved, size=3), world.documents


def test_every_fault_has_its_questions():
    assert set(INSIDE) == set(planted.DOCUMENTS)
    assert set(planted.DOCUMENTS) <= set(planted.FAULTS)


@pytest.mark.parametrize("name", planted.DOCUMENTS)
def test_every_fault_of_means_is_seen_inside(name, words):
    verdicts = asked(planted.DOCUMENTS[name].make(words, BUDGET))

    assert {question for question, said in verdicts.items() if said == "broken"} == INSIDE[name][0]


@pytest.mark.parametrize("name", [name for name, (_, texts) in INSIDE.items() if texts])
def test_every_fault_of_means_is_seen_from_outside(name, words):
    system, texts = in_the_plane(planted.DOCUMENTS[name].make(words, BUDGET))
    probe = of_texts(system, texts[INSIDE[name][1]], "", "plane")

    def verdict(seconds):
        return probe.ask(Share(1e-8, seconds, seeded(1))).verdict

    assert patiently(verdict, 0.5, BROKEN.__eq__) == BROKEN


def test_a_stretched_map_is_seen_from_outside(words):
    """By the words of a line, where samples prove most."""
    stretched = planted.DOCUMENTS["map stretched by 1.2"].make(words, BUDGET)

    def broken(seconds):
        report = Audit(seconds=seconds, instruments=("loss",))(stretched.mechanism)
        return {finding.title for finding in report.broken}

    title = "line, two words 3/ε apart"
    assert title in patiently(broken, 2, lambda titles: title in titles)


@pytest.mark.parametrize("name", planted.MEANS)
def test_right_means_hold(name, words):
    system = planted.MEANS[name](words, BUDGET)
    report = Audit(seconds=0.5, instruments=("law", "loss"))(system)

    assert set(asked(system).values()) == {"held"}
    assert not report.broken
    assert {"law", "loss"} == {finding.instrument for finding in report.findings}


@pytest.mark.parametrize("name", ["subjects", "anchors"])
def test_right_means_of_subjects_hold(name, topical):
    system = Obfuscator.mean(topical, budget=BUDGET, map=name)

    assert set(asked(system).values()) == {"held"}
    assert not Audit(seconds=0.5, instruments=("law", "loss"))(system).broken


def test_an_audit_asks_about_documents_whatever_their_lengths(words):
    system = Obfuscator.mean(words, budget=BUDGET, map="principal")
    report = Audit(seconds=0.5, instruments=("law", "loss"))(system)
    titles = {finding.title: finding.verdict for finding in report.findings}

    assert report.subject.startswith("mean, E = 6, on common")
    assert "mean length of the noise, k = 10" in titles
    assert {f"plane, {question}" for question in World(2, 1.0).documents} <= set(titles)
    assert titles["line, chances of words are as their formula says"] == "held"
    assert "table, a text and ten times itself" in titles
    assert not any("bags of" in title for title in titles)  # words are not released one by one


def test_an_audit_looks_into_documents_and_around_them(words):
    """All that is asked of the flow, but for the streams at both ends, which take their time."""
    system = Obfuscator.mean(words, budget=BUDGET, map="principal")
    asks = Questions(system.mechanism, system, system.vocabulary.ids, [], secure)
    _, *probes, _ = asks.flow()
    found = {finding.question: finding.verdict for finding in (p.ask(SHARE) for p in probes)}

    around = {"no unknown word comes out", "order tells nothing"}
    assert set(found) == {MEANS, STRETCH, MOVES, BLIND, GRID, CERTIFICATE, CHARGED, *around}
    assert set(found.values()) == {"held"}


def test_no_two_means_share_a_stream(words):
    mechanism = Obfuscator.mean(words, budget=BUDGET, map="principal").mechanism
    moved = mechanism.elsewhere(World(1, BUDGET).table, BUDGET)
    finding = of_streams(moved, secure, world="line", most=400).ask(SHARE)

    assert finding.verdict == "held"
    assert finding.evidence.startswith("9 places")  # fresh interpreters among them


def test_a_mechanism_without_a_system_is_looked_into(words):
    image = Projection(principal_directions(words, 5))
    right, wrong = (
        kind(words, Laplace(2.0), image=image) for kind in (NoisyMean, planted.Distinct)
    )

    assert set(asked(right).values()) == {"held"}
    assert asked(wrong) == {
        MEANS: "open",
        STRETCH: "held",
        MOVES: "broken",
        BLIND: "held",
        GRID: "held",
    }


class Unwatched(NoisyMean):
    """Its noise is right, and drawn where nobody can see it."""

    def noisy(self, bags, rng):
        return Laplace(self.noise.guarantee.epsilon).add(self.means(bags), rng)


class Twice(NoisyMean):
    def noisy(self, bags, rng):
        self.noise.add(self.means(bags), rng)
        return super().noisy(bags, rng)


class Elsewhere(NoisyMean):
    """It draws from a generator of its own, so what follows the noise cannot be compared."""

    def noisy(self, bags, rng):
        return super().noisy(bags, secure())


def test_what_cannot_be_looked_at_is_open():
    unwatched = asked(Unwatched(TINY, Laplace(1.0)))
    assert unwatched.pop(GRID) == "broken"
    assert set(unwatched.values()) == {"open"}
    assert asked(Elsewhere(TINY, Laplace(1.0)))[BLIND] == "open"
    twice = asked(Twice(TINY, Laplace(1.0)))
    assert {twice[question] for question in (MEANS, STRETCH, MOVES)} == {"open"}


class Counting(NoisyMean):
    """Long texts get their words in another order, before these are sorted: all but hidden."""

    def noisy(self, bags, rng):
        vars(self)["long"] = [len(bag) > 50 for bag in bags]
        return super().noisy(bags, rng)

    def compose(self, noisy, size, rng):
        released = super().compose(noisy, size, rng)
        return np.where(np.array(vars(self)["long"])[:, None], released[:, :1], released)


def test_a_composer_that_knows_how_long_a_text_is_is_found(words):
    assert asked(Counting(words, Laplace(2.0)))[BLIND] == "broken"


class Early(NoisyMean):
    """What the texts before it were goes on into a document."""

    def means(self, bags):
        found = super().means(bags)
        return found + np.vstack((found[:1], found[:-1])) - found[:1]


def test_documents_that_know_of_each_other_are_found(words):
    assert asked(Early(words, Laplace(2.0)))[MOVES] == "broken"


def test_words_at_one_place_must_have_one_point():
    table = Table(["a", "b", "c"], np.array([[0.0, 0], [0, 0], [3, 4]]))

    class Apart(NoisyMean):
        def means(self, bags):
            return super().means(bags) + np.array([[0.0, 1e-3 * bag.ids[0]] for bag in bags])

    assert asked(NoisyMean(table, Laplace(1.0)))[STRETCH] == "held"
    assert asked(Apart(table, Laplace(1.0)))[STRETCH] == "broken"


def test_the_steepest_pair_is_soon_found(words):
    """Without going through all pairs: from a few words by climbing."""
    image = Projection(principal_directions(words, 6))
    mechanism = NoisyMean(words, Laplace(2.0), image=image)
    inside = documents.Inside(mechanism, None, np.arange(len(words)))
    found = inside.steepest(SHARE)

    assert 1 - 1e-6 < found.slope <= 1
    one, two = words.vectors[found.pair].astype(float)
    moved = np.linalg.norm(image(np.array([one - two]))) / mechanism.stretch
    assert moved / np.linalg.norm(one - two) == pytest.approx(found.slope, rel=1e-5)


def test_bags_are_of_all_lengths_and_told_many_times(words):
    kept = Words(words, np.arange(len(words)), np.array([3, 4]))
    pairs = pairs_of_bags(kept)
    lengths = {(len(x), len(y)) for _, x, y in pairs}

    assert {(1, 1), (2, 2), (3, 3), (60, 60), (1, 60), (3, 60), (20, 20), (3, 150)} <= lengths
    assert any({3, 4} == set(x.tolist()) | set(y.tolist()) for _, x, y in pairs)
    assert {(60, 5000), (1000, 5000)} <= lengths
    assert {1, 2, 3, 20, 60, 1000, 5000} <= {len(bag) for bag in some_bags(kept)}


class Unsorted(Obfuscator):
    """Released words stand backwards where the text begins with the later word."""

    def __call__(self, texts, rng=None, *, vectors=False):
        def turned(text, document):
            first, *_, last = text.split()
            backwards = first > last
            return replace(document, text=" ".join(sorted(document.words, reverse=backwards)))

        return list(map(turned, texts, super().__call__(texts, rng, vectors=vectors)))


class AsComposed(Releasing):
    def batch(self, bags, rng):
        made, kept = self.mechanism, self.vocabulary
        means = made.words.noisy(kept.bagged(bags), rng)
        released = made.words.compose(means, made.size, rng)
        texts = map(" ".join, np.array(kept.table.words)[released])
        return [Released(text, mean.tolist()) for text, mean in zip(texts, means, strict=True)]


class Herded(Obfuscator):
    """Released words stand in the order of their composition, which tells nothing of a text's."""

    @property
    def releasing(self):
        return AsComposed(self.vocabulary, self.documents)


@pytest.mark.parametrize(("kind", "verdict"), [(Unsorted, "broken"), (Herded, "held")])
def test_an_order_that_shows_is_found_in_documents_too(words, kind, verdict):
    right = Obfuscator.mean(words, budget=BUDGET, map="principal", size=10)
    system = kind(right.vocabulary, right.mechanism, 10)

    assert flow.of_order(system).ask(SHARE).verdict == verdict


def test_watching_does_not_search_all_pairs_again(words):
    searched = []
    image = Projection(principal_directions(words, 4))
    mechanism = NoisyMean(words, Laplace(1.0), image=image, tell=searched.append)
    before = len(searched)
    asked(mechanism)

    assert before
    assert len(searched) == before


def test_bags_of_one_word_are_documents():
    mechanism = NoisyMean(TINY, Laplace(1.0))
    seen = documents.Inside(mechanism, None, np.arange(4)).seen([np.array([2, 2])], seeded(1))

    assert (seen == mechanism.means([Bag.of({2: 1})])).all()
