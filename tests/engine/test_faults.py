"""Workers and drivers that are killed at any time: every document once, and never uncharged."""

import signal

import pytest

from tests.engine.conftest import document, released, shards
from tests.engine.faults import LEDGER, PUBLISHED, begun, check_whole, children, end
from tests.waiting import PATIENCE, stopping, until_stopped

POOL = ["--engine", "pool", "--workers", "2"]
BUG = """
import os, signal
from nomdeplume.vocabulary import Vocabulary
bag = Vocabulary.bag

def broken(self, text):
    if "poison" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    return bag(self, text)

Vocabulary.bag = broken
"""
UNREADABLE = """
from nomdeplume.engine.run import Run
from nomdeplume.errors import InputError
usual = Run._records

def failing(self, shard):
    if shard.number == 2:
        raise InputError("shard 2 cannot be read just now.")
    return usual(self, shard)

Run._records = failing
"""


@pytest.mark.parametrize("after", [1, 5])
def test_a_killed_driver_goes_on(tmp_path, table_file, after):
    shards(tmp_path / "in", count=8, each=60)
    process = begun(tmp_path, *POOL, *LEDGER, **stopping(tmp_path, PUBLISHED, after))
    until_stopped(process)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out/_SUCCESS").exists()
    assert all(len(each["text"].split()) == 5 for each in released(tmp_path / "out"))

    again = begun(tmp_path, *POOL, *LEDGER, "--resume")
    said = again.communicate(timeout=PATIENCE)[1].decode()
    assert again.returncode == 0, said
    check_whole(tmp_path, said, 480)


def test_a_killed_worker_is_replaced(tmp_path, table_file):
    shards(tmp_path / "in", count=8, each=200)
    process = begun(tmp_path, *POOL, *LEDGER, **stopping(tmp_path, PUBLISHED, 1, 3))
    for _ in range(2):
        until_stopped(process)
        [worker, *_] = children(process.pid)
        end(worker)
        process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 0, said
    check_whole(tmp_path, said, 1600)


def test_a_whole_run_that_is_killed_goes_on(tmp_path, table_file):
    shards(tmp_path / "in", count=8, each=60)
    said = ""
    for resume, after in (([], 1), (["--resume"], 2)):
        place = stopping(tmp_path, PUBLISHED, after)
        process = begun(tmp_path, *POOL, *LEDGER, *resume, **place)
        until_stopped(process)
        for pid in (*children(process.pid), process.pid):
            end(pid)
        said += process.communicate()[1].decode()
    again = begun(tmp_path, *POOL, *LEDGER, "--resume")
    said += again.communicate(timeout=PATIENCE)[1].decode()
    assert again.returncode == 0, said
    check_whole(tmp_path, said, 480)


def test_two_runs_cannot_write_one_output(tmp_path, table_file):
    shards(tmp_path / "in")
    first = begun(tmp_path, *POOL, **stopping(tmp_path, PUBLISHED, 1))
    until_stopped(first)
    second = begun(tmp_path, *POOL, "--resume")
    said = second.communicate(timeout=PATIENCE)[1].decode()
    assert second.returncode == 2
    assert "another run is writing this output" in said
    first.kill()
    first.communicate()


def test_a_poisonous_document_is_isolated_by_position(tmp_path, table_file):
    """It ends every process that touches it."""

    def change(record):
        return {**record, "text": f"poison {record['text']}"} if record["id"] == 77 else record

    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(BUG)
    shards(tmp_path / "in", change=change)
    process = begun(tmp_path, *POOL, PYTHONPATH=str(tmp_path / "site"))
    said = process.communicate(timeout=PATIENCE)[1].decode()

    assert process.returncode == 4, said
    assert "row 38: withheld: it could not be released, tried by itself twice." in said
    ids = sorted(each["id"] for each in released(tmp_path / "out"))
    assert ids == [i for i in range(160) if i != 77]
    assert document(77)["text"] not in said


def test_a_shard_whose_ids_the_driver_cannot_check_is_not_released(tmp_path, table_file):
    """Though a worker could read it."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(UNREADABLE)
    shards(tmp_path / "in", count=3)
    process = begun(tmp_path, *POOL, PYTHONPATH=str(tmp_path / "site"))
    said = process.communicate(timeout=PATIENCE)[1].decode()

    assert process.returncode == 2
    assert "shard 2 cannot be read just now." in said
    assert {each["id"] // 40 for each in released(tmp_path / "out")} == {0, 2}
