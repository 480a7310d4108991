"""Libraries of public texts, the one that ships among them."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from nomdeplume import InputError, Obfuscator
from nomdeplume.evaluate.setting import Setting, grid
from nomdeplume.library import Library, Passage, score_of
from nomdeplume.library.fitting import fitted
from nomdeplume.library.library import DATA, one_line
from nomdeplume.library.scores import ByTable
from nomdeplume.mechanism import Recipe
from nomdeplume.mechanism.standin import StandIn
from nomdeplume.vocabulary import Vocabulary

PERSONAL = re.compile(r"\b(I|me|my|we|us|our|you|your)\b", re.IGNORECASE)
THREE = tuple(Passage(name, f"A text about {name}.", name) for name in ("bread", "rain", "law"))


@pytest.fixture(scope="module")
def shipped():
    return Library.shipped("en")


def test_the_library_that_ships_covers_many_subjects_in_one_voice(shipped):
    lengths = [len(each.text.split()) for each in shipped.passages]

    assert len(shipped) >= 800
    assert len(shipped.fields) == 36
    assert 50 <= min(lengths) <= max(lengths) <= 90
    assert len({each.title for each in shipped.passages}) == len(shipped)
    assert all(each.text.isascii() and len(each.title.split()) <= 6 for each in shipped.passages)
    assert not [each.id for each in shipped.passages if PERSONAL.search(each.text)]
    assert not [each.id for each in shipped.passages if "?" in each.text]
    assert shipped.licence == "CC0-1.0"
    assert (DATA / "library-en.jsonl").stat().st_size < 1_000_000


def test_passages_begin_and_read_differently(shipped):
    openings = Counter(" ".join(each.text.split()[:2]) for each in shipped.passages)

    assert max(openings.values()) <= 8


def test_a_text_of_the_library_fits_itself_best(shipped):
    score = ByTable(shipped, Vocabulary.given(None))
    found = score(shipped.texts).argmax(axis=1)

    assert (found == np.arange(len(shipped))).mean() > 0.97


def test_a_text_without_known_words_has_scores_too(shipped):
    found = ByTable(shipped, Vocabulary.given(None))(["", "qqqq"])

    assert np.isfinite(found).all()


def test_larger_odds_take_fewer_and_closer_texts(shipped):
    score = ByTable(shipped, Vocabulary.given(None))
    best = [score.best(odds) for odds in (5, 20, 100, 1000)]

    assert best == sorted(best, reverse=True)
    assert best[2] == 34
    assert score.name == "table and fields"


def test_a_file_gives_back_the_library(tmp_path):
    made = Library(THREE, name="mine", licence="CC0-1.0")
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    found = Library.read(tmp_path / "l")

    assert found.passages == made.passages
    assert (found.name, found.fingerprint) == ("mine", made.fingerprint)
    assert found.fingerprint != Library(THREE[::-1]).fingerprint
    assert found["rain"].title == "rain"
    assert found.holding("A text about law.").id == "law"


@pytest.mark.parametrize(
    "passages",
    [
        THREE[:2],
        (*THREE, THREE[0]),
        (*THREE, Passage("other", THREE[0].text)),
        (*THREE, Passage("empty", " ")),
        (*THREE, Passage("", "A text without an id.")),
    ],
)
def test_what_is_no_library_is_refused(passages):
    with pytest.raises(InputError):
        Library(passages)


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "1\n2", '{"format": 1}', '{"format": 9}', "\0"]
)
def test_what_is_no_library_file_is_refused(tmp_path, content):
    (tmp_path / "l").write_text(content, encoding="utf-8")

    with pytest.raises(InputError, match="l"):
        Library.read(tmp_path / "l")


def test_the_same_words_in_another_order_are_known_again():
    made = Library((*THREE, Passage("long", "One two three four five six seven")))

    assert made.has("Seven, six, five, four, three two - ONE!")
    assert not made.has("One two three four five six seven eight")
    assert not made.has("")


def test_standins_come_from_python_too():
    made = Obfuscator.standin(odds=100)
    [document] = made(["My tomatoes have black spots again."])

    assert document.text in made.documents.library.texts
    assert made.promises[0].sentence.endswith("at most a factor of 100.")
    assert made.price.budget == pytest.approx(np.log(100))


def test_an_evaluation_takes_odds_as_they_are(tmp_path):
    """Budgets and sizes are for others; a setting is known by its library's content."""
    found = grid([Recipe.usually("standin"), Recipe.usually("mean")], budgets=[5, 10], sizes=[7])
    (tmp_path / "l").write_text(Library(THREE).to_jsonl(), encoding="utf-8")
    one = Setting(Recipe("standin", 100, library=str(tmp_path / "l"))).key
    (tmp_path / "l").write_text(Library(THREE[::-1]).to_jsonl(), encoding="utf-8")

    assert [each.recipe.epsilon for each in found] == [100, 5, 10]
    assert one != Setting(Recipe("standin", 100, library=str(tmp_path / "l"))).key


TOPICS = tuple(
    Passage(f"{topic}{n}", f"{' '.join(words[n % 3 : n % 3 + 3])} number {n}", field=topic)
    for topic, words in (
        ("sea", ["ship", "harbor", "wave", "sail", "anchor"]),
        ("land", ["wheat", "barn", "tractor", "soil", "cow"]),
        ("law", ["court", "judge", "appeal", "verdict", "lawyer"]),
    )
    for n in range(8)
)


@pytest.mark.parametrize("topics", [2, 3])
def test_a_classifier_ranks_the_texts_of_the_likeliest_topic_first(tmp_path, topics):
    made = fitted(Library(TOPICS[: 8 * topics]))
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    score = score_of(Library.read(tmp_path / "l"), Vocabulary.given(None))
    nearest = StandIn(made, score, 8)._nearest(["The anchor and the sail.", "tractor on the soil"])

    fields = [{made.passages[place].field for place in row} for row in nearest.tolist()]
    assert fields == [{"sea"}, {"land"}]
    assert 4 <= score.best(100) <= 8
    assert score.name.startswith("topics ")


def test_texts_with_a_clear_topic_come_first(tmp_path):
    unclear = Passage("unclear", "wheat barn tractor soil", field="sea")
    made = fitted(Library((unclear, *TOPICS)))

    assert made.passages[-1] == unclear
    assert sorted(each.id for each in made.passages) == sorted(["unclear", *(e.id for e in TOPICS)])


def test_latent_directions_need_no_topics(tmp_path):
    made = fitted(Library(TOPICS), "latent")
    (tmp_path / "l").write_text(made.to_jsonl(), encoding="utf-8")
    score = score_of(Library.read(tmp_path / "l"), Vocabulary.given(None))
    found = score(["The judge and the verdict.", "", "qqq"])

    assert set(np.argsort(-found[0])[:4].tolist()) <= set(range(16, 24))
    assert np.isfinite(found).all()
    assert score.name.startswith("latent ")


def test_texts_of_the_field_that_fits_come_before_those_of_others(shipped):
    """The mean of a field counts as much as a text."""
    text = "The priest read from the scripture and the congregation prayed."
    fields = [each.field for each in shipped.passages]
    plain = Library(tuple(replace(each, field="") for each in shipped.passages))
    with_fields, without = (
        Counter(
            fields[i] for i in np.argsort(-ByTable(some, Vocabulary.given(None))([text])[0])[:25]
        )
        for some in (shipped, plain)
    )

    assert with_fields["religion and belief"] > without["religion and belief"]


def test_a_library_without_topics_is_scored_by_the_table_if_it_is_small():
    plain = Library(tuple(Passage(each.id, each.text) for each in TOPICS))

    assert fitted(plain).model is None
    assert fitted(Library(TOPICS), "table").model is None
    with pytest.raises(InputError, match="needs a topic for every text"):
        fitted(plain, "topics")
    with pytest.raises(InputError, match="at least 2 texts"):
        fitted(Library(TOPICS[:9]))


@pytest.mark.parametrize("spoil", ["words", "idf", "matrix", "bias", "topics", "on_topic"])
def test_a_damaged_model_is_refused(tmp_path, spoil):
    made = fitted(Library(TOPICS))
    head, rest = made.to_jsonl().split("\n", 1)
    facts = json.loads(head)
    facts["model"][spoil] = facts["model"][spoil][1:] if spoil != "on_topic" else [["a"]]
    (tmp_path / "l").write_text(f"{json.dumps(facts)}\n{rest}", encoding="utf-8")

    with pytest.raises(InputError):
        Library.read(tmp_path / "l")


HOSTILE = {
    "a topic that no text has": lambda head, rows: head["model"].update(
        topics=["sea", "land", "x"]
    ),
    "no curve": lambda head, rows: head["model"].update(on_topic=[]),
    "half a surrogate": lambda head, rows: rows[0].update(text="\ud800"),
    "no text": lambda head, rows: rows[0].update(text=None),
    "words as a text": lambda head, rows: rows[0].update(words="abc"),
    "lines": lambda head, rows: rows[0].update(text="one\ntwo"),
    "a terminal's signs": lambda head, rows: head.update(name="x\x1b[31m"),
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_library_is_refused(tmp_path, spoil):
    head, *rows = map(json.loads, fitted(Library(TOPICS)).to_jsonl().splitlines())
    spoil(head, rows)
    (tmp_path / "l").write_text("\n".join(map(json.dumps, [head, *rows])), encoding="utf-8")

    with pytest.raises(InputError):
        Library.read(tmp_path / "l")


def test_a_text_becomes_one_line():
    assert one_line("  a\u2028b\r\n\tc\x1b d ") == "a b c d"
