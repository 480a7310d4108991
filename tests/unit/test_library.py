"""Libraries of public texts, the one that ships among them."""

import re
from collections import Counter

import numpy as np
import pytest

from nomdeplume import InputError, Obfuscator
from nomdeplume.library import Library, Passage
from nomdeplume.library.library import DATA
from nomdeplume.library.scores import ByTable
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
