"""Workers and drivers that are killed at any time: every document once, and never uncharged."""

import os
import re
import signal
import subprocess
import time
from collections import Counter

import pytest

from nomdeplume import Ledger
from tests.cli.conftest import COMMAND, environment
from tests.engine.conftest import CANARY, WITH, document, released, shards

POOL = ["--engine", "pool", "--workers", "2"]
LEDGER = ["--ledger", "l", "--limit", "1e6"]
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


def begun(tmp_path, *arguments, **more):
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [str(COMMAND), "obfuscate", "in", "-o", "out", *WITH, *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment(tmp_path) | more,
        process_group=0,
    )


def children(pid):
    """Of a process, theirs included."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, check=False
    )
    pids = [int(each) for each in found.stdout.split()]
    return pids + [inner for each in pids for inner in children(each)]


def wait_for(tmp_path, shards_done, process):
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("part-*"))) < shards_done:
        assert time.monotonic() < deadline
        if process.poll() is not None:
            return
        time.sleep(0.002)


def check_whole(tmp_path, said, documents):
    """All documents once, each charged, and once more if that was said to be in vain."""
    ids = Counter(each["id"] for each in released(tmp_path / "out"))
    assert ids == Counter(range(documents))
    assert (tmp_path / "out/_SUCCESS").exists()
    assert not list((tmp_path / "out").glob(".*"))
    vain = sum(
        int(n.replace(",", "")) for n in re.findall(r"([\d,]+) documents? w\w+ charged", said)
    )
    with Ledger(tmp_path / "l") as ledger:
        assert sum(documents for _, _, documents in ledger.runs()) == documents + vain
    outside = [p for p in tmp_path.rglob("*") if p.is_file() and p.parent.name != "in"]
    assert CANARY not in said
    assert not [p for p in outside if CANARY.encode() in p.read_bytes()]


@pytest.mark.parametrize("after", [0, 2, 5])
def test_a_killed_driver_goes_on(tmp_path, table_file, after):
    shards(tmp_path / "in", count=8, each=60)
    process = begun(tmp_path, *POOL, *LEDGER)
    wait_for(tmp_path, after, process)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out/_SUCCESS").exists()
    assert all(len(each["text"].split()) == 5 for each in released(tmp_path / "out"))

    again = begun(tmp_path, *POOL, *LEDGER, "--resume")
    said = again.communicate(timeout=60)[1].decode()
    assert again.returncode == 0, said
    check_whole(tmp_path, said, 480)


def test_a_killed_worker_is_replaced(tmp_path, table_file):
    shards(tmp_path / "in", count=8, each=200)
    process = begun(tmp_path, *POOL, *LEDGER)
    for count in (1, 3):
        wait_for(tmp_path, count, process)
        for worker in children(process.pid)[:1]:
            os.kill(worker, signal.SIGKILL)
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 0, said
    check_whole(tmp_path, said, 1600)


def test_a_whole_run_that_is_killed_goes_on(tmp_path, table_file):
    shards(tmp_path / "in", count=8, each=60)
    said = ""
    for after in (1, 3):
        resume = ["--resume"] if after > 1 else []
        process = begun(tmp_path, *POOL, *LEDGER, *resume)
        wait_for(tmp_path, after, process)
        for pid in (*children(process.pid), process.pid):
            os.kill(pid, signal.SIGKILL)
        said += process.communicate()[1].decode()
    again = begun(tmp_path, *POOL, *LEDGER, "--resume")
    said += again.communicate(timeout=60)[1].decode()
    assert again.returncode == 0, said
    check_whole(tmp_path, said, 480)


def test_two_runs_cannot_write_one_output(tmp_path, table_file):
    shards(tmp_path / "in", count=30, each=300)
    first = begun(tmp_path, *POOL)
    wait_for(tmp_path, 1, first)
    second = begun(tmp_path, *POOL, "--resume")
    said = second.communicate(timeout=60)[1].decode()
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
    said = process.communicate(timeout=100)[1].decode()

    assert process.returncode == 4, said
    assert "row 38: withheld: it could not be released, tried by itself twice." in said
    ids = sorted(each["id"] for each in released(tmp_path / "out"))
    assert ids == [i for i in range(160) if i != 77]
    assert document(77)["text"] not in said
