"""Audits of mechanisms that choose words, cover some of them, or have a step after them."""

import pickle
from dataclasses import replace
from threading import current_thread, main_thread

import numpy as np
import pytest
from tests.audit.patience import patiently
from tests.conftest import CHOSEN, NOISES, TINY

from nomdeplume import Audit, NoisyNearest, Obfuscator, Table, secure, seeded
from nomdeplume.audit import closed, flow, inside
from nomdeplume.audit.pairs import commonest, named_pairs
from nomdeplume.audit.parts import cold
from nomdeplume.audit.probe import Share
from nomdeplume.audit.streams import of_streams
from nomdeplume.decode import Rank
from nomdeplume.mechanism import CusText, Diffractor, Exponential, Ranked, SanText, Unit
from nomdeplume.noise import VonMisesFisher
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

SHARE = Share(1e-6, 0.5, seeded(1))
PAIRS = "by its formula, all pairs of"
CHANCES = "table, before the step: chances of words are as their formula says"
STEP = "the step sees nothing but the released word"


def verdicts(report):
    return {finding.title: finding.verdict for finding in report.findings}


def scattered(count):
    places = np.random.default_rng(count).standard_normal((count, 3))
    return Table([f"w{i}" for i in range(count)], places, name="scattered")


@pytest.fixture(scope="module")
def words():
    """More words than can all be compared; SanText covers only the last 300 below."""
    return scattered(1500)


@pytest.fixture(scope="module")
def many():
    """More words than a step by rank tells the chances of."""
    return scattered(2100)


class Open(SanText):
    """Covered words come out as they are; in small worlds it is right."""

    def elsewhere(self, table, epsilon):
        return SanText(table, epsilon, share=self.share, last=True)

    def channel(self, ids):
        return np.eye(len(self.table))[ids]

    def release(self, ids, rng):
        return np.array(ids)


def test_covered_words_are_tried_though_the_commonest_are_not(words):
    def broken(seconds):
        report = Audit(seconds=seconds, instruments=("loss",))(Open(words, 1.0, share=0.8))
        return [finding.title for finding in report.broken]

    def named(titles):
        return len([title for title in titles if title.startswith("table, w")])

    titles = patiently(broken, 1, lambda titles: named(titles) >= 3)

    assert f"table, {PAIRS} 300 words" in titles
    assert named(titles) >= 3


def test_a_right_mechanism_that_covers_some_words_holds_on_them(words):
    found = verdicts(Audit(seconds=1, instruments=("loss",))(SanText(words, 1.0, share=0.8)))

    assert found[f"table, {PAIRS} 300 words"] == "held"
    assert "broken" not in found.values()


@pytest.mark.parametrize("wrap", [lambda each: each, lambda each: Ranked(each, Rank())])
@pytest.mark.parametrize("which", ["near", "random"])
def test_pairs_are_of_covered_words(words, which, wrap):
    mechanism = wrap(SanText(words, 1.0, share=0.8))
    pairs = named_pairs(mechanism, np.arange(1500), which, 1e-9)

    assert len(pairs) == 3
    assert all(min(pair.x, pair.y) >= 1200 for pair in pairs)


def test_words_of_a_group_are_compared_with_each_other(words):
    mechanism = CusText(words, 1.0)
    ids = commonest(mechanism, np.arange(1500), 40)
    apart = closed.promised(mechanism.guarantee, words, ids)

    assert len(set(ids)) == 40
    assert np.isfinite(apart).sum() >= 40 * 20  # two groups of 20


def test_where_nothing_is_promised_nothing_held(table):
    mechanism = SanText(table, 1.0, share=0.75)  # one word is covered
    guarantee, channel = mechanism.guarantee, mechanism.channel
    findings = [
        closed.of_pairs(guarantee, table, channel, np.arange(3), "table").ask(SHARE),
        closed.of_all_bags(guarantee, table, channel, "table").ask(SHARE),
    ]

    assert [finding.verdict for finding in findings] == ["open", "open"]
    assert {finding.evidence for finding in findings} == {"nothing is promised between them"}


class Loud(Exponential):
    """It draws by twice the a that it says; in small worlds it is right."""

    def elsewhere(self, table, epsilon):
        return Exponential.of(table, epsilon)

    def release(self, ids, rng):
        return replace(self, a=2 * self.a).choice.draw(ids, rng)


@pytest.mark.parametrize(("kind", "verdict"), [(Exponential, "held"), (Loud, "broken")])
def test_what_a_step_comes_after_is_held_to_its_law(many, kind, verdict):
    stepped = Ranked(kind(many, 1.0, epsilon=2.0), Rank())

    def audited(seconds):
        return verdicts(Audit(seconds=seconds, instruments=("law", "loss"))(stepped))

    found = patiently(audited, 2, lambda found: found[CHANCES] == verdict)

    assert type(stepped) is Ranked  # which cannot say its chances
    assert found[CHANCES] == verdict
    assert found["crowd, chances of words are as their formula says"] == "held"
    assert found[f"table, before the step: {PAIRS} 975 words"] == "held"


class Peeking(Ranked):
    def release(self, ids, rng):
        return np.where(ids % 50 == 7, ids, super().release(ids, rng))


class Avoiding(Ranked):
    """Where the mechanism gave a word back, it never stays."""

    def release(self, ids, rng):
        before = self.mechanism.release(ids, rng)
        after = self.steps(before, rng)
        return np.where((before == ids) & (after == ids), (after + 1) % len(self.table), after)


@pytest.mark.parametrize(
    ("kind", "verdict"), [(Ranked, "held"), (Peeking, "broken"), (Avoiding, "broken")]
)
def test_a_step_that_sees_the_word_is_found(many, kind, verdict):
    stepped = kind(Exponential(many, 1.0, epsilon=2.0), Rank())
    report = Audit(seconds=2, instruments=("flow",))(stepped)

    assert verdicts(report)[f"table, {STEP}"] == verdict


def test_a_step_with_its_own_generator_is_not_called_a_peeper():
    class Own(Ranked):
        def release(self, ids, rng):
            return super().release(ids, secure())

    stepped = Own(CHOSEN["exponential"], Rank(0.5))

    assert inside.of_step(stepped, np.arange(4), "table").ask(SHARE).verdict == "open"


@pytest.mark.parametrize("name", ["laplace", "vmf"])
def test_noise_is_watched_before_a_step_too(name):
    noise, image = NOISES[name]
    report = Audit(seconds=2)(Ranked(NoisyNearest(TINY, noise, image=image), Rank(0.5)))
    found = verdicts(report)

    assert not report.broken
    assert found["table, what follows the noise sees nothing else"] == "held"
    assert found[f"table, {STEP}"] == "held"
    assert found["noise is drawn in float64"] == "held"


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("wrap", [lambda each: each, lambda each: Ranked(each, Rank())])
def test_used_mechanisms_are_sent_to_fresh_interpreters(name, wrap):
    made = replace(wrap(CHOSEN[name]))
    made.release(np.arange(4), seeded(1))
    sent = pickle.loads(pickle.dumps(made))
    evidence = of_streams(made, secure).ask(SHARE).evidence

    assert (sent.release(np.arange(4), seeded(1)) == made.release(np.arange(4), seeded(1))).all()
    assert evidence.startswith("9 places")


def test_what_was_calibrated_is_sent_along():
    made = SanText(TINY, 0.7, share=0.25, tell=lambda done: None)
    made.release(np.arange(4), seeded(1))
    sent = pickle.loads(pickle.dumps(made))

    assert vars(sent)["inner"].a == made.inner.a
    assert "choice" not in vars(sent.inner)
    assert "inner" not in vars(pickle.loads(pickle.dumps(replace(made))))


class Unsorted(Obfuscator):
    """Released words stand in the order of the text."""

    def __call__(self, texts, rng=None):
        def ordered(text, document):
            ids = np.resize(self.vocabulary.table.ids(text.split()), self.size)
            released = self.mechanism.release(ids, rng or secure())
            return replace(
                document, text=" ".join(self.vocabulary.table.words[i] for i in released)
            )

        documents = super().__call__(texts, rng)
        return list(map(ordered, texts, documents))


@pytest.mark.parametrize(
    "make",
    [
        lambda t, ids: CusText(t, 1.0, ids),
        lambda t, ids: Diffractor(t, 1.0, ids),
        lambda t, ids: Ranked(CHOSEN["exponential"], Rank(0.5)),
        lambda t, ids: SanText(t, 1.0, ids, share=0.25),
        lambda t, ids: NoisyNearest(t, VonMisesFisher(2.0), image=Unit()),
    ],
    ids=["custext", "diffractor", "ranked", "santext+", "vmf"],
)
def test_an_order_that_shows_is_found_whatever_the_mechanism(make):
    vocabulary = Vocabulary(TINY, StopWords("none", frozenset()))
    system = Unsorted(vocabulary, make(TINY, vocabulary.ids), size=20)

    assert flow.of_order(system).ask(SHARE).verdict == "broken"


def test_threads_get_a_copy_that_has_made_nothing_yet():
    seen = []

    class Noted(Exponential):
        def release(self, ids, rng):
            seen.append((current_thread() is main_thread(), "choice" in vars(self)))
            return super().release(ids, rng)

    made = Noted.of(TINY, 0.7)
    finding = of_streams(made, secure).ask(SHARE)

    assert finding.verdict == "held"
    assert (False, False) in seen
    assert (True, True) in seen


def test_a_cold_copy_is_cold_all_through():
    stepped = Ranked(replace(CHOSEN["exponential"]), Rank())
    stepped.release(np.arange(4), seeded(1))
    copied = cold(stepped)

    assert {"steps"} <= set(vars(stepped))
    assert {"choice"} <= set(vars(stepped.mechanism))
    assert not {"steps"} & set(vars(copied))
    assert not {"choice"} & set(vars(copied.mechanism))
    assert cold(seen := object()) is seen


def test_what_cannot_be_copied_is_used_as_it_is():
    class Own(Exponential):
        def __init__(self, table):
            super().__init__(table, 1.0)

    made = Own(TINY)

    assert cold(made) is made
