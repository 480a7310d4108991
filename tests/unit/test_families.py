"""The three families of features, with numbers worked out by hand."""

from math import isfinite, log

import pytest

from nomdeplume.evaluate.families import character_ngrams, stylistic, word_based
from nomdeplume.evaluate.richness import richness


def test_character_ngrams_of_the_paper():
    found = character_ngrams("There it is", 3)

    assert [run.replace(" ", "_") for run in found] == (
        ["The", "her", "ere", "re_", "e_i", "_it", "it_", "t_i", "_is"]
    )
    assert set(found.values()) == {1}


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [("", 1, {}), ("ab", 3, {}), ("aaa", 2, {"aa": 2}), ("été", 3, {"été": 1})],
)
def test_character_ngrams_of_short_texts(text, n, expected):
    assert character_ngrams(text, n) == expected


def test_words_keep_contractions_and_lose_case():
    assert word_based("Don't DON’T do not; it's 7.") == {
        "don't": 2,
        "do": 1,
        "not": 1,
        "it's": 1,
        "7": 1,
    }


def test_richness_by_hand():
    """Of *a a b*: N = 3, V = 2, V₁ = V₂ = 1, Σ m²·Vₘ = 5."""
    found = richness([2, 1])

    assert found["types per word"] == pytest.approx(2 / 3)
    assert found["hapax legomena"] == found["dis legomena"] == pytest.approx(1 / 3)
    assert found["Yule's K"] == pytest.approx(1e4 * 2 / 9)
    assert found["Simpson's D"] == pytest.approx(2 / 6)
    assert found["Honoré's R"] == pytest.approx(200 * log(3))
    assert found["entropy"] == pytest.approx(log(3) - 2 / 3 * log(2))


def test_richness_where_no_word_comes_back_is_finite():
    found = richness([1, 1, 1])

    assert found["Yule's K"] == found["Simpson's D"] == 0
    assert found["Honoré's R"] == pytest.approx(100 * log(3) * 4)
    assert set(richness([]).values()) == {0.0}


def test_lengths_by_hand():
    found = stylistic("Rain fell. It was so cold!")

    assert found["signs"] == 26
    assert (found["words"], found["sentences"]) == (6, 2)
    assert found["mean word length"] == pytest.approx(19 / 6)
    assert (found["mean sentence length"], found["spread of sentence length"]) == (3, 1)
    assert found["word length 2"] == pytest.approx(2 / 6)
    assert found["word length 4"] == pytest.approx(3 / 6)


def test_signs_by_hand():
    found = stylistic("Ab1 c,")

    assert found["letters"] == pytest.approx(3 / 6)
    assert found["upper case"] == found["digits"] == found["blanks"] == pytest.approx(1 / 6)
    assert found["sign ,"] == pytest.approx(1 / 6)
    assert found["sign ;"] == 0
    assert found["letter a"] == found["letter c"] == pytest.approx(1 / 3)


def test_function_words_are_shares_of_words():
    found = stylistic("The rain and the sun; they didn’t stop.")

    assert found["word the"] == pytest.approx(2 / 8)
    assert found["word and"] == pytest.approx(1 / 8)
    assert found["ending n't"] == pytest.approx(1 / 8)
    assert "word rain" not in found


@pytest.mark.parametrize("text", ["", " ", "a", "!", "42", "\ud800", "雨が降る", "x" * 5000])
def test_every_text_has_the_same_finite_measures(text):
    found = stylistic(text)

    assert list(found) == list(stylistic("Some other text, of two sentences. Yes."))
    assert all(map(isfinite, found.values()))


def test_the_empty_text_measures_nothing():
    assert set(stylistic("").values()) == {0.0}
