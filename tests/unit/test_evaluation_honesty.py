"""What an evaluation must not claim, lose, mix up or let out."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.naive_bayes import MultinomialNB
from tests.conftest import ALPHA
from tests.evaluation_results import results
from tests.evaluation_world import corpus, vocabulary

from nomdeplume import InputError, Table, seeded
from nomdeplume.evaluate import evaluate, reader, reconstruction
from nomdeplume.evaluate.brief import brief
from nomdeplume.evaluate.conclusion import ONE_EACH, _against_floor, conclusion
from nomdeplume.evaluate.evaluation import Evaluation
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.floors import chance, majority, topic_oracle
from nomdeplume.evaluate.folds import Fold, folds
from nomdeplume.evaluate.identification import Identification
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.results import Floors
from nomdeplume.evaluate.scores import of_all
from nomdeplume.evaluate.setting import Setting, grid
from nomdeplume.evaluate.store import Store, read
from nomdeplume.evaluate.verification import verification
from nomdeplume.mechanism import Recipe
from nomdeplume.mechanism.exponential import Exponential


@pytest.mark.parametrize("seed", range(5))
def test_who_knows_the_topic_does_no_worse_than_chance(seed):
    """In even designs the tested author is rarer in training, and learning that misleads."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 3, 48)
    found = Labelled.of(map(str, range(48)), np.arange(48) % 6, topics)
    parts = folds(found, 4)

    assert topic_oracle(found, parts).value >= majority(found.author, parts).value
    assert majority(found.author, parts).value >= chance(found.author)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ((0.33, 0.30, 0.36), "do no better than that"),
        ((0.60, 0.33, 0.87), "so few texts cannot tell"),
        ((0.60, 0.55, 0.65), "what lies above that, the release gives away"),
    ],
)
def test_a_wide_interval_is_no_safety(after, said):
    floors = Floors(0.2, Figure.exact(0.3), Figure(0.35, 0.31, 0.39))
    whole = replace(results(5, 2, settings=()), floors=floors)

    assert said in _against_floor(whole, Figure(*after))


def said_by_percent(figure):
    return f"{100 * figure.value:.0f} %"


@pytest.mark.parametrize("most", [5, 20])
def test_no_figure_of_single_documents_stands_alone(most):
    """Twenty documents of an author can give everything away where one gives little."""
    made = results(12, 4, most=most)
    clean, *others = conclusion(made)
    about = [each for each in others if "of single documents and" in each]
    told = said_by_percent(made.clean.author(most))

    assert f"; from {most} documents of one author, {told}" in clean
    assert len(about) == 2  # the best balance, and the setting with the fewest named
    assert all(re.search(rf"and [\d.]+ %.* from {most} of one author", each) for each in about)
    assert not [each for each in others if "of single documents" in each and each not in about]
    assert ONE_EACH not in others


def test_where_only_single_documents_were_attacked_it_is_said():
    assert ONE_EACH in conclusion(results(12, 4, most=1))


def test_on_a_terminal_the_figure_of_several_documents_stands_beside():
    said = brief(results(12, 4)).splitlines()
    head = next(line for line in said if "author" in line and " E " in line)

    assert re.search(r"author +± +of 5 +of 20 +topic", head)


def test_a_word_that_is_rare_before_can_stand_for_itself(monkeypatch):
    """Where few candidates are worked out, the released word is one of them."""
    rng = np.random.default_rng(6)
    names = tuple(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(200))
    table = Table(names, 3 * rng.standard_normal((200, 8)), name="wide")
    mechanism, prior = Exponential.of(table, 3.0), 1 / np.arange(1, 201)
    monkeypatch.setattr(reconstruction, "CANDIDATES", 20)
    found = reconstruction.reconstruction(mechanism, np.arange(200), prior, 3, seeded(2))

    assert found.nearest.value > 0.9
    assert found.bayes.value > found.nearest.value - 0.05


def test_few_words_make_a_wide_interval():
    mechanism = Exponential.of(vocabulary().table, 3.0)
    found = reconstruction.reconstruction(mechanism, np.arange(3), np.ones(90), 1, seeded(3))

    assert found.nearest.high - found.nearest.low > 0.2


class Taught:
    """Knows labels 0 and 2 only; its margins are tiny, or huge."""

    classes_ = np.array([0, 2])

    def __init__(self, size):
        self.size = size

    def decision_function(self, texts):
        return self.size * np.array([[1.0, 2.0]] * len(texts))


@pytest.mark.parametrize("size", [1e-3, 1.0, -1e7, 1e7])
def test_a_label_that_was_never_taught_comes_last(size):
    [row] = of_all(Taught(size), ["x"], 4)

    assert row[[0, 2]].min() > row[[1, 3]].max()
    assert row.argmax() == (2 if size > 0 else 0)


def covered(interval, truth, times):
    """How often intervals hold the truth, and whether that is no less than they say, by chance."""
    held = sum(each.low <= truth <= each.high for each in (interval(i) for i in range(times)))
    return binom.cdf(held, times, 0.95) > ALPHA


def test_the_interval_of_macro_f1_holds_it():
    """A rare label drives it: 185 texts of one, 15 of another, half of the rare ones told."""

    def measured(seed):
        rng = np.random.default_rng(seed)
        codes = np.repeat([0, 1], [185, 15])
        told = np.where(rng.random(200) < np.where(codes == 1, 0.5, 0.02), 1, 0)
        every = np.arange(200)
        parts = [Fold(every[every % 5 != i], every[every % 5 == i]) for i in range(5)]
        return Identification(np.eye(2, dtype=np.float32)[told][None], codes, parts).macro_f1()

    truth = np.mean([measured(i).value for i in range(1000, 1300)])
    assert covered(measured, truth, 100)


def test_the_interval_of_verification_holds_chance():
    """One split, few texts, labels that mean nothing."""
    kept, texts = Reader(vocabulary()), corpus(each=4).texts

    def measured(seed):
        codes = np.random.default_rng(seed).integers(0, 3, 24)
        parts = [Fold(np.arange(12), np.arange(12, 24))]
        return verification([texts], [texts], codes, parts, kept).auc

    assert covered(measured, 0.5, 60)


def test_threads_that_forget_do_not_hurt_each_other(monkeypatch):
    kept, texts = vocabulary(), corpus(each=20).texts
    monkeypatch.setattr(reader, "REMEMBERED", 50)
    shared, due = Reader(kept), [len(bag) for bag in kept.bags(texts)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: [len(bag) for bag in shared.bags(texts)], range(40)))
    finally:
        sys.setswitchinterval(usual)

    assert found == [due] * 40


def test_one_topic_of_all_is_no_topic():
    found = Labelled.of(map(str, range(8)), list("xxxxyyyy"), ["news"] * 8).with_at_least(2)

    assert found.topic is None
    assert found.author.names == ("x", "y")


def test_numbers_do_not_tell_the_order_of_names():
    names = [f"name{i:02}" for i in range(30)]
    found = Labelled.of(map(str, range(90)), names * 3).without_names()
    order = [found.author.names[code] for code in found.author.codes[:30]]

    assert sorted(order) == list(found.author.names)
    assert order != sorted(order)
    assert (found.author.counts == 3).all()


def test_labels_of_another_meaning_are_another_question():
    texts, labels = [str(i) for i in range(8)], list("xxxxyyyy")

    assert Labelled.of(texts, labels).fingerprint != Labelled.of(texts, None, labels).fingerprint
    one, other = (Setting(Recipe("mahalanobis", settings={"mu": mu})) for mu in (0.8, 0.80000001))
    assert one.key != other.key


def test_what_other_settings_found_stays(tmp_path):
    texts, path = corpus(each=5), tmp_path / "r.json"

    def asked(epsilon):
        settings = grid([Recipe("laplace")], epsilons=[epsilon], sizes=[10])
        return Evaluation.of(texts, vocabulary(), settings, attackers="informed", draws=1, folds=2)

    for epsilon in (1.0, 4.0):
        asked(epsilon).run(Store.open(path, asked(epsilon).question))
    assert [cell.epsilon for cell in read(path).results.cells] == [4.0]
    done = []
    asked(1.0).run(Store.open(path, asked(1.0).question), done.append)
    assert done == []


def test_a_file_that_is_not_ours_is_left_alone(tmp_path):
    path = tmp_path / "notes.json"
    path.write_text('{"my": "notes"}')
    for how in ({}, {"fresh": True}, {"force": True}):
        with pytest.raises(InputError, match="no results of an evaluation"):
            Store.open(path, "q", **how)
    assert path.read_text() == '{"my": "notes"}'


def test_the_error_of_a_brought_attacker_quotes_no_text():
    with pytest.raises(InputError, match="attacker mine failed with ValueError") as caught:
        evaluate(corpus(each=4), [], vocabulary(), attackers={"mine": MultinomialNB}, folds=2)

    assert "lo" not in str(caught.value).replace("classifier of a list", "")
    assert caught.value.__cause__ is None


def test_a_split_does_not_tear_groups_apart():
    with pytest.raises(InputError, match="groups or a split, not both"):
        Labelled.of("abcd", "xyxy", groups="1122", split=["train", "test"] * 2)


def test_texts_in_a_language_that_the_table_lacks_are_refused():
    texts = Labelled.of(["Привет мир"] * 8, list("xxxxyyyy"))
    with pytest.raises(InputError, match="no text has a word that the table keeps"):
        evaluate(texts, [], vocabulary(), attackers="informed")
