"""Attackers: what all of them promise, and each one's arithmetic worked out by hand."""

import re
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, compress
from math import log

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from tests.conftest import ALPHA

from nomdeplume import InputError
from nomdeplume.evaluate.attackers.characters import char_logistic, char_svm
from nomdeplume.evaluate.attackers.compression import Compression
from nomdeplume.evaluate.attackers.delta import Delta
from nomdeplume.evaluate.attackers.imposters import Imposters
from nomdeplume.evaluate.attackers.runs import PIECES, Characters, Pieces
from nomdeplume.evaluate.attackers.style import Stylometric
from nomdeplume.evaluate.attackers.words import word_svm

COMMON = re.findall(
    r"\w+", "the a of and to in it was that but for with as he she they not on at so"
)
TOPIC = re.findall(r"\w+", "rain harbour boat morning market river bread window letter garden")
MARKS = [[", ", ". "], ["; ", "! "], [" – ", "? "], [" (", "... "]]
NAMES = np.array(["Ann", "Bob", "Cleo", "Dan"])

ATTACKERS = {
    "char-svm": char_svm(),
    "char-logistic": char_logistic(),
    "style": Stylometric(),
    "delta": Delta(),
    "cosine delta": Delta("cosine"),
    "imposters": Imposters(),
    "compression": Compression(),
    "compression, not blended": Compression(3, blended=False),
}


@pytest.fixture(params=ATTACKERS.values(), ids=ATTACKERS.keys())
def attacker(request):
    return clone(request.param)


def written(author, rng, size=60):
    """A text in the habits of an author: which common words, and which marks between them."""
    liked = np.roll(np.linspace(0.2, 3, len(COMMON)), 5 * author)
    weights = np.concatenate([liked, np.ones(len(TOPIC))])
    words = rng.choice(COMMON + TOPIC, size, p=weights / weights.sum())
    ends = rng.choice([" ", *MARKS[author]], size, p=[0.8, 0.15, 0.05])
    return "".join(word + end for word, end in zip(words, ends, strict=True))


def corpus(texts, seed, authors=4):
    rng = np.random.default_rng(seed)
    who = np.arange(texts) % authors
    return [written(author, rng) for author in who], NAMES[who]


def right(attacker, texts, authors):
    return int((attacker.predict(texts) == authors).sum())


def test_an_attacker_tells_authors_apart(attacker):
    attacker.fit(*corpus(48, seed=1))
    texts, authors = corpus(60, seed=2)

    assert right(attacker, texts, authors) > binom.isf(ALPHA, 60, 1 / 4)


@pytest.mark.parametrize("make", [word_svm, char_svm, char_logistic])
def test_threads_teach_what_one_does(make):
    """liblinear has one generator for all threads: they must not draw from it in between."""
    texts, authors = corpus(48, seed=1)
    alone = make().fit(texts, authors).decision_function(texts)
    with ThreadPoolExecutor(4) as pool:
        taught = list(pool.map(lambda _: make().fit(texts, authors), range(12)))

    assert all((each.decision_function(texts) == alone).all() for each in taught)


def test_an_attacker_finds_nothing_where_nothing_is(attacker, rng):
    """Names dealt at random: who is right is then exactly binomial."""
    attacker.fit([written(0, rng) for _ in range(40)], [*NAMES, *rng.choice(NAMES, 36)])
    texts = [written(0, rng) for _ in range(60)]

    assert right(attacker, texts, rng.choice(NAMES, 60)) <= binom.isf(ALPHA, 60, 1 / 4)


def test_scores_have_a_column_for_each_author(attacker):
    attacker.fit(*corpus(24, seed=1))
    texts, _ = corpus(5, seed=2)
    scores = attacker.decision_function(texts)

    assert list(attacker.classes_) == list(NAMES)
    assert scores.shape == (5, 4)
    assert (attacker.predict(texts) == NAMES[scores.argmax(axis=1)]).all()


def test_two_authors_have_two_columns(attacker):
    texts, authors = corpus(40, seed=1, authors=2)
    attacker.fit(texts[:20], authors[:20])

    assert attacker.decision_function(texts[20:]).shape == (20, 2)
    assert right(attacker, texts[20:], authors[20:]) >= 17


def test_added_scores_of_several_texts_tell_more(attacker):
    attacker.fit(*corpus(24, seed=1))
    texts, authors = corpus(48, seed=2)
    one = right(attacker, texts, authors) / 48
    added = attacker.decision_function(texts).reshape(12, 4, 4).sum(axis=0)  # by author

    assert (attacker.classes_[added.argmax(axis=1)] == NAMES).mean() >= one


def test_authors_can_be_numbers(attacker):
    texts, authors = corpus(40, seed=1)
    numbers = np.where(authors == "Ann", 7, 3)
    attacker.fit(texts, numbers)

    assert attacker.classes_.tolist() == [3, 7]
    assert set(attacker.predict(texts)) <= {3, 7}


def test_same_texts_same_scores(attacker):
    texts, _ = corpus(8, seed=2)
    one, two = (clone(attacker).fit(*corpus(24, seed=1)).decision_function(texts) for _ in range(2))

    assert (one == two).all()


def test_a_score_does_not_depend_on_the_other_texts(attacker):
    attacker.fit(*corpus(24, seed=1))
    texts, _ = corpus(8, seed=2)

    alone = np.concatenate([attacker.decision_function([text]) for text in texts])
    assert np.allclose(attacker.decision_function(texts), alone)


@pytest.mark.parametrize("text", ["", " ", "?", "zyx 雨 ωμέγα", "\ud800"])
def test_every_text_has_finite_scores(attacker, text):
    attacker.fit(*corpus(24, seed=1))

    assert np.isfinite(attacker.decision_function([text, "the rain", text])).all()


def test_an_author_may_have_one_text_and_a_text_nothing(attacker):
    texts, authors = corpus(9, seed=1, authors=2)
    attacker.fit([*texts, "", "so they say"], [*authors, "Bob", "Cleo"])

    assert list(attacker.classes_) == ["Ann", "Bob", "Cleo"]
    assert np.isfinite(attacker.decision_function(texts)).all()


def test_training_texts_may_all_be_empty(attacker):
    attacker.fit(["", "", ""], ["Ann", "Bob", "Bob"])

    assert np.isfinite(attacker.decision_function(["", "the rain"])).all()


def test_one_author_is_too_few(attacker):
    with pytest.raises(InputError, match="at least 2 authors"):
        attacker.fit(["the rain", "a boat"], ["Ann", "Ann"])


@pytest.mark.parametrize("short", [1, 2, 4])
def test_runs_are_counted_as_scikit_learn_counts_them(short):
    """Columns may stand in another order, which products of rows do not see."""
    texts = [*corpus(30, seed=1)[0], "", "雨  が\n\n降る", "x"]
    vectors = CountVectorizer(analyzer="char", ngram_range=(short, 4), lowercase=False, min_df=2)
    theirs, counts = vectors.fit(texts[:25]).transform(texts), Characters(short, 4)
    ours = counts.fit(texts[:25]).transform(texts)

    assert ours.shape == theirs.shape
    assert (np.sort(ours.sum(axis=0)) == np.sort(np.asarray(theirs.sum(axis=0)).ravel())).all()
    assert ((ours @ ours.T).toarray() == (theirs @ theirs.T).toarray()).all()


def test_words_and_marks_are_counted_as_scikit_learn_counts_them():
    texts = [*corpus(30, seed=1)[0], "", "Nobody didn't"]
    vectors = CountVectorizer(token_pattern=PIECES.pattern, ngram_range=(1, 2), min_df=2)
    theirs, ours = vectors.fit(texts[:25]).transform(texts), Pieces().fit(texts[:25])

    counts = ours.transform(texts)
    assert counts.shape == theirs.shape
    assert ((counts @ counts.T).toarray() == (theirs @ theirs.T).toarray()).all()


def test_the_runs_of_most_texts_are_kept():
    counts = Characters(1, 1, most=2).fit_transform(["ab", "abc", "bc", "b", "dc", "x"])

    assert sorted(counts.sum(axis=0).tolist()) == [3, 4]


def test_burrows_delta_by_hand():
    """Shares (¾, ¼) and (¼, ¾): mean ½, deviation ¼, so z = (1, −1) and (−1, 1).

    `a c` has the shares (½, 0) and z = (0, −2), at (1 + 1)/2 and (1 + 3)/2 from the two.
    """
    delta = Delta(words=2).fit(["a a a b", "a b b b", "a b b b"], ["Ann", "Bob", "Bob"])

    assert delta.decision_function(["a a a b", "b a", "a c"]) == pytest.approx(
        -np.array([[0, 2], [1, 1], [1, 2]])
    )


def test_cosine_delta_by_hand():
    delta = Delta("cosine", words=2).fit(["a a a b", "a b b b"], ["Ann", "Bob"])
    half = 2**-0.5

    assert delta.decision_function(["a a a b", "b a", "a c"]) == pytest.approx(
        np.array([[0, -2], [-1, -1], [half - 1, -half - 1]])
    )


def test_delta_leaves_out_what_all_texts_share():
    delta = Delta().fit(["x a a", "x b b"], ["Ann", "Bob"])

    assert list(delta.ids_) == ["a", "b", "x"]
    assert delta.scale_[2] == 0


def test_delta_names_its_metrics():
    with pytest.raises(InputError, match="burrows or cosine"):
        Delta("manhattan").fit(*corpus(4, seed=1))


def test_imposters_compare_by_the_features_of_each_round():
    texts, authors = corpus(24, seed=1)
    imposters = Imposters(rounds=7).fit(texts, authors)
    rows = imposters.weights_.transform(imposters.runs_.transform(texts[:3])).toarray()
    profiles = np.empty((4, rows.shape[1]))
    for hand, each in zip(imposters.hands_, imposters.profiles_, strict=True):
        profiles[:, hand] = each.T
    similar = imposters._similarities(imposters._weighed(texts[:3]).tocsc())

    for number in range(7):
        taken = np.concatenate(list(compress(imposters.hands_, imposters.rounds_[:, number])))
        x, y = rows[:, taken], profiles[:, taken]
        cosines = x @ y.T / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
        assert similar[:, :, number] == pytest.approx(cosines)


def test_who_wins_all_rounds_has_the_score_of_that():
    imposters = Imposters(rounds=10, share=1).fit(["abcdefgh"] * 2 + ["zyxwvuts"], [0, 0, 1])

    won, lost = imposters.decision_function(["abcdefgh"])[0]
    assert won == pytest.approx(log(10.5 / 11) + 1 / 11)
    assert lost == pytest.approx(log(0.5 / 11))


def test_nobody_wins_by_coming_first_in_the_alphabet():
    imposters = Imposters().fit(*corpus(24, seed=1))

    assert len(set(imposters.decision_function([""])[0])) == 1


def plain_ppm(training, order, blended, alphabet):
    """PPM of method C sign by sign: the chance of a sign after what stands before it."""
    counts = defaultdict(Counter)
    for text in training:
        for i, sign in enumerate(text):
            for length in range(min(order, i) + 1):
                counts[text[i - length : i]][sign] += 1

    def chance(sign, before):
        if before is None:
            return 1 / (alphabet + 1)
        seen = counts.get(before)
        shorter = chance(sign, before[1:] if before else None)
        if not seen:
            return shorter
        total = seen.total() + len(seen)
        if seen[sign] and not blended:
            return seen[sign] / total
        return (seen[sign] + len(seen) * shorter) / total

    return chance


@pytest.mark.parametrize("blended", [True, False])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_compression_is_ppm(order, blended):
    training = {"Ann": ["abracadabra", "abba"], "Bob": ["banana bread", ""], "Cleo": [""]}
    texts = ["abrabanana", "bread!", "", "q", "a"]
    authors = [name for name, each in training.items() for _ in each]
    told = Compression(order, blended=blended).fit(list(chain(*training.values())), authors)

    alphabet = len(set("abracadabra banana bread"))
    for column, each in enumerate(training.values()):
        chance = plain_ppm(each, order, blended, alphabet)
        for row, text in enumerate(texts):
            ends = range(len(text))
            spent = sum(log(chance(text[i], text[max(i - order, 0) : i])) for i in ends)
            assert told.decision_function(texts)[row, column] == pytest.approx(spent)


@pytest.mark.parametrize("blended", [True, False])
def test_chances_of_all_signs_sum_to_one_if_blended(blended):
    model = Compression(2, blended=blended).fit(["abracadabra", "", "bcd"], ["Ann", "Bob", "Cleo"])
    alphabet = "abcdr?"  # the last stands for all other signs

    for before in ["", "a", "ab", "b", "x"]:
        logs = model.decision_function([before + sign for sign in alphabet])
        sums = np.exp(logs - model.decision_function([before])).sum(axis=0)
        assert (sums <= 1 + 1e-9).all()
        assert sums[1] == pytest.approx(1)  # nothing is known of Bob
        if blended:
            assert sums == pytest.approx(1)
        else:
            assert sums[0] < 0.99


def test_compression_in_parts_is_the_same(monkeypatch):
    texts, authors = corpus(12, seed=1)
    model = Compression().fit(texts, authors)
    whole = model.decision_function(texts)
    monkeypatch.setattr("nomdeplume.evaluate.attackers.compression.SIGNS", 500)
    monkeypatch.setattr("nomdeplume.evaluate.attackers.compression.BLOCK", 300)

    assert model.decision_function(texts) == pytest.approx(whole)
