"""`obfuscate --permanent`: the same text released again is the same, and costs nothing more."""

import json
import signal
import subprocess

import pytest

from nomdeplume import Ledger
from tests.cli.conftest import COMMAND, environment
from tests.waiting import PATIENCE, stopping, until_stopped

POSTS = [
    {"id": n, "author": "Ann" if n % 2 else "Bob", "text": f"The dough rests {n} hours, Vorplique."}
    for n in range(12)
]
ASK = ["obfuscate", "posts.jsonl", "--odds", "20", "--permanent", "--ledger", "l", "--limit", "10"]


@pytest.fixture
def write(tmp_path):
    def write(rows=POSTS, name="posts.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")

    write()
    return write


def texts(tmp_path, name):
    return [json.loads(line)["text"] for line in (tmp_path / name).read_text().splitlines()]


def new(done):
    """The number of releases that were charged, as the summary says."""
    said = " ".join(done.stderr.decode().split())
    return int(said.partition(" of these releases")[0].rpartition(" ")[2])


def test_the_second_release_is_the_first_and_costs_nothing(run, write, tmp_path):
    first = run(*ASK, "-o", "1.jsonl")
    again = run(*ASK, "-o", "2.jsonl")
    by_others = run(*ASK, "-o", "3.jsonl", "--workers", "2")
    some = run(*ASK[:1], "some.jsonl", *ASK[2:], code=2)  # no such file

    assert [new(each) for each in (first, again, by_others)] == [12, 0, 0]
    assert texts(tmp_path, "1.jsonl") == texts(tmp_path, "2.jsonl") == texts(tmp_path, "3.jsonl")
    assert len(set(texts(tmp_path, "1.jsonl"))) > 1
    assert b"Vorplique" not in some.stderr
    with Ledger.reading(tmp_path / "l") as ledger:
        assert ledger.overall().releases == 12
        ledger.verify()
    said = run("certificate", "2.jsonl.certificate.json", "--release", "2.jsonl").stdout.decode()
    assert "HMAC-SHA-256 under the key of a ledger" in " ".join(said.split())
    assert "as long as the key stays secret" in " ".join(said.split())


def test_a_new_text_and_other_odds_are_drawn_anew(run, write, tmp_path):
    run(*ASK, "-o", "1.jsonl")
    write([POSTS[3] | {"text": "The goalkeeper dives."}, *POSTS[4:], {"id": 99, "text": "Rain."}])
    changed = run(*ASK, "-o", "2.jsonl")
    write()
    louder = run(*ASK[:3], "21", *ASK[4:], "-o", "3.jsonl")

    assert [new(changed), new(louder)] == [2, 12]
    assert texts(tmp_path, "2.jsonl")[1:9] == texts(tmp_path, "1.jsonl")[4:]
    assert texts(tmp_path, "3.jsonl") != texts(tmp_path, "1.jsonl")


def test_equal_texts_of_two_documents_have_draws_of_their_own(run, write, tmp_path):
    write([{"id": n, "text": "The dough rests."} for n in range(40)])
    run(*ASK, "-o", "1.jsonl")

    assert len(set(texts(tmp_path, "1.jsonl"))) > 1  # all alike: less than 1 in 10^60


def test_a_limit_does_not_stop_what_was_released(run, write, tmp_path):
    run(*ASK[:-1], "3", "-o", "1.jsonl")
    run(*ASK[:-1], "3", "-o", "2.jsonl")
    plain = [each for each in ASK if each != "--permanent"]
    run(*plain[:-1], "3", "-o", "3.jsonl", code=3)

    assert texts(tmp_path, "1.jsonl") == texts(tmp_path, "2.jsonl")


def test_authors_are_charged_once_too(run, write, tmp_path):
    for name in ("1.jsonl", "2.jsonl"):
        run(*ASK[:-1], "20", "--author-field", "author", "-o", name)

    with Ledger.reading(tmp_path / "l") as ledger:
        assert ledger.spent(ledger.claims.by_author("Ann")).releases == 6
    assert texts(tmp_path, "1.jsonl") == texts(tmp_path, "2.jsonl")


def test_units_are_permanent_without_ids(run, write, tmp_path):
    write([{"author": each["author"], "text": "The dough rests."} for each in POSTS])
    done = [run(*ASK, "--unit-field", "author", "-o", name) for name in ("1.jsonl", "2.jsonl")]

    assert [new(each) for each in done] == [2, 0]
    assert texts(tmp_path, "1.jsonl") == texts(tmp_path, "2.jsonl")


def test_a_document_without_an_id_is_withheld(run, write, tmp_path):
    write([{"id": None, "text": "Rain."}, *POSTS])
    done = run(*ASK, "-o", "1.jsonl", code=4)

    assert b"line 1: withheld: no value in field 'id'." in done.stderr
    assert len(texts(tmp_path, "1.jsonl")) == 12


def test_an_id_is_one_document(run, write, tmp_path):
    write([*POSTS, POSTS[3]])
    done = run(*ASK, "-o", "1.jsonl", code=4)

    assert b"line 13: withheld: its id is that of another document." in done.stderr
    assert len(texts(tmp_path, "1.jsonl")) == 12


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--odds", "20"], "needs the key of a ledger"),
        (["--odds", "20", "--ledger", "l", "--limit", "9", "--seed", "1"], "no ledger"),
        (["--mechanism", "mean", "--ledger", "l", "--limit", "9"], "mean has no permanent"),
        (
            [
                "--odds",
                "20",
                "--ledger",
                "l",
                "--limit",
                "9",
                "--max-per-author",
                "1",
                "--author-field",
                "author",
            ],
            "--permanent does not keep its bound",
        ),
        (["--epsilon", "3", "--ledger", "l", "--limit", "999"], "laplace has no permanent"),
    ],
)
def test_what_cannot_be_is_refused(run, write, tmp_path, more, said):
    done = run("obfuscate", "posts.jsonl", "--permanent", *more, "-o", "1.jsonl", code=2)

    assert said in " ".join(done.stderr.decode().split())
    assert not list(tmp_path.glob("*1.jsonl*"))
    assert not (tmp_path / "l").exists()


def test_text_files_have_no_ids(run, tmp_path):
    (tmp_path / "posts.jsonl").mkdir()
    (tmp_path / "posts.jsonl" / "a.txt").write_text("The dough rests.")

    assert b"text files have none" in run(*ASK, "-o", "out", code=2).stderr


def test_a_run_that_is_resumed_charges_nothing_twice(run, write, tmp_path):
    """The limit has room for one release of each document."""
    write([{"id": n, "text": f"The dough rests {n} hours."} for n in range(1500)])
    ask = [*ASK[:-1], "3", "-o", "1.jsonl"]
    env = environment(tmp_path) | stopping(tmp_path, "nomdeplume.formats.spool:Spool.add", 600)
    process = subprocess.Popen([str(COMMAND), *ask], cwd=tmp_path, stderr=subprocess.PIPE, env=env)
    until_stopped(process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    done = run(*ask, "--resume")

    assert b"charged again" not in done.stderr
    assert len(texts(tmp_path, "1.jsonl")) == 1500
    with Ledger.reading(tmp_path / "l") as ledger:
        assert ledger.overall().releases == 1500
