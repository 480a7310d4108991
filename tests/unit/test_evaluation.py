"""The evaluation lab, part by part: labels, folds, figures, floors, scores, what they add up to."""

import json
from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy.stats import binom
from tests.conftest import ALPHA, TINY
from tests.evaluation_results import results as results_of
from tests.evaluation_world import AUTHORS, corpus, vocabulary

from nomdeplume import Certificate, InputError, Laplace, seeded
from nomdeplume.evaluate.attackers import ABOUT, ATTACKERS, ENSEMBLE, chosen
from nomdeplume.evaluate.attackers.informed import POWERS, Informed, by_documents
from nomdeplume.evaluate.choosing import added, best_of
from nomdeplume.evaluate.evaluation import Evaluation
from nomdeplume.evaluate.figures import Figure, figure, proportion
from nomdeplume.evaluate.floors import chance, majority, topic_oracle
from nomdeplume.evaluate.folds import Fold, folds
from nomdeplume.evaluate.frontier import by_attack, by_budget
from nomdeplume.evaluate.identification import Identification, macro_f1
from nomdeplume.evaluate.lab import Lab
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.prior import by_place, by_texts
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.reconstruction import guesses, reconstruction
from nomdeplume.evaluate.results import (
    Accuracy,
    Attack,
    Cell,
    Clean,
    Directions,
    Floors,
    Label,
    Topic,
    TopicModel,
)
from nomdeplume.evaluate.setting import grid
from nomdeplume.evaluate.store import Store, read
from nomdeplume.evaluate.verification import c_at_1
from nomdeplume.mechanism import NoisyMean, Recipe
from nomdeplume.mechanism.contract import Released
from nomdeplume.mechanism.exponential import Exponential
from nomdeplume.mechanism.noisy_mean import MeanDocuments
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary


def quiet(_):
    """Nobody listens."""


# --- labels and folds


def test_a_text_without_a_label_is_left_out():
    found = Labelled.of(["a", "b", "c", "d"], ["x", None, " ", "y"], [1, 2, 3, float("nan")])

    assert (found.texts, found.left_out, found.places.tolist()) == (("a",), 3, [0])


def test_who_has_too_few_texts_is_left_out():
    found = Labelled.of(list("abcdefg"), list("xxxyyyz")).with_at_least(3)

    assert (found.author.names, found.left_out) == (("x", "y"), 1)
    with pytest.raises(InputError, match="two authors with at least 4 texts each, got 0"):
        found.with_at_least(4)


def test_who_has_one_group_cannot_be_learnt_from_another():
    found = Labelled.of(list("abcdef"), list("xxyyzz"), groups=[1, 2, 1, 3, 4, 4])

    assert found.with_at_least(2).author.names == ("x", "y")


def test_folds_keep_groups_whole_and_authors_in_proportion():
    texts = [str(i) for i in range(120)]
    groups = [i // 4 for i in range(120)]
    grouped = folds(Labelled.of(texts, [i % 4 for i in range(120)], groups=groups), 5)
    plain = folds(Labelled.of(texts, [i % 4 for i in range(120)]), 5)

    for fold in grouped:
        assert not {groups[i] for i in fold.train} & {groups[i] for i in fold.test}
    for fold in plain:
        assert np.bincount(fold.test % 4).tolist() == [6, 6, 6, 6]
    for parts in (grouped, plain):
        assert sorted(np.concatenate([fold.test for fold in parts])) == list(range(120))


def test_a_given_split_is_taken_as_it_is():
    found = Labelled.of(list("abcd"), list("xyxy"), split=["train", "Train", "TEST", "test"])
    [fold] = folds(found)

    assert (fold.train.tolist(), fold.test.tolist()) == ([0, 1], [2, 3])
    with pytest.raises(InputError, match="train or test of each text"):
        Labelled.of(list("ab"), list("xy"), split=["train", "later"])


# --- figures


def test_an_interval_holds_the_truth_as_often_as_it_says():
    """Shares of 5 folds of 60 texts each, in 3 draws of noise: in 95 % of 400 evaluations."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        texts = rng.beta(2, 2, (5, 60))  # how easy each is
        values = np.stack([(rng.random((5, 60)) < texts).mean(axis=1) for _ in range(3)])
        found = figure(values)
        held += found.low <= 0.5 <= found.high

    assert binom.cdf(held, 400, 0.95) > ALPHA  # not too narrow
    assert held < 400  # and not everything


def test_one_fold_varies_as_its_texts_do():
    found = figure(np.array([[0.3]]), count=100)

    assert (found.high - found.low) / 2 == pytest.approx(1.96 * np.sqrt(0.3 * 0.7 / 100), rel=1e-3)


def test_wilson_by_hand():
    found = proportion(0, 10)

    assert found.low == 0
    assert found.high == pytest.approx(1.96**2 / (10 + 1.96**2), rel=1e-3)


# --- floors


def test_floors_by_hand():
    """Four train, three test: on the sea Bob wrote most, in the sky Ann did, of all texts Bob."""
    authors = ["Ann", "Bob", "Bob", "Ann", "Bob", "Bob", "Ann", "Ann"]
    topics = ["sea", "sea", "sea", "sky", "sea", "sea", "sky", "sea"]
    found = Labelled.of(map(str, range(8)), authors, topics, split=["train"] * 5 + ["test"] * 3)

    assert chance(found.author) == 0.5
    assert majority(found.author, folds(found)).value == pytest.approx(2 / 3)
    assert topic_oracle(found, folds(found)).value == pytest.approx(2 / 3)  # of Bob, Ann, not Ann


# --- identification


def told(scores, codes, parts=None):
    scores = np.array(scores, dtype=np.float32)
    every = np.arange(len(codes))
    parts = parts or [Fold(every[1::2], every[::2]), Fold(every[::2], every[1::2])]
    return Identification(scores, np.array(codes), parts)


def test_accuracy_confusion_and_f1_by_hand():
    found = told([[[2, 1], [2, 1], [1, 2], [2, 1]]], [0, 0, 1, 1])

    assert found.accuracy(1).value == 0.75
    assert found.confusion().tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert found.macro_f1().value == pytest.approx((2 * 2 / 5 + 2 * 1 / 3) / 2)
    assert [round(each.value, 3) for each in found.recalls()] == [1.0, 0.5]
    assert macro_f1(np.array([0, 0, 2]), np.array([0, 1, 2])) == pytest.approx((2 / 3 + 1) / 2)


def test_several_documents_tell_more_than_one():
    """Weak evidence adds up; with pure noise it does not."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(4), 60)
    noise = rng.standard_normal((2, 240, 4)).astype(np.float32)
    weak = noise + 0.8 * np.eye(4)[codes]
    one, five, twenty = (told(weak, codes).accuracy(m).value for m in (1, 5, 20))

    assert 0.4 < one < five - 0.2 < five < twenty
    assert told(noise, codes).accuracy(20).low < 0.25 < told(noise, codes).accuracy(20).high
    assert told(weak, codes).accuracy(61) is None


def test_choosing_does_not_peek_at_what_is_tested():
    """Among a hundred ways of pure chance the best on other texts is right by chance on these."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, 400)
    every = np.arange(400)
    parts = [Fold(every[every % 4 != i], every[every % 4 == i]) for i in range(4)]
    ways = [rng.standard_normal((1, 400, 2)).astype(np.float32) for _ in range(100)]
    for pick in (best_of, added):
        right = int((pick(ways, codes, parts)[0].argmax(axis=1) == codes).sum())
        assert binom.sf(right - 1, 400, 0.5) > ALPHA
        assert binom.cdf(right, 400, 0.5) > ALPHA


def test_what_helps_is_added():
    codes = np.arange(90) % 3
    every = np.arange(90)
    parts = [Fold(every[every % 5 != i], every[every % 5 == i]) for i in range(5)]
    rng = np.random.default_rng(5)
    half = [rng.standard_normal((1, 90, 3)) + np.eye(3)[codes] for _ in range(4)]
    ways = [each.astype(np.float32) for each in half]
    alone = max((way[0].argmax(axis=1) == codes).mean() for way in ways)

    assert (added(ways, codes, parts)[0].argmax(axis=1) == codes).mean() > alone + 0.05


# --- the informed attacker, and words


def test_the_informed_attacker_does_what_bayes_says():
    """Chances by hand: texts of one word, released by a channel that is known."""
    reader = Reader(Vocabulary(TINY, StopWords("none", frozenset())))
    mechanism = Exponential.of(TINY, 0.7)
    attacker = Informed(reader, mechanism).fit(
        ["apple"] * 300 + ["lake"] * 300, [0] * 300 + [1] * 300
    )
    channel = mechanism.channel(np.arange(4))
    both = (channel[0] + channel[3]) / 2
    own = [300 * channel[0] + 1000 * both, 300 * channel[3] + 1000 * both]
    [scores] = attacker.decision_function(["pear river"])

    for author in (0, 1):
        q = own[author] / own[author].sum()
        assert scores[author] == pytest.approx(log(q[1]) + log(q[2]), rel=1e-3)


def test_chances_of_a_mean_are_the_density_of_its_noise():
    kept = Vocabulary(TINY, StopWords("none", frozenset()))
    documents = NoisyMean(TINY, Laplace(0.7), kept.ids).documents(kept, 3, "")
    released = documents.release(["apple pear", "lake"], seeded(1))
    logs = documents.log_chances(released, ["apple pear pear", "river lake", "unheard"])
    means = np.array([[0, 2 / 3], [5, 5.5], [0, 0]])  # no word: the first of the table

    for found, each in zip(logs, released, strict=True):
        density = -0.7 * np.linalg.norm(np.array(each.mean) - means, axis=1)
        assert found - found[0] == pytest.approx(density - density[0], abs=1e-6)
    assert documents.log_chances([Released("apple lake pear")], ["lake"]) is None
    assert Exponential.of(TINY, 0.7).documents(kept, 3, "").log_chances(released, ["lake"]) is None


def by_hand(logs, codes, fold, power):
    """Scores of the tested texts of a fold, one text after the other."""
    scores = np.empty((len(logs), len(fold.test), 3))
    for draw, test, author in np.ndindex(scores.shape):
        taught = [i for i in fold.train if codes[i] == author]
        chance = np.mean([np.exp(power * logs[draw, fold.test[test], i]) for i in taught])
        scores[draw, test, author] = np.log(chance)
    return scores


def test_scores_of_whole_texts_are_mean_chances_and_come_in_pieces(monkeypatch):
    rng, codes = np.random.default_rng(3), np.array([0, 1, 2] * 4)
    logs = 3 * rng.standard_normal((2, 12, 12))
    parts = [Fold(np.arange(6, 12), np.arange(3)), Fold(np.arange(6), np.arange(6, 12))]
    asked = []

    def law(places):
        asked.append(len(places))
        return logs.reshape(24, 12)[:, places]

    monkeypatch.setattr("nomdeplume.evaluate.attackers.informed.TOGETHER", 100)
    ways = by_documents(law, codes, parts, 2)

    assert asked == [4, 4, 4]
    for power, way in zip(POWERS, ways, strict=True):
        assert np.isnan(way[:, 3:6]).all()  # nobody tests these
        for fold in parts:
            expected = by_hand(logs, codes, fold, power)
            assert way[:, fold.test] == pytest.approx(expected, abs=1e-4)


def test_an_author_without_texts_to_learn_from_comes_last():
    codes, rows = np.array([0, 1, 2, 0, 1, 2]), np.arange(36.0).reshape(6, 6)
    part = Fold(np.array([0, 1]), np.array([2, 3, 4]))
    ways = by_documents(lambda places: rows[:, places], codes, [part], 1)

    assert np.isfinite(ways[:, :, 2:5]).all()
    assert (ways[:, :, 2:5, 2:] <= ways[:, :, 2:5]).all()
    assert by_documents(lambda _: None, codes, [part], 1) is None


def test_the_best_guess_of_a_word_by_enumeration():
    mechanism, prior = Exponential.of(TINY, 0.7), np.array([0.7, 0.1, 0.1, 0.1])
    joint = prior[:, None] * mechanism.channel(np.arange(4))

    found = guesses(mechanism, prior, seeded(0), np.arange(4))
    assert found.tolist() == joint.argmax(axis=0).tolist()
    assert len(set(joint.argmax(axis=0).tolist())) < 4  # the prior overrules some released words


def test_words_recovered_are_those_of_theory():
    mechanism, prior = Exponential.of(TINY, 0.7), np.full(4, 0.25)
    found = reconstruction(mechanism, np.arange(4), prior, 5, seeded(1))
    channel = mechanism.channel(np.arange(4))
    right = channel.diagonal().mean(), channel.max(axis=0).sum() / 4

    for one, share in zip((found.nearest, found.bayes), right, strict=True):
        assert abs(one.value - share) < 5 * np.sqrt(share * (1 - share) / 20)  # of 4 words, 5 times


def test_a_prior_is_of_kept_words_and_adds_up():
    kept = vocabulary()
    for prior in (by_place(kept), by_texts(["aaalo aaalo baalo"], kept)):
        assert prior.sum() == pytest.approx(1)
        assert (prior[kept.ids] > 0).all()
    assert by_texts(["aaalo aaalo baalo"], kept)[0] == pytest.approx(0.66, abs=0.01)


def test_open_answers_count_as_right_as_the_others():
    likeness, same = np.array([0.9, 0.8, 0.5, 0.1]), np.array([True, False, True, False])

    assert c_at_1(likeness, same, 0.4, 0.4) == 0.75
    assert c_at_1(likeness, same, 0.4, 0.85) == (2 + 2 * 2 / 4) / 4


# --- all of it


@pytest.fixture(scope="module")
def lab():
    texts, kept = corpus(), vocabulary()
    return Lab(texts, kept, chosen("fast"), folds(texts, 4), by_place(kept), draws=3, seed=1)


@pytest.fixture(scope="module")
def results(lab):
    settings = grid([Recipe("laplace"), Recipe("exponential")], epsilons=[0.1, 3.0], sizes=[20])
    return Evaluation(lab, settings, name="world").run()


def right(attackers, name, documents=1):
    """The share that an attacker names right."""
    return attackers[name].accuracy[documents].value


def test_less_noise_tells_more_of_authors_topics_and_words(results):
    for strong, weak in (results.cells[:2], results.cells[2:]):
        for name in ("word-svm", "informed", ENSEMBLE):
            assert right(strong.adaptive, name) < right(weak.adaptive, name)
        topics = [c.topic.release_to_release.words.accuracy.value for c in (strong, weak)]
        words = [c.reconstruction.bayes.value for c in (strong, weak)]
        assert topics[0] < topics[1]
        assert words[0] < words[1]


def test_every_cell_has_the_certificate_of_its_release(results):
    for cell in results.cells:
        certificate = Certificate.from_json(json.dumps(cell.certificate))

        assert (certificate.epsilon, certificate.size) == (cell.epsilon, 20)
        assert certificate.promises[-1].sentence == cell.promise[-1]
        assert certificate.seeded
        assert not certificate.private


def test_five_documents_tell_more_than_one(results):
    cell = results.cells[1]

    assert cell.author(5).value > cell.author().value
    assert right(cell.adaptive, cell.best(5), 5) == cell.author(5).value
    assert (cell.best(20), cell.author(20)) == ("", None)  # nobody has so many
    assert results.most == 5


def test_who_learns_from_releases_is_no_weaker(results):
    for cell in results.cells:
        for name in cell.static:
            adaptive = cell.adaptive[name].accuracy[1]
            assert adaptive.high >= right(cell.static, name), name


def test_topics_stay_when_authors_go(results):
    """Words of a topic lie together: noise that mixes them hides who likes which."""
    cell = results.cells[1]  # laplace, ε = 3

    assert cell.topic.release_to_release.vectors.accuracy.value > 0.95
    assert cell.author().value < right(results.clean.attackers, ENSEMBLE)


def test_who_knows_the_law_of_means_is_no_weaker_and_suffers_from_a_wrong_law(lab, monkeypatch):
    [setting] = grid([Recipe("mean")], budgets=[200.0])
    cell = lab.cell(setting, quiet)
    known = cell.adaptive["informed"].accuracy
    trained = [right(cell.adaptive, name, 5) for name in ("word-svm", "mean-lda", "cosine-delta")]
    chances = MeanDocuments.log_chances

    def of_others(mechanism, released, items):
        return chances(mechanism, released[30:] + released[:30], items)

    monkeypatch.setattr(MeanDocuments, "log_chances", of_others)
    wrong = lab.cell(setting, quiet).adaptive["informed"].accuracy

    assert known[5].value >= max(trained)
    assert wrong[1].value < 0.5 < known[1].value


@pytest.mark.parametrize("name", ATTACKERS)
def test_nobody_recognises_authors_that_were_dealt_out_anew(name):
    """Out of folds, clean and released alike: within an interval that fails once in a million."""
    texts, kept = corpus(each=10).shuffled(np.random.default_rng(8)), vocabulary()
    attack = Lab(texts, kept, chosen(name), folds(texts, 4), by_place(kept), draws=2, seed=2)
    [setting] = grid([Recipe("laplace")], epsilons=[3.0], sizes=[20])
    before, cell = attack.before(quiet), attack.cell(setting, quiet)

    for attackers in (before.attackers, cell.adaptive, cell.static):
        hits = right(attackers, name) * 60
        assert binom.ppf(ALPHA, 60, 1 / 6) <= hits <= binom.isf(ALPHA, 60, 1 / 6)


def test_a_seed_repeats_it_all(lab, results):
    [setting] = grid([Recipe("laplace")], epsilons=[3.0], sizes=[20])
    again = lab.cell(setting, quiet)

    assert replace(again, seconds=0) == replace(results.cells[1], seconds=0)


def test_without_a_seed_no_two_runs_are_alike():
    texts, kept = corpus(each=4), vocabulary()
    [setting] = grid([Recipe("laplace")], epsilons=[3.0], sizes=[20])
    one, other = (
        Lab(texts, kept, chosen("informed"), folds(texts, 4), by_place(kept), draws=1).cell(
            setting, quiet
        )
        for _ in "ab"
    )

    assert one.examples != other.examples
    assert not one.not_private


def test_what_a_run_has_finished_is_not_done_again(lab, tmp_path):
    settings = grid([Recipe("laplace")], epsilons=[0.5, 3.0], sizes=[20])
    asked = Evaluation(lab, settings)
    path, done = tmp_path / "r.json", []

    def stop(part):
        if "ε=3.0" in part:
            raise KeyboardInterrupt
        done.append(part)

    with pytest.raises(KeyboardInterrupt):
        asked.run(Store.open(path, asked.question), stop)
    assert read(path).results is None
    assert any(part.startswith("clean") for part in done)

    before, done = done, []
    whole = asked.run(Store.open(path, asked.question), done.append)
    assert before
    assert {part.split(":")[0] for part in done} == {"laplace ε=3.0 N=20"}
    assert read(path).results == whole

    other = Evaluation(Lab(**{**vars_of(lab), "draws": 2}), settings)
    with pytest.raises(InputError, match="results of another evaluation"):
        Store.open(path, other.question)
    assert Store.open(path, other.question, force=True).parts.keys == []


def vars_of(lab):
    names = ("corpus", "vocabulary", "kinds", "folds", "prior", "draws", "seed")
    return {name: getattr(lab, name) for name in names}


# --- the frontier


def cell(budget, size, topic, author):
    model = TopicModel(Figure.exact(topic), Figure.exact(topic))
    attacks = {"x": Attack(Accuracy({1: Figure.exact(author)}, Figure.exact(author)), None)}
    directions = Directions(*3 * [Topic(model, model)])
    return Cell(
        title="m", budget=budget, size=size, epsilon=budget / size, topic=directions,
        attackers=attacks,
    )  # fmt: skip


def test_odds_between_any_two_texts_are_no_budget():
    odds = replace(cell(100, 1, 0.3, 0.1), title="standin", symbol="w")

    assert [each.mechanism for each in by_budget([odds, cell(20, 10, 0.3, 0.1)])] == ["m"]


def test_the_best_size_at_each_budget_is_taken():
    cells = [cell(100, 10, 0.3, 0.1), cell(100, 50, 0.4, 0.2), cell(200, 50, 0.5, 0.3)]
    [found] = by_budget(cells, 2.0)

    assert [(point.cell, point.budget) for point in found.points] == [(1, 200), (2, 400)]


def test_frontier_and_area_by_hand():
    cells = [cell(1, 1, 0.4, 0.2), cell(2, 1, 0.3, 0.4), cell(3, 1, 0.8, 0.6)]
    sure = cell(1, 1, 1.0, 1.0)
    clean = Clean(topic=sure.topic.release_to_release, attackers=sure.adaptive)
    topics = (Label("sea", 1), *(Label("other", 1) for _ in range(9)))
    floors = Floors(1e-9, Figure.exact(0.0), None)
    whole = replace(results_of(1, 1, settings=()), floors=floors, clean=clean, topics=topics)
    [found] = by_attack(replace(whole, cells=tuple(cells)))

    assert [point.cell for point in found.points] == [0, 2]  # the second is beaten in both
    assert found.area == pytest.approx(0.2 * 0.1 + 0.4 * 0.4 + 0.4 * 0.8)
    at = {each.author_at_most: each.topic for each in found.topic_at}
    assert at[0.1] is None
    assert at[0.4] == 0.4


def test_every_attacker_is_told_about_and_others_can_be_brought(tmp_path, monkeypatch):
    assert set(ABOUT) == {*ATTACKERS, ENSEMBLE}
    (tmp_path / "mine.py").write_text(
        "from sklearn.naive_bayes import MultinomialNB\n"
        "from sklearn.feature_extraction.text import CountVectorizer\n"
        "from sklearn.pipeline import make_pipeline\n"
        "def bayes():\n    return make_pipeline(CountVectorizer(), MultinomialNB())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    texts, kept = corpus(each=8), vocabulary()
    kinds = chosen("mine:bayes,delta")
    found = Lab(texts, kept, kinds, folds(texts, 4), by_place(kept)).before(quiet)

    assert set(found.attackers) == {"mine:bayes", "delta", ENSEMBLE}
    assert right(found.attackers, "mine:bayes") > 2 / len(AUTHORS)
    for wrong in ("nobody", "mine:nobody", "no.module:x", ""):
        with pytest.raises(InputError):
            chosen(wrong)
