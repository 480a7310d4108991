"""The function that every engine maps over a corpus."""

import pickle

import pyarrow as pa
import pytest

from nomdeplume import InputError, Obfuscator, PlumeError, PrivacyError, secure, seeded
from nomdeplume.batches import LOST, NO_TEXT, NO_WORDS
from nomdeplume.privacy.certificate import NOT_PRIVATE
from nomdeplume.releasing import Releasing

TEXTS = ["an apple by the lake", None, "a pear", "", "river and lake"]


@pytest.fixture
def made(vocabulary):
    return Obfuscator.laplace(vocabulary, epsilon=3, size=4)


def batch(texts=TEXTS, **columns):
    return pa.record_batch({"id": list(range(len(texts))), "text": texts, **columns})


def test_texts_are_released_and_only_kept_columns_come_along(made):
    found = made.batch(batch(author=["Ann"] * 5, topic=list("ababa")), keep=["id", "topic"])

    assert found.schema.names == ["id", "text", "topic"]
    assert found.column("topic").to_pylist() == list("ababa")
    words = found.column("text").to_pylist()
    assert words[1] is None
    assert all(len(each.split()) == 4 for i, each in enumerate(words) if i != 1)


def test_what_is_withheld_is_told_by_row_and_kind(made):
    outcome = made.batches(empty="withhold").outcome(batch(), refused=frozenset([0]))

    assert outcome.withheld == {1: NO_TEXT, 3: NO_WORDS}
    assert [each is None for each in outcome.batch.column("text").to_pylist()] == [1, 1, 0, 1, 0]


def test_nothing_of_other_rows_is_in_a_kept_column(made):
    names = pa.array(["Zacharias", "b"]).dictionary_encode()
    whole = pa.record_batch({"text": ["apple", "pear"], "name": names})
    found = made.batch(whole.slice(1), keep=["name"])

    assert b"Zacharias" not in pickle.dumps(found)
    assert found.column("name").to_pylist() == ["b"]


def test_a_seed_repeats_it_and_marks_it(made):
    once, twice = (made.batch(batch(), seeded(1)) for _ in range(2))

    assert once == twice
    assert set(once.column("warning").to_pylist()) == {NOT_PRIVATE}
    assert made.batch(batch(), seeded(2)) != once


def test_many_rows_are_released_in_parts(made):
    found = made.batch(batch(["apple lake"] * 5000))

    assert found.num_rows == 5000
    assert found.column("text").null_count == 0


def test_it_is_sent_without_a_generator(made):
    function = made.batches()
    function(batch())
    sent = pickle.loads(pickle.dumps(function))

    assert "_secure" in vars(function.job)
    assert "_secure" not in vars(sent.job)
    with pytest.raises(PrivacyError):
        pickle.dumps(secure())


def test_two_copies_never_share_a_stream(made):
    texts, function = ["apple pear river lake"] * 200, made.batches()
    copies = [pickle.loads(pickle.dumps(function)) for _ in range(2)]
    words = [copy(batch(texts)).column("text").to_pylist() for copy in copies]

    assert words[0] != words[1]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"text": "body"}, "no column 'body'"),
        ({"text": "id"}, "must hold text"),
        ({"keep": "id"}, "keep must be a list"),
        ({"keep": ["text"]}, "different columns"),
        ({"keep": ["warning"]}, "meaning of its own"),
        ({"empty": "drop"}, "empty must be"),
    ],
)
def test_what_cannot_be_released_is_refused(made, columns, said):
    with pytest.raises(InputError, match=said):
        made.batch(batch(), **columns)


def test_a_document_that_fails_is_left_out_alone(made, monkeypatch):
    right = Releasing.batch
    monkeypatch.setattr(Releasing, "batch", failing(right, "pear"))
    outcome = made.batches().outcome(batch(["apple"] * 7 + ["pear"] + ["lake"] * 9))

    assert outcome.withheld == {7: LOST}


def test_if_all_fail_that_is_told_by_its_place(made, monkeypatch):
    monkeypatch.setattr(Releasing, "batch", failing(Releasing.batch, "lake"))
    with pytest.raises(
        PlumeError, match=r"unexpected ZeroDivisionError at test_batches.py"
    ) as said:
        made.batch(batch(["secret lake"] * 3))
    assert "secret" not in str(said.value)


def failing(right, word):
    """A defect that shows with one word."""

    def batch(self, items, rng):
        if any(word in item for item in items if isinstance(item, str)):
            _ = 1 / 0
        return right(self, items, rng)

    return batch


def test_kept_ids_that_tell_who_wrote_a_text_are_refused(made):
    given = batch(TEXTS[:1], key=["r-4711"], author=["4711"])
    with pytest.raises(PrivacyError, match="row 1: the id in field 'key' contains the value") as it:
        made.batches(keep=["key"], id="key")(given)

    assert "4711" not in str(it.value)
    allowed = made.batches(keep=["key"], id="key", allow_identifying_ids=True)(given)
    assert allowed.column("key").to_pylist() == ["r-4711"]
    assert made.batches(keep=["id"])(given).column("id").to_pylist() == [0]


def test_two_columns_of_authors_are_refused(made):
    given = batch(TEXTS[:1], author=["5"])
    twice = pa.RecordBatch.from_arrays(
        [*given.columns, given.column("author")], names=[*given.schema.names, "author"]
    )
    with pytest.raises(InputError, match="more than one column 'author'"):
        made.batches(keep=["id"])(twice)
