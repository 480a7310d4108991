"""Worker processes through the installed command: real processes, real kills."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.cli.test_obfuscate import BROKEN, lines, on_a_terminal
from tests.waiting import PATIENCE, ended, until

TEXT = "The harbour was closed in winter; boats waited, and fishermen mended nets by the fire."
TABLE = "winter 0 0\nsummer 9 0\nspring 5 5\nrain 0 9\nsnow 9 9\n"  # which is quick
WITH = ["--table", "table.txt"]
WORKERS = ["--keep", "id", "--epsilon", "6", "--workers", "2"]
SURE = [*WITH, "--epsilon", "10000", "--reduction", "apportion", "--size", "60"]
NUMBERS = [f"{tens} {ones}" for tens in ("winter", "summer", "spring") for ones in ("rain", "snow")]


@pytest.fixture(autouse=True)
def _table(tmp_path):
    (tmp_path / "table.txt").write_text(TABLE, encoding="utf-8")


@pytest.fixture
def corpus(tmp_path):
    """Records whose words tell which they are, if there is no noise."""

    def write(count, name="in.jsonl"):
        records = [
            {"id": i, "text": NUMBERS[i % 6] + " the" * (i % 3), "topic": f"t{i % 5}", "x": "no"}
            for i in range(count)
        ]
        content = "".join(f"{json.dumps(each)}\n" for each in records)
        (tmp_path / name).write_text(content, encoding="utf-8")

    return write


def expected(i):
    return " ".join(word for word in sorted(NUMBERS[i % 6].split()) for _ in range(30))


def test_documents_are_those_of_a_run_without_workers(run, tmp_path, corpus):
    corpus(900)
    told = [
        run("obfuscate", "in.jsonl", "-o", name, "--keep", "topic", *SURE, *workers).stderr
        for name, workers in (("solo.jsonl", []), ("team.jsonl", ["--workers", "2"]))
    ]
    here, there = (lines(tmp_path / name) for name in ("solo.jsonl", "team.jsonl"))

    assert here == there
    assert [record["text"] for record in there] == [expected(i) for i in range(900)]
    assert told[0].replace(b"solo", b"team") == told[1]
    run("certificate", "team.jsonl.certificate.json", "--release", "team.jsonl", *WITH)
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl.gz"])
def test_all_formats_and_vectors(run, tmp_path, corpus, name):
    corpus(40)
    run("obfuscate", "in.jsonl", "-o", name, "--vectors", *WITH, "--workers", "1")
    run("certificate", f"{name}.certificate.json", "--release", name, *WITH)

    assert (tmp_path / name).stat().st_size > 100


def test_a_seed_gives_the_same_for_any_number_of_workers(run, corpus):
    corpus(600)
    made = {
        run("obfuscate", "in.jsonl", "--seed", "3", *WITH, "--workers", n).stdout
        for n in ("1", "2", "3")
    }

    assert len(made) == 1
    assert b"NOT PRIVATE" in made.pop()


def test_what_is_withheld_is_the_same(run, tmp_path):
    records = [*BROKEN, b'{"id": 10, "text": "?!"}', b'{"id": 11, "text": "snow"}']
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(records))
    for name, workers in (("here", []), ("there", ["--workers", "2"])):
        arguments = ["-o", f"{name}.jsonl", "--withheld", f"{name}.txt", "--empty", "withhold"]
        arguments += ["--keep", "id", "--size", "9"]
        run("obfuscate", "in.jsonl", *arguments, *WITH, *workers, code=4)
    here, there = (
        sorted((tmp_path / f"{n}.txt").read_text().splitlines()) for n in ("here", "there")
    )

    assert here == there
    assert "line 10: withheld: no kept words." in there
    assert [each["id"] for each in lines(tmp_path / "there.jsonl")] == [1, 9, 11]
    run("obfuscate", "in.jsonl", "-o", "x.jsonl", "--strict", *WITH, "--workers", "2", code=2)
    assert not list(tmp_path.glob("*x.jsonl*"))


def test_texts_without_words_are_counted(run, corpus, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "!"}\n{"id": 2, "text": "rain"}\n')
    here, there = (
        run("obfuscate", "in.jsonl", "-o", "out.jsonl", "--force", *WITH, *more).stderr
        for more in ([], ["--workers", "1"])
    )

    assert here == there


def test_units_are_released_by_workers(run, tmp_path, corpus):
    corpus(60)
    arguments = ["--unit-field", "topic", "--keep", "topic", *SURE]
    run("obfuscate", "in.jsonl", "-o", "here.jsonl", *arguments)
    run("obfuscate", "in.jsonl", "-o", "there.jsonl", *arguments, "--workers", "2")

    assert lines(tmp_path / "here.jsonl") == lines(tmp_path / "there.jsonl")
    assert len(lines(tmp_path / "there.jsonl")) == 5


def test_progress_shows_with_workers(tmp_path, corpus):
    corpus(600)

    shown = on_a_terminal(tmp_path, "in.jsonl", "-o", "out.jsonl", *WITH, "--workers", "2")
    assert "documents," in shown


@pytest.mark.parametrize("workers", ["0", "-2", "1025", "two", "1.5"])
def test_impossible_numbers_of_workers_are_refused(run, corpus, workers):
    corpus(3)

    assert b"workers" in run("obfuscate", "in.jsonl", "--workers", workers, code=2).stderr


@pytest.fixture
def running(tmp_path):
    """A run under way: the command and two workers, fed through a pipe that stays open."""
    (tmp_path / "tmp").mkdir(exist_ok=True)
    begun = []

    def begin(*arguments):
        process = subprocess.Popen(
            [COMMAND, "obfuscate", "-", "--workers", "2", *SURE, *arguments],
            cwd=tmp_path,
            env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        begun.append(process)
        feed(process, range(2000))
        return process

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def feed(process, numbers):
    for i in numbers:
        process.stdin.write(json.dumps({"id": i, "text": NUMBERS[i % 6]}).encode() + b"\n")
    process.stdin.flush()


def children(process):
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in listed.split()]


def test_killed_workers_are_replaced_and_every_document_comes_once(running, tmp_path):
    process, killed = running("-o", "out.jsonl"), []
    for number in (2000, 4000, 6000):
        # The oldest: the youngest may still be starting, and three such deaths end a run
        victim = until(lambda: [pid for pid in children(process) if pid not in killed])[0]
        killed.append(victim)
        os.kill(victim, signal.SIGKILL)
        feed(process, range(number, number + 2000))
    _, told = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0, told
    assert [(each["id"], each["text"]) for each in lines(tmp_path / "out.jsonl")] == [
        (i + 1, expected(i)) for i in range(8000)
    ]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_ends_no_worker_and_no_file_stays(running, tmp_path, sent):
    process = running("-o", "out.jsonl")
    workers = until(lambda: len(children(process)) == 2 and children(process))
    until(lambda: list(tmp_path.glob(".out.jsonl.*")))
    process.send_signal(sent)
    _, told = process.communicate(timeout=PATIENCE)
    until(lambda: all(map(ended, workers)))

    assert process.returncode == (130 if sent != signal.SIGKILL else -9)
    assert b"Traceback" not in told
    assert list((tmp_path / "tmp").iterdir()) == []
    if sent != signal.SIGKILL:
        assert told.strip() == b"nomdeplume: interrupted; no file was written."
        assert {path.name for path in tmp_path.iterdir()} == {"tmp", "table.txt"}


def test_control_c_reaches_the_command_alone(running, tmp_path):
    """A terminal sends it to a whole group of processes, which each worker leaves as it starts."""
    process = running("-o", "out.jsonl")
    workers = until(lambda: len(children(process)) == 2 and children(process))

    assert until(lambda: os.getpgid(process.pid) not in {os.getpgid(pid) for pid in workers})


def test_a_reader_that_stops_early_is_no_error(tmp_path, corpus):
    corpus(4000)
    done = subprocess.run(
        f"{COMMAND} obfuscate in.jsonl --table table.txt --quiet --workers 2 | head -n 1",
        shell=True, cwd=tmp_path, capture_output=True, check=True,
    )  # fmt: skip

    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == b""


BUG = """
import sys, os, signal
from nomdeplume.vocabulary import Vocabulary
bag = Vocabulary.bag

def broken(self, text):
    if "zyxoquant" in text:
        FAULT
    return bag(self, text)

Vocabulary.bag = broken
"""


ERROR, DEATH = "return {}[text]", "os.kill(os.getpid(), signal.SIGSEGV)"


@pytest.mark.parametrize(("fault", "texts"), [(ERROR, "one"), (ERROR, "all"), (DEATH, "one")])
def test_a_document_that_spoils_its_batch_is_left_out_by_position(tmp_path, fault, texts):
    """A bug of ours that a text trips over; if all texts do, it is not they that are at fault."""
    (tmp_path / "site").mkdir()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(BUG.replace("FAULT", fault))
    spoilt = {97} if texts == "one" else set(range(200))
    records = [{"id": i, "text": "rain zyxoquant" if i in spoilt else TEXT} for i in range(200)]
    content = "".join(f"{json.dumps(each)}\n" for each in records)
    done = subprocess.run(
        [COMMAND, "obfuscate", "-", "-o", "out.jsonl", *WITH, *WORKERS],
        cwd=tmp_path, input=content.encode(), capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip

    assert b"zyxoquant" not in done.stdout + done.stderr
    left = {path.name for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    left -= {"site", "sitecustomize.py", "table.txt", "tmp"}
    if texts == "one":
        assert done.returncode == 4
        assert b"line 98: withheld: it could not be released, tried by itself twice." in done.stderr
        assert left == {"out.jsonl", "out.jsonl.certificate.json"}
        released = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
        assert [each["id"] for each in released] == [i for i in range(200) if i != 97]
    else:
        assert done.returncode == 1
        assert b"8 documents of one batch could not be released: " in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert not left
