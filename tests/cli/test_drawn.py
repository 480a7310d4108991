"""`obfuscate --max-per-author`: some documents of each author, and not a word on the others."""

import json
import signal
import subprocess
from collections import Counter

import pytest

from nomdeplume import Ledger
from tests.cli.conftest import COMMAND, environment
from tests.waiting import PATIENCE, stopping, until_stopped

TABLE = "rain 1 0\nharbour 0 1\nbread 2 2\nsnow 1 3\nlake 3 1\nriver 4 4\n"
SMALL = ["--table", "t.txt", "--language", "en", "--size", "5", "--epsilon", "2"]  # E = 10
TWO = ["--max-per-author", "2", "--author-field", "author"]
AUTHORS = [f"Vorplique {n % 5}" for n in range(40)] + ["Zyx"]


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "t.txt").write_text(TABLE)

    def write(authors=AUTHORS, name="in.jsonl"):
        rows = [{"id": n, "author": a, "text": "rain snow"} for n, a in enumerate(authors)]
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    write()
    return write


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def by_author(found, authors=AUTHORS):
    return Counter(authors[each["id"]] for each in found)


FIVE_AND_ONE = {**{f"Vorplique {n}": 2 for n in range(5)}, "Zyx": 1}


@pytest.mark.parametrize("more", [[], ["--workers", "2"], ["--odds", "20"]])
def test_as_many_documents_of_each_author_come_out(run, corpus, tmp_path, more):
    how = more if "--odds" in more else [*SMALL, *more]
    run("obfuscate", "in.jsonl", "-o", "o.jsonl", *how, *TWO, "--keep", "id")
    found = read(tmp_path / "o.jsonl")

    assert by_author(found) == FIVE_AND_ONE
    assert [each["id"] for each in found] == sorted(each["id"] for each in found)


def test_those_left_out_leave_no_trace(run, corpus, tmp_path):
    done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *TWO, "--withheld", "list")
    said = " ".join(done.stderr.decode().split())

    assert [each["id"] for each in read(tmp_path / "o.jsonl")] == list(range(1, 12))
    assert "Released 11 documents of 5 words to o.jsonl" in said
    assert "at most 2 of each author." in said
    assert "At most 2 documents of each author were released, drawn secretly" in said
    assert not (tmp_path / "list").read_text()
    assert "41" not in said
    assert not list(tmp_path.glob(".o*"))
    certificate = (tmp_path / "o.jsonl.certificate.json").read_text()
    assert "41" not in json.dumps(json.loads(certificate)["documents"])
    assert json.loads(certificate)["max_per_author"] == 2
    run("certificate", "o.jsonl.certificate.json", "--table", "t.txt", "--release", "o.jsonl",
        "--language", "en")  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_every_kind_of_records_is_read_twice(run, corpus, tmp_path, kind):
    public = ["--epsilon", "1e6", "--keep", "author", "--keep", "id"]  # a copy of the input
    run("obfuscate", "in.jsonl", "-o", f"in.{kind}", *SMALL[:-2], *public)
    run("obfuscate", f"in.{kind}", "-o", "o.jsonl", *SMALL, *TWO, "--keep", "id")
    found = [{"id": int(each["id"])} for each in read(tmp_path / "o.jsonl")]

    assert by_author(found) == FIVE_AND_ONE


def test_the_choice_is_secret_unless_there_is_a_seed(run, corpus, tmp_path):
    asked = ["obfuscate", "in.jsonl", *SMALL, *TWO, "--keep", "id", "--certificate", "c", "--force"]
    seeded = [run(*asked, "--seed", seed).stdout for seed in ("1", "1", "2")]
    secret = {tuple(json.loads(line)["id"] for line in run(*asked).stdout.splitlines())
              for _ in "ab"}  # fmt: skip

    assert seeded[0] == seeded[1]
    assert [json.loads(x)["id"] for x in seeded[0].splitlines()] != [
        json.loads(x)["id"] for x in seeded[2].splitlines()
    ]
    assert len(secret) == 2  # of 28^5 choices


def test_those_left_out_cost_nothing(run, corpus, tmp_path):
    charged = ["--ledger", "l", "--limit", "20"]
    run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *TWO, *charged, "--keep", "id")
    found = [each["id"] for each in read(tmp_path / "o.jsonl")]

    with Ledger.reading(tmp_path / "l") as ledger:
        assert ledger.overall().releases == 11
        assert {n for n in range(41) if ledger.spent(ledger.claims.by_id(n)).releases} == set(found)
        assert ledger.spent(ledger.claims.by_author("Vorplique 3")).budget == 20
        assert ledger.spent(ledger.claims.by_author("Zyx")).budget == 10


def test_a_text_without_an_author_is_withheld(run, corpus, tmp_path):
    corpus(["Ann", " ", "Ann", "Ann"])
    done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *TWO, code=4).stderr.decode()

    assert "line 2: withheld: no value in field 'author'." in done
    assert "1 text withheld." in " ".join(done.split())
    assert len(read(tmp_path / "o.jsonl")) == 2
    strict = run("obfuscate", "in.jsonl", "-o", "s.jsonl", *SMALL, *TWO, "--strict", code=2)
    assert b"line 2: no value in field 'author'" in strict.stderr


WRONG = {
    "none": (["--max-per-author", "0", *TWO[2:]], "--max-per-author must be a whole number"),
    "no author": (["--max-per-author", "2"], "name it: --author-field"),
    "no such field": ([*TWO[:-1], "autor"], "no field 'autor'"),
    "units": ([*TWO, "--unit-field", "author"], "--unit-field releases one document of each"),
    "the text": ([*TWO[:-1], "text"], "field 'text' is the private text"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_is_refused_and_nothing_written(run, corpus, tmp_path, case):
    more, said = case
    charged = ["--ledger", "l", "--limit", "20"]
    done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *more, *charged, code=2)

    assert said in " ".join(done.stderr.decode().split())
    assert not list(tmp_path.glob("*o.jsonl*"))


def test_a_pipe_cannot_be_read_twice(run, corpus, tmp_path):
    charged = ["--ledger", "l", "--limit", "20"]
    given = (tmp_path / "in.jsonl").read_bytes()
    done = run("obfuscate", "-", *SMALL, *TWO, *charged, stdin=given, code=2)

    assert b"name files in place of a pipe" in done.stderr
    assert not (tmp_path / "l").exists()


def killed(tmp_path, *arguments):
    """A run that is killed when 300 of its documents were released."""
    command = [str(COMMAND), "obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *arguments]
    env = environment(tmp_path) | stopping(tmp_path, "nomdeplume.formats.spool:Spool.add", 300)
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, env=env)
    until_stopped(process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)


def test_a_run_that_is_resumed_draws_the_same(run, corpus, tmp_path):
    authors = [f"Vorplique {n % 1000}" for n in range(3000)]
    corpus(authors)
    asked = ["--max-per-author", "1", "--author-field", "author", "--keep", "id"]
    asked += ["--allow-identifying-ids"]  # an author has a number that is an id too
    killed(tmp_path, *asked)
    lines = (tmp_path / ".o.jsonl.resume").read_text().splitlines()
    kept = [json.loads(line)[0] - 1 for line in lines if line[0] == "["]
    other = ["--max-per-author", "2", *asked[2:], "--resume"]
    done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *other, code=2)
    assert b"other inputs or options" in done.stderr
    run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *asked, "--resume")
    found = read(tmp_path / "o.jsonl")

    assert len(kept) > 100
    assert set(kept) < {each["id"] for each in found}
    assert set(by_author(found, authors).values()) == {1}
    assert len(found) == 1000
