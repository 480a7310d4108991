"""A real Spark on this machine, with Java 17."""

import pytest

from tests.engine.on_engine import alike, asked


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return asked("spark", cwd=tmp_path_factory.mktemp("spark"))


def test_only_what_is_asked_for_comes_out(told):
    assert told["columns"] == ["id", "text"]
    assert told["ids"] == [0, 2]


def test_kept_ids_that_tell_who_wrote_a_text_are_refused(told):
    assert told["refused"].startswith(
        "row 1: the id in field 'id' contains the value of its author"
    )
    assert "Ann" not in told["refused"]
    assert told["allowed"] == ["Ann0", "Ann1"]


def test_the_guide_shows_how(told):
    [row] = told["shown"]
    assert row["id"] == 1
    assert len(row["body"].split()) == 100


def test_releases_are_as_those_of_one_process(told):
    assert alike(told["words"])


def test_standins_are_those_of_one_process(told):
    assert told["stand-ins"] is True


def test_no_two_workers_share_a_stream(told):
    assert told["repeated"] == 0
    assert told["repeated if shared"] > 100


def test_partitions_are_charged_before_they_are_released(told):
    first, second = told["charged"]

    assert first == list(range(20))
    assert second == list(range(20, 30))
    assert told["documents"] == 30


def test_private_rows_are_let_go_and_nobody_elses(told):
    """What is kept: the user's own cache, and what was released."""
    assert told["kept"] == 2


def test_what_cannot_be_charged_is_refused(told):
    assert told["no id"].startswith("on Spark documents are charged by their id")
    assert told["no ledger"].startswith("id and author are for a ledger")
