"""The rule by which ids that tell who wrote a document are refused."""

from uuid import UUID

import numpy as np
import pytest

from nomdeplume import PrivacyError
from nomdeplume.privacy.identifying import IdCheck, identifying

SOME_UUID = UUID("ad59c4cd-8e72-4c23-920b-18b43af4bef0")
FINE = [
    SOME_UUID.bytes,
    None, "", float("nan"), 7, 7.0, -3, "0042", "r-0042", "doc_17", "Post 8", "review#9", "A1",
    "2024-01-03T10:15:00Z", "train-00017", "B001", "msg12.txt", "test/row/5",
    "123e4567-e89b-12d3-a456-426614174000", "doc-123E4567-E89B-12D3-A456-426614174000",
    "5f2b7c9e1a3d4f60aabbccdd", "deadbeefdeadbeef", "3a-2b", "(12, 4)", b"17",
]  # fmt: skip
NAMES = [
    "Ann3", "ann_smith", "J. Doe", "m.lind-3", "kestrel2", "doc-ann", "annpost3", "7Ann", "Müller",
    "J.D. 3", "j-o-h-n", "j1o1h1n", "A\u00adn\u00adn", b"ann",
    "李雷3", "李3", "Ｊｏｈｎ9", "O'Neil", "ada12345", "user12", "author7", "jd-3", "Zoé",
]  # fmt: skip


@pytest.mark.parametrize("value", FINE, ids=str)
def test_an_id_of_numbers_and_usual_words_tells_nothing(value):
    assert not identifying(value)


@pytest.mark.parametrize("value", NAMES)
def test_an_id_with_other_letters_can_be_a_name(value):
    assert identifying(value) == "holds letters that may be a name"


@pytest.mark.parametrize("value", ["%41%6E", "&#1040;&#1085;", "🅰🅽🅽", "7%", "{3}"])
def test_other_characters_can_encode_letters(value):
    assert identifying(value) == "holds characters that can encode letters"


@pytest.mark.parametrize("value", ["a@b.org", "<1.2@example.org>", "7@8"])
def test_an_address_is_one(value):
    assert identifying(value) == "looks like an e-mail address"


@pytest.mark.parametrize(
    ("value", "author"),
    [
        ("Ann3", "Ann"),
        ("ANN3", "ann"),
        ("r-4711-2", 4711),
        ("r-4711-2", 4711.0),
        ("doc47", "doc"),
        ("ann_smith_3", "Ann Smith"),
        ("12", "1"),
        (4711, "4711"),
        ("r-1", ["1"]),
        ("r-1", {"n": [7, {"of": 1}]}),
        ("r-4711", {"4711": "main"}),
        ("r-4711", {"4711"}),
        ("r-4711", np.array(["u8", "4711"])),
        ("r-1", np.array([7, 1])),
        ("r-4711", b"4711"),
        ("42-1", "0042"),
        ("r-4711", "٤٧١١"),
        (f"{SOME_UUID}-1", SOME_UUID.bytes),
        (SOME_UUID.bytes, str(SOME_UUID)),
        (b"r-4711", "4711"),
    ],
)
def test_an_id_with_the_author_in_it_is_refused(value, author):
    assert identifying(value, [author]) == "contains the value of its author field"


@pytest.mark.parametrize(
    ("value", "author"),
    [
        ("page-3", "Jimmy Page"),
        ("story_4", ["Ann", "Mike Story"]),
        ("doc-key-3", "Key, F."),
        ("r-4711-1", "u4711"),
        ("471-1", "u0471"),
        ("0471-1", "u471"),
        ("47-11-1", "u4711"),
    ],
)
def test_an_id_with_a_part_of_the_author_in_it_is_refused(value, author):
    assert identifying(value, [author]) == "contains a part of its author field"


@pytest.mark.parametrize("author", [None, "", " ", float("nan"), "***", ["2"], {"n": 2}, "2", []])
def test_an_author_who_is_not_in_it_is_none(author):
    assert not identifying("r-1", [author])


def test_only_kept_ids_are_checked():
    row = {"id": "Ann3", "key": "Ann4", "author": "Bob", "writer": "17"}

    IdCheck.of(["topic"]).one("row 1", row)
    IdCheck.of(["key"]).one("row 1", row)
    IdCheck.of(["id", "key"], id_="key", allowed=True).one("row 1", row)
    for keep, names in {"id": {}, "key": {"id_": "key"}}.items():
        with pytest.raises(PrivacyError, match="letters that may be a name"):
            IdCheck.of([keep], **names).one("row 1", row)
    with pytest.raises(PrivacyError, match="its author field"):
        IdCheck.of(["id"], author="writer").one("row 1", {"id": "r17", "writer": "17"})
    with pytest.raises(PrivacyError, match="its author field"):
        IdCheck.of(["id"], author="team").one("row 1", {"id": "r17", "Author": "17"})
    with pytest.raises(PrivacyError, match="its author field"):
        IdCheck.of(["ID"], author="team").one("row 1", {"ID": "r17", "author": "17", "team": "x"})


def test_the_message_names_the_row_and_not_the_id():
    rows = [{"id": 1}, {"id": "Zyxoquant7", "author": "Zyxoquant"}]
    with pytest.raises(PrivacyError) as refusal:
        IdCheck.of(["id"]).all(rows)

    said = str(refusal.value)
    assert said.startswith("row 2: the id in field 'id' contains")
    assert "allow_identifying_ids=True" in said
    assert "zyxoquant" not in said.lower()
