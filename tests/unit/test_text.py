import pytest

from nomdeplume import InputError
from nomdeplume.text import CHUNK, is_word, stop_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("   \n\t", []),
        ("Rain", ["rain"]),
        ("don't", ["do"]),
        ("DON’T", ["do"]),
        ("don`t", ["do"]),
        ("ca n't it 's we 'll go", ["can", "go", "it", "we"]),
        ("wouldn't've", ["would"]),
        ("the 'summer' of '69", ["of", "summer", "the"]),
        ("can't won't shan't", ["can", "shall", "will"]),
        ("the dog's bone", ["bone", "dog", "the"]),
        ("we'll they've I'd you're", ["i", "they", "we", "you"]),
        ("o'clock", ["clock"]),
        ("e-mail", ["e", "mail"]),
        ("U.S.A.", ["usa"]),
        ("example.com", ["com", "example"]),
        ("snake_case", ["case", "snake"]),
        ("3.14 42 1990s mp3 covid19", []),
        ("½ x²", []),
        ("naïve cafe\u0301", ["café", "naïve"]),
        ("ﬁsh", ["fish"]),
        ("ＦＵＬＬ", ["full"]),
        ("so\u00adcial", ["social"]),
        ("a\x00b", ["a", "b"]),
        ("\ud800 rain", ["rain"]),
        ("😀 rain ☔ 👩‍🚀", ["rain"]),
        ("¿Qué?", ["qué"]),
        ("שלום עולם", ["עולם", "שלום"]),
        ("مرحبا بالعالم", ["بالعالم", "مرحبا"]),
        ("हिन्दी भाषा", ["भाषा", "हिन्दी"]),
        ("straße", ["straße"]),
    ],
)
def test_words_of(text, expected):
    assert sorted(words(text)) == expected


def test_words_are_counted():
    assert words("Rain, rain; RAIN! Sun.") == {"rain": 3, "sun": 1}


def test_french_elision_leaves_no_stray_letter():
    assert sorted(words("l’été qu'il d'accord", "fr")) == ["accord", "il", "qu", "été"]


def test_a_long_text_is_counted_in_pieces():
    for space in " \t\n\u3000":
        assert words(f"harbour{space}" * (CHUNK // 4)) == {"harbour": CHUNK // 4}


def test_a_long_text_without_spaces_ends():
    assert sum(words("x" * (CHUNK + 5)).values()) == 2


@pytest.mark.parametrize("word", ["rain", "café", "हिन्दी"])
def test_a_table_word_that_texts_can_contain(word):
    assert is_word(word)


@pytest.mark.parametrize("word", ["Rain", "don't", "42", ",", "", "e-mail", "mp3", "cafe\u0301"])
def test_a_table_word_that_no_text_can_contain(word):
    assert not is_word(word)


def test_short_list_keeps_topic_words_that_the_long_one_drops():
    short, long = stop_words("short"), stop_words("iso")

    assert {"computer", "world"} <= long.words
    assert not {"computer", "world"} & short.words
    assert {"the", "and", "don", "t"} - short.words == {"don", "t"}
    assert short.name == "short-en"


def test_stop_words_of_58_languages():
    import stopwordsiso

    lists = [stop_words("iso", language=language) for language in stopwordsiso.langs()]

    assert len(lists) == 58
    assert all(each.words for each in lists)
    assert stop_words("default", language="fr").name == "iso-fr"


def test_stop_words_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# a comment\nRain sun\nwind\n", encoding="utf-8")

    assert stop_words(str(path)).words == {"rain", "sun", "wind"}
    assert {"the", "rain"} < stop_words("short", str(path)).words
    assert stop_words("short", str(path)).name == "short-en+file"


@pytest.mark.parametrize(
    ("name", "language"), [("iso", "xx"), ("nowhere.txt", "en"), ("short", "fr")]
)
def test_unknown_stop_words_are_refused(name, language):
    with pytest.raises(InputError):
        stop_words(name, language=language)
