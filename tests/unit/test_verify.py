"""Each statement of a certificate is held against what follows, and each line of its release."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from nomdeplume import Obfuscator
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.random import KEYED
from nomdeplume.privacy.verify import hash_of, recipe_of, verify

WORDS = "lake pear\napple river\n"


@pytest.fixture
def certificate(vocabulary):
    made = Obfuscator.laplace(vocabulary, epsilon=3.0, size=2)(["pear", "lake"])[0].certificate
    return replace(made, documents=2)


def checks(certificate, vocabulary, release=None):
    return {check.name: check for check in verify(certificate, vocabulary, release)}


LIES = {
    "unchanged": lambda c: {"unchanged": c.unchanged + 0.02},
    "agreement": lambda c: {"agreement": 0.5},
    "documents": lambda c: {"documents": -1},
    "program": lambda c: {"program": "nomdeplume 1.2.3 and more"},
    "several_documents, kept_fields": lambda c: {
        "unit_field": "author",
        "kept_fields": ("author", "topic"),
    },
    "several_documents": lambda c: {"max_per_author": 2},
    "several_documents, max_per_author": lambda c: {"unit_field": "author", "max_per_author": 1},
    "limits, generator": lambda c: {"generator": KEYED},
    "settings": lambda c: {"settings": {"mu": 0.5}},
    "budget": lambda c: {"budget": 5.0},
    "budget, settings, documents": lambda c: {"budget": 5.0, "settings": {"x": 1}, "documents": -1},
}


@pytest.mark.parametrize("named", LIES)
def test_what_does_not_follow_is_named(certificate, vocabulary, named):
    found = checks(replace(certificate, **LIES[named](certificate)), vocabulary)

    assert not found["statements"].holds
    assert found["statements"].found == f"do not follow: {named}"


def test_the_truth_follows_also_by_another_share_of_words_that_chance_left(certificate, vocabulary):
    """What is measured by drawing may differ a little from one time to the next."""
    for change in ({}, {"unchanged": certificate.unchanged + 0.009}, {"documents": 0}):
        found = checks(replace(certificate, **change), vocabulary)
        assert list(found) == ["table", "kept vocabulary", "statements", "promises"]
        assert all(check.holds for check in found.values())


@pytest.mark.parametrize("name", ["table", "kept vocabulary"])
def test_another_table_is_found_and_nothing_is_proved_with_it(certificate, vocabulary, name):
    field = {"table": "table_fingerprint", "kept vocabulary": "kept_fingerprint"}[name]
    found = checks(replace(certificate, **{field: "0" * 64}), vocabulary)

    assert list(found) == ["table", "kept vocabulary"]
    assert [check.name for check in found.values() if not check.holds] == [name]
    assert found[name].found.endswith("the certificate says 0000000000000000…")


PROMISES = {
    "another pair": lambda odds: replace(odds, pair="near"),
    "a smaller loss": lambda odds: replace(odds, loss=odds.loss * (1 - 1e-5)),
    "a larger loss": lambda odds: replace(odds, loss=odds.loss * (1 + 1e-5)),
    "a smaller distance": lambda odds: replace(odds, distance=odds.distance * (1 - 1e-5)),
    "less up to delta": lambda odds: replace(odds, loss_at_delta=odds.loss_at_delta * (1 - 1e-5)),
    "more up to delta": lambda odds: replace(odds, loss_at_delta=odds.loss_at_delta * 1.01),
}


@pytest.mark.parametrize("lie", [*PROMISES.values(), None], ids=[*PROMISES, "one pair fewer"])
def test_a_promise_that_does_not_follow_is_found(certificate, vocabulary, lie):
    *others, last = certificate.promises
    *more, first = last.odds
    odds = (*more, lie(first)) if lie else tuple(more)
    lying = replace(certificate, promises=(*others, replace(last, odds=odds)))

    assert not checks(lying, vocabulary)["promises"].holds


def test_one_promise_fewer_is_found(certificate, vocabulary):
    lying = replace(certificate, promises=certificate.promises[:1])

    assert not checks(lying, vocabulary)["promises"].holds


def released(folder, certificate, text):
    path = folder / "out.txt"
    path.write_text(text, encoding="utf-8")
    return path, replace(certificate, output=Output("text", hash_of(path)))


RELEASES = {
    "as it was released": (WORDS, set()),
    "documents": (WORDS + "lake pear\n", {"documents"}),
    "one too few": ("lake pear\n", {"documents"}),
    "size": ("lake pear\napple apple river\n", {"size"}),
    "vocabulary": ("lake pear\napple zulu\n", {"vocabulary"}),
    "order": ("lake pear\nriver apple\n", {"order"}),
}


@pytest.mark.parametrize(("text", "wrong"), RELEASES.values(), ids=RELEASES)
def test_each_line_of_a_release_is_looked_at(certificate, vocabulary, tmp_path, text, wrong):
    path, stated = released(tmp_path, certificate, text)
    found = checks(stated, vocabulary, path)

    assert {name for name, check in found.items() if not check.holds} == wrong
    assert list(found)[4:] == ["hash", "documents", "size", "vocabulary", "order"]


def test_another_byte_is_another_release(certificate, vocabulary, tmp_path):
    path, stated = released(tmp_path, certificate, WORDS)
    path.write_text(WORDS.rstrip("\n"), encoding="utf-8")
    found = checks(stated, vocabulary, path)

    assert [check.name for check in found.values() if not check.holds] == ["hash"]


def lines(*records):
    return "".join(json.dumps(each) + "\n" for each in records)


FORM = {"size", "vocabulary", "order"}  # what a record with another field meets none of
RECORDS = {
    "as it was released": (({"text": "lake pear"}, {"text": "apple river"}), set()),
    "numbered": (({"id": 1, "text": "lake pear"}, {"id": 2, "text": "apple river"}), set()),
    "an id that was not stated": (
        ({"key": 1, "text": "lake pear"}, {"id": 2, "text": "apple river"}),
        FORM,
    ),
    "a field that was not stated": (
        ({"text": "lake pear", "topic": "sea"}, {"text": "apple river"}),
        FORM,
    ),
    "another name": (({"words": "lake pear"}, {"text": "apple river"}), FORM),
}


@pytest.mark.parametrize(("records", "wrong"), RECORDS.values(), ids=RECORDS)
def test_a_record_holds_what_was_stated_and_no_more(
    certificate, vocabulary, tmp_path, records, wrong
):
    (path := tmp_path / "out.jsonl").write_text(lines(*records), encoding="utf-8")
    stated = replace(certificate, id_field="id", output=Output("jsonl", hash_of(path)))
    found = checks(stated, vocabulary, path)

    assert {name for name, check in found.items() if not check.holds} == wrong


def test_a_frame_is_known_by_its_words_whatever_it_was_saved_as(certificate, vocabulary, tmp_path):
    stated = replace(certificate, output=Output("frame", sha256(WORDS.encode()).hexdigest()))
    records = [{"poem": each} for each in WORDS.splitlines()]
    for name, text in (("out.jsonl", lines(*records)), ("out.txt", WORDS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert all(check.holds for check in checks(stated, vocabulary, tmp_path / name).values())
    (tmp_path / "two.jsonl").write_text(lines(*records[::-1]), encoding="utf-8")
    assert not checks(stated, vocabulary, tmp_path / "two.jsonl")["hash"].holds


@pytest.mark.parametrize("kind", ["jsonl", "frame"])
def test_a_release_that_cannot_be_read_is_no_release(certificate, vocabulary, tmp_path, kind):
    (path := tmp_path / "out.jsonl").write_text(lines({"text": "lake pear"}) + "{", "utf-8")
    found = checks(replace(certificate, output=Output(kind, "0" * 64)), vocabulary, path)

    assert found["documents"].found == "cannot be read to the end"
    assert {name for name, check in found.items() if not check.holds} == {"hash", "documents"}
    assert "order" not in found


def test_the_mark_of_a_seeded_release_is_no_document(certificate, vocabulary, tmp_path):
    path, stated = released(tmp_path, certificate, "# NOT PRIVATE: seeded\n" + WORDS)
    for seeded, documents in ((True, "2 found"), (False, "3 found, the certificate says 2")):
        found = checks(replace(stated, seeded=seeded), vocabulary, path)
        assert found["documents"].found == documents


def test_words_in_place_of_numbers_are_no_settings(certificate):
    forged = replace(certificate, mechanism="mahalanobis", settings={"mu": "rain", "t": 0.5})
    right = replace(forged, settings={"mu": 0.5})

    assert recipe_of(forged, None, None).settings == {}
    assert recipe_of(right, None, None).settings == {"mu": 0.5}
