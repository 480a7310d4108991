import json

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2_contingency, entropy

from nomdeplume import (
    Features,
    InputError,
    Obfuscator,
    PrivacyError,
    Recipe,
    Table,
    Vocabulary,
    fit_features,
    principal_directions,
    seeded,
    topic_directions,
)
from nomdeplume.features.bayes import SMOOTHING, accuracy, folds, smallest
from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.scores import chi2, mutual_information, ranked
from nomdeplume.features.seen import mark
from nomdeplume.privacy.certificate import FITTED, NOT_PRIVATE
from nomdeplume.privacy.verify import verify

TOPICS = ("sea", "sky", "land")
COMMON = ["people", "house", "time", "day", "year", "way"]
OWN = {
    "sea": ["ship", "harbour", "boat", "sail", "anchor", "wave"],
    "sky": ["cloud", "star", "moon", "rain", "storm", "planet"],
    "land": ["field", "wheat", "barn", "cow", "tractor", "soil"],
}


@pytest.fixture(scope="module")
def kept():
    return Vocabulary.of(Table.bundled())


@pytest.fixture(scope="module")
def corpus():
    """120 texts, each of common words, three of its topic and one of any."""
    rng = np.random.default_rng(5)
    texts, topics = [], []
    for number in range(120):
        topic = TOPICS[number % 3]
        other = TOPICS[int(rng.integers(3))]
        found = [*rng.choice(COMMON, 6), *rng.choice(OWN[topic], 3), rng.choice(OWN[other])]
        texts.append(" ".join(found))
        topics.append(topic)
    return texts, topics


@pytest.fixture(scope="module")
def features(corpus, kept):
    return fit_features(*corpus, kept, words=18)


def table_of(rng, topics=4, words=30):
    texts = rng.integers(5, 40, topics).astype(float)
    present = np.floor(rng.random((topics, words)) * texts[:, None])
    return present, texts


def test_chi2_is_that_of_the_contingency_table(rng):
    present, texts = table_of(rng)
    found = chi2(present, texts)
    due = [
        chi2_contingency(np.stack([column, texts - column]), correction=False).statistic
        for column in present.T
    ]

    assert np.allclose(found, due, rtol=1e-12)


def test_mutual_information_is_that_of_the_contingency_table(rng):
    present, texts = table_of(rng)
    present[:, 0], present[0, 1] = 0, 0
    n = texts.sum()
    due = [
        entropy(texts / n)
        + entropy([column.sum() / n, 1 - column.sum() / n])
        - entropy(np.concatenate([column, texts - column]) / n)
        for column in present.T
    ]

    assert np.allclose(mutual_information(present, texts), due, atol=1e-12)


@pytest.mark.parametrize("score", [chi2, mutual_information])
def test_a_word_that_is_everywhere_or_nowhere_says_nothing(score):
    texts = np.array([3.0, 5.0])
    found = score(np.array([[3.0, 0.0, 3.0], [5.0, 0.0, 0.0]]), texts)

    assert found[:2] == pytest.approx([0, 0], abs=1e-12)
    assert found[2] > 0.5


def test_ties_go_by_id_and_words_that_do_not_occur_are_not_ranked():
    present = sparse.csr_array(np.array([[0, 2, 0, 2, 1, 0], [0, 0, 2, 0, 1, 1]]))
    order, scores = ranked(present, np.array([2.0, 2.0]), "chi2")

    assert order.tolist() == [1, 2, 3, 5, 4]
    assert scores[0] == 0


def test_topic_words_are_found(features):
    own = {word for words in OWN.values() for word in words}

    assert set(features.words) == own
    assert (features.topics, features.texts, features.method) == (3, 120, "chi2")


def test_scores_come_in_order(corpus, kept):
    words = fit_features(*corpus, kept, words=24, method="mutual-information").words

    assert set(words[18:]) == set(COMMON)


def test_naive_bayes_is_the_formula(corpus, kept):
    texts = ByTopic.of(kept.bags(corpus[0]), corpus[1], kept)
    tested = folds(texts, "chi2")
    fold = tested[2]
    taught, counts = fold.taught.toarray()[:, :10], fold.tested.toarray()[:, :10]
    right = 0
    for text, topic in zip(counts, fold.topic, strict=True):
        told = [
            np.log(fold.prior[t])
            + sum(c * np.log((taught[t, w] + SMOOTHING) / (taught[t].sum() + 10 * SMOOTHING))
                  for w, c in enumerate(text))
            for t in range(3)
        ]  # fmt: skip
        right += int(np.argmax(told)) == topic

    assert fold.right(10) == right
    assert sum(len(each.topic) for each in tested) == 120
    assert all(np.array_equal(np.bincount(each.topic), [8, 8, 8]) for each in tested)


def test_words_are_not_chosen_by_the_texts_they_are_tested_on(kept):
    """Of noise nothing is told beyond chance, though among so many words some seem to tell."""
    rng = np.random.default_rng(3)
    words = np.array(kept.table.words)[kept.ids[:3000]]
    texts = [" ".join(rng.choice(words, 30)) for _ in range(200)]
    noise = ByTopic.of(kept.bags(texts), ["a", "b"] * 100, kept)

    assert 0.35 < accuracy(folds(noise, "chi2"), 100) < 0.65


def test_keep_topic_finds_the_fewest_words(corpus, kept):
    found = fit_features(*corpus, kept, keep_topic=0.9)
    tested = folds(ByTopic.of(kept.bags(corpus[0]), corpus[1], kept), "chi2")

    assert 3 <= len(found) < 18
    assert found.accuracy == accuracy(tested, len(found)) >= 0.9 * found.accuracy_all
    assert accuracy(tested, len(found) - 1) < 0.9 * found.accuracy_all
    assert found.accuracy_all > 0.9


@pytest.mark.parametrize(
    ("enough", "most"), [(1, 9), (2, 9), (5, 9), (8, 9), (9, 9), (1, 1), (8, 8)]
)
def test_the_search_finds_the_first_size_that_is_enough(enough, most, monkeypatch):
    monkeypatch.setattr("nomdeplume.features.bayes.accuracy", lambda _, size: float(size >= enough))

    assert smallest([], 0.5, most) == enough


def test_all_of_the_accuracy_can_be_asked_for(corpus, kept):
    found = fit_features(*corpus, kept, keep_topic=1)

    assert found.accuracy >= found.accuracy_all


BAD = {
    "not both": {"words": 5, "keep_topic": 0.5},
    "whole number from 1 to 10,000,000, got -1": {"words": -1},
    "at least one word, or a map": {"words": 0},  # all words are kept: then it is for a map
    "at most 24, which the texts hold; got 25": {"words": 25},
    "at most 1, got 1.5": {"keep_topic": 1.5},
    "above 0": {"keep_topic": 0.0},
    "chi2 or mutual-information": {"method": "tf-idf"},
    "from 1 to 100": {"dimensions": 101},
}


@pytest.mark.parametrize(("said", "options"), BAD.items(), ids=BAD)
def test_what_cannot_be_fitted_is_said(corpus, kept, said, options):
    with pytest.raises(InputError, match=said):
        fit_features(*corpus, kept, **options)


CORPORA = {
    "got 3 texts and 2 topics": (["rain", "sun", "snow"], ["a", "b"]),
    "got 2 of 4 without one": (["rain", "sun", "snow", "ice"], ["a", "", float("nan"), "b"]),
    "at least 2 topics, got 1": (["rain", "sun"], ["a", "a"]),
    "at least 2 topics, got 0": ([], []),
    "no text has a kept word": (["qqxz", "zzqx"], ["a", "b"]),
    "one str": ("rain", ["a"]),
}


@pytest.mark.parametrize(("said", "given"), CORPORA.items(), ids=CORPORA)
def test_what_is_no_corpus_of_topics_is_said(kept, said, given):
    with pytest.raises(InputError, match=said):
        fit_features(*given, kept)


def test_a_topic_with_one_text_cannot_be_tested(kept):
    texts, topics = ["rain", "snow", "bread"], ["weather", "weather", "food"]

    assert fit_features(texts, topics, kept).accuracy is None
    with pytest.raises(InputError, match="1 of 2 have 1"):
        fit_features(texts, topics, kept, keep_topic=0.9)


def test_directions_are_those_of_bags_of_topic_words(corpus, kept):
    found = fit_features(*corpus, kept, words=18, dimensions=4)
    narrow = Vocabulary.of(kept.table, features=found)

    assert found.directions.shape == (4, 100)
    assert np.allclose(found.directions, topic_directions(*corpus, 4, narrow))


def test_a_vocabulary_is_narrowed_to_topic_words(features, kept):
    narrow = Vocabulary.of(kept.table, features=features)

    assert len(narrow) == 18
    assert "ship" in narrow
    assert "house" not in narrow
    assert narrow.fingerprint != kept.fingerprint
    assert repr(narrow) == "<Vocabulary: 18 topic words of glove-6b-100d-50k less short-en>"
    assert len(narrow.bag("A ship, a house, a boat.")) == 2


def test_words_that_a_table_lacks_do_not_count(features, vocabulary):
    small = Table(("boat", "zebra"), np.eye(2), name="small")

    assert len(Vocabulary.of(small, "none", features=features)) == 1
    with pytest.raises(InputError, match="none of the 18 topic words is a kept word of table tiny"):
        Vocabulary(vocabulary.table, vocabulary.stop_words, features)


def test_features_are_not_fitted_within_features(features, kept, corpus):
    with pytest.raises(InputError, match="all kept words"):
        fit_features(*corpus, Vocabulary.of(kept.table, features=features))


def test_a_file_holds_all_of_it(corpus, kept, tmp_path):
    found = fit_features(*corpus, kept, words=9, dimensions=3)
    found.save(tmp_path / "my.features")
    again = Features.open(tmp_path / "my.features")

    assert again.fingerprint == found.fingerprint
    assert again.words == found.words
    assert np.array_equal(again.directions, found.directions)
    assert np.array_equal(again.seen, found.seen)
    assert len(found.seen) == len({mark(text) for text in corpus[0]} - {None})
    assert repr(again).startswith("<Features: 9 words chosen by χ² on 120 public texts (fing")


def changed(features, **fields):
    return json.dumps(json.loads(features.to_json()) | fields)


DAMAGED = [
    {"format": 1},
    {"format": 3},
    {"words": "rain"},
    {"words": [1]},
    {"words": []},
    {"words": ["rain", "rain"]},
    {"method": "other"},
    {"topics": 1},
    {"topics": 2.0},
    {"texts": True},
    {"leaks": 0},
    {"accuracy": "high"},
    {"accuracy": 2},
    {"kept_fingerprint": "abc"},
    {"directions": []},
    {"directions": {"number": 1, "float64": "!"}},
    {"directions": {"number": 3, "float64": "AAAAAAAA8D8="}},
    {"directions": {"number": 0, "float64": ""}},
    {"seen": "AAAA"},
    {"seen": "AQAAAAAAAAABAAAAAAAAAA=="},
    {"more": 1},
]


@pytest.mark.parametrize("fields", DAMAGED, ids=str)
def test_a_damaged_file_is_refused(features, fields):
    with pytest.raises(InputError, match="features") as refused:
        Features.from_json(changed(features, **fields))

    assert "rain" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "rain", "[]", "{}", '{"format": 1}', "[" * 10**5])
def test_other_files_are_refused(text):
    with pytest.raises(InputError, match="features"):
        Features.from_json(text)


def test_a_file_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        Features.open(tmp_path / "x")


def test_very_short_texts_have_no_mark():
    assert mark("") is None
    assert mark("a b c d d d") is None
    assert mark("a b c d e") is not None
    assert mark("北京是首都我爱你吗") is None  # nine signs
    assert mark("北京是首都我们爱你吗") is not None


SAME = {
    "order": ("rain on the old harbour", "old harbour, the rain: on"),
    "case": ("rain on the old harbour", "RAIN ON THE OLD HARBOUR"),
    "digits and signs": ("rain on the old harbour", "rain (12) on — the „old“ harbour!"),
    "hidden signs": ("rain on the old harbour", "\ufeffrain on the old har\u00adbour"),
    "apostrophes": ("we don't say it's old", "we don’t say itʼs old"),
    "composed": ("un été à la mère forêt", "un e\u0301te\u0301 a\u0300 la mère forêt"),
    "sharp s": ("die Straße am alten Hafen", "DIE STRASSE AM ALTEN HAFEN"),
    "Chinese lines": ("北京是首都，我们爱苹果。", "北京是首都\n我们爱　苹果"),
    "Thai spaces": ("น้ำตกและฝนตก", "น้ำตก\u200bและ ฝนตก"),
    "wide": ("ＩＰＨＯＮＥ　北京是首都，我们爱苹果", "iphone北京是首都我们爱苹果"),
}


@pytest.mark.parametrize("same", SAME)
def test_what_does_not_count_changes_no_mark(same):
    one, other = SAME[same]

    assert one != other
    assert mark(one) == mark(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a b c d e", "a a b c d e"),
        ("rain on the old harbour", "rain on the new harbour"),
        ("北京是首都我们爱苹果", "上海是首都我们爱苹果"),
        ("हम आज बारिश में घर गए", "हम आज बरिश में घर गए"),
    ],
)
def test_other_texts_have_other_marks(one, other):
    assert None not in {mark(one), mark(other)}
    assert mark(one) != mark(other)


@pytest.mark.parametrize("text", ["rain on the old harbour ", "北京是首都我们爱苹果", "harbour"])
def test_where_a_long_text_is_cut_does_not_count(text):
    long, five = text * 160_000, " a b c d e"  # above 2²⁰ letters, in one run or in many

    assert mark(long + five) == mark("b, c, d, e, a!\n" + long) is not None
    assert mark(long + five) != mark(long + text + five)


def test_a_lone_surrogate_is_no_letter():
    assert mark("rain on the old harbour \ud800") == mark("rain on the old harbour")


@pytest.fixture
def release(features, kept):
    return Obfuscator.laplace(Vocabulary.of(kept.table, features=features), size=5)


def test_texts_that_it_was_fitted_on_are_not_released(release, corpus):
    other = "People say that the ship left the harbour before the storm."

    assert len(release([other])) == 1
    with pytest.raises(PrivacyError, match="i-know-this-leaks"):
        release([other, corpus[0][7].upper() + " 12!"])


def test_frames_are_not_released_either(release, corpus):
    import pandas as pd

    with pytest.raises(PrivacyError, match="public texts"):
        release.frame(pd.DataFrame({"text": corpus[0][:3]}))


def test_another_table_does_not_hide_that(features, corpus):
    table = Table(("ship", "cloud", "wheat"), np.eye(3), name="other")
    other = Obfuscator.laplace(Vocabulary.of(table, "none", features=features), size=5)

    with pytest.raises(PrivacyError):
        other(corpus[0][:1])


def chinese(*words):
    vectors = np.random.default_rng(1).standard_normal((len(words), 2))
    return Table(words, vectors, name="other", language="zh")


def test_another_dictionary_does_not_hide_that():
    """How a text without spaces is parted depends on the table; what it is does not."""
    texts = ["北京下雨了，我们在家里喝茶。", "上海的苹果很好吃，大家都喜欢。"] * 2
    found = fit_features(texts, ["雨", "果"] * 2, Vocabulary.of(chinese("北京", "苹果"), "none"))
    other = Vocabulary.of(chinese("北", "京", "苹果", "下雨", "我们"), "none", features=found)

    assert len(found.seen) == 2
    with pytest.raises(PrivacyError):
        Obfuscator.laplace(other, size=5)(texts[1:2])
    assert len(Obfuscator.laplace(other, size=5)(["广州的苹果很好吃，大家都喜欢。"])) == 1


def test_another_language_does_not_hide_that(features, corpus):
    table = Table(("ship", "cloud", "wheat"), np.eye(3), name="other", language="zh")
    other = Obfuscator.laplace(Vocabulary.of(table, "none", features=features), size=5)

    with pytest.raises(PrivacyError):
        other(corpus[0][:1])


def test_directions_are_those_of_the_table_or_refused(corpus, kept):
    found = fit_features(*corpus, kept, words=18, dimensions=3)
    narrow = Vocabulary.of(kept.table, features=found)
    vectors = np.array(kept.table.vectors)
    vectors[0, 0] += 1
    moved = Vocabulary.of(Table(kept.table.words, vectors, name="moved"), features=found)
    image = Recipe(dimensions=2).make(narrow).image

    assert np.array_equal(image.directions, found.directions[:2])
    with pytest.raises(InputError, match="hold 3 directions, asked was for 4"):
        Recipe(dimensions=4).make(narrow)
    with pytest.raises(InputError, match="not those of table moved"):
        Recipe(dimensions=2).make(moved)


def test_without_directions_they_are_the_principal_ones(features, kept):
    image = Recipe(dimensions=2).make(Vocabulary.of(kept.table, features=features)).image

    assert np.array_equal(image.directions, principal_directions(kept.table, 2))


def test_who_says_that_it_leaks_may_release_and_every_certificate_says_so(corpus, kept):
    leaking = fit_features(*corpus, kept, words=9, leaks=True)
    [document] = Obfuscator.laplace(Vocabulary.of(kept.table, features=leaking))(corpus[0][:1])

    assert "FITTED ON THE PRIVATE TEXTS" in document.certificate.features
    assert "public" not in document.certificate.features
    assert not len(leaking.seen)
    assert document.certificate.warning.startswith("NOT PRIVATE: the topic words were fitted on")
    assert not document.certificate.private
    assert not document.certificate.seeded
    assert repr(document.certificate).endswith("NOT PRIVATE>")


def test_both_reasons_are_said(corpus, kept):
    leaking = Vocabulary.of(kept.table, features=fit_features(*corpus, kept, words=9, leaks=True))
    [document] = Obfuscator.laplace(leaking, size=5)(corpus[0][:1], seeded(1))

    assert document.certificate.warning == f"{NOT_PRIVATE}; {FITTED}"
    assert document.certificate.seeded
    assert all(check.holds for check in verify(document.certificate, leaking, None))


def test_a_certificate_says_how_words_were_chosen(release, features, kept):
    [document] = release(["The ship sails."])
    [plain] = Obfuscator.laplace(kept)(["The ship sails."])

    assert document.certificate.features == features.origin
    assert document.certificate.kept_words == 18
    assert document.certificate.private
    assert "no stop words and are topic words." in document.certificate.limits[0]
    assert "topic words" not in plain.certificate.limits[0]
    assert set(document.words) <= set(features.words)
    assert plain.certificate.features == ""
