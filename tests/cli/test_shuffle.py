"""Stand-ins without order on the command line: what comes out, what is stated, what is refused."""

import csv
import json
import os
import subprocess
from collections import Counter
from math import log

import pyarrow.parquet as pq
import pytest

from nomdeplume import Certificate, Ledger, Obfuscator
from nomdeplume.library import Library
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.random import KEYED, SECURE
from nomdeplume.privacy.shuffled import Blanket
from nomdeplume.privacy.verify import verify
from nomdeplume.vocabulary import Vocabulary
from tests.cli.conftest import COMMAND, environment
from tests.waiting import PATIENCE, stopping, until_stopped

SHIPPED = Library.shipped("en")
ASK = ["obfuscate", "posts.jsonl", "--odds", "20", "--shuffle"]


def written(folder, authors, name="posts.jsonl"):
    posts = [
        {"id": f"p{n}", "author": author, "text": f"The dough rests {n} hours, Vorplique."}
        for n, author in enumerate(authors)
    ]
    text = "".join(f"{json.dumps(each)}\n" for each in posts)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def posts(tmp_path):
    """Twelve texts of six authors, and forty texts of as many authors."""
    written(tmp_path, [f"Vorplique{n % 6}" for n in range(12)])
    written(tmp_path, [f"Vorplique{n}" for n in range(40)], "single.jsonl")


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def said_by(done):
    return " ".join(done.stderr.decode().split())


def test_only_texts_come_out_in_alphabetical_order(run, tmp_path, posts):
    done = run(*ASK, "--unit-field", "author", "-o", "out.jsonl")

    found = lines(tmp_path / "out.jsonl")
    texts = [each["text"] for each in found]
    assert [set(each) for each in found] == [{"text", "standin"}] * 6
    assert texts == sorted(texts)
    assert set(texts) <= set(SHIPPED.texts)
    assert "more than 20 to 1" in said_by(done)
    assert "6 texts, each of another author" in said_by(done)
    assert "not hidden" not in said_by(done)


def test_the_certificate_states_both_figures_and_is_checked(run, tmp_path, posts):
    ask = ["obfuscate", "single.jsonl", "--odds", "20", "--shuffle", "--author-field", "author"]
    run(*ask, "-o", "out.jsonl")
    stated = json.loads((tmp_path / "out.jsonl.certificate.json").read_text(encoding="utf-8"))
    done = run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl")
    said = " ".join(done.stdout.decode().split())

    loss = Blanket(len(SHIPPED), stated["settings"]["best"], 20).loss(40, 1e-6)
    assert stated["shuffled"]["delta"] == 1e-6
    assert stated["shuffled"]["loss"] == pytest.approx(loss)
    assert (stated["documents"], stated["id_field"], stated["kept_fields"]) == (40, "", [])
    assert stated["promises"][0]["odds"][0]["loss"] == pytest.approx(log(20))
    assert "more than 20 to 1" in said
    assert stated["shuffled"]["sentence"] in said
    assert "40 of 40 in alphabetical order" in said


LIES = {
    "loss": lambda c: c["shuffled"].update(loss=0.9 * c["shuffled"]["loss"]),
    "delta": lambda c: c["shuffled"].update(delta=1e-7),
    "no delta": lambda c: c["shuffled"].update(delta=0.0),
    "negative": lambda c: c["shuffled"].update(loss=-1.0),
    "sentence": lambda c: c["shuffled"].update(sentence="Nothing is lost."),
    "documents": lambda c: c.update(documents=10**9),
    "numbers": lambda c: c.update(id_field="id"),
    "authors": lambda c: c.update(unit_field=""),
    "not shuffled": lambda c: c.update(shuffled=None),
    "a permanent draw": lambda c: c.update(generator=KEYED),
    "too large a delta": lambda c: c["shuffled"].update(delta=0.01),
    "another mechanism": lambda c: c.update(mechanism="laplace"),
}


@pytest.fixture(scope="module")
def stated(bundled):
    """The certificate of 40 shuffled stand-ins."""
    system = Obfuscator.standin(bundled, odds=20)
    output = Output("jsonl", "0" * 64)
    return system.certify(SECURE, 40, output, unit_field="author", delta=1e-6)


@pytest.mark.parametrize("lie", LIES)
def test_a_certificate_that_states_what_does_not_hold_is_found_out(stated, bundled, lie):
    data = json.loads(stated.to_json())
    LIES[lie](data)
    forged = Certificate.from_json(json.dumps(data))

    for certificate, holds in ((stated, True), (forged, False)):
        checks = verify(certificate, Vocabulary.of(bundled), None)
        assert {each.name: each.holds for each in checks}["statements"] is holds


def test_another_order_is_found_out(run, tmp_path, posts):
    run(*ASK[:1], "single.jsonl", *ASK[2:], "--unit-field", "author", "-o", "out.jsonl")
    path = tmp_path / "out.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines(path)[::-1]))
    done = run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl", code=3)

    assert "order" in said_by(done)


@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.jsonl.gz"])
def test_no_kind_of_output_has_numbers_or_fields(run, tmp_path, posts, output):
    run(*ASK, "--unit-field", "author", "-o", output)
    if output == "out.csv":
        with (tmp_path / output).open(encoding="utf-8") as file:
            assert next(csv.reader(file)) == ["text", "standin"]
    if output == "out.parquet":
        assert pq.read_table(tmp_path / output).column_names == ["text", "standin"]
    run("certificate", f"{output}.certificate.json", "--release", output)


def test_a_folder_of_letters_becomes_a_folder(run, tmp_path):
    (tmp_path / "letters").mkdir()
    for name in ("ann", "bob", "eve"):
        (tmp_path / "letters" / f"{name}.txt").write_text("The dough rests.", encoding="utf-8")
    run("obfuscate", "letters", "--odds", "20", "--shuffle", "--unit-field", "name", "-o", "out")

    found = sorted((tmp_path / "out").iterdir())
    texts = [path.read_text(encoding="utf-8").strip() for path in found]
    assert [path.name for path in found] == [f"document-000{n}.txt" for n in (1, 2, 3)]
    assert texts == sorted(texts)
    run("certificate", "out.certificate.json", "--release", "out")


def test_nothing_is_written_to_a_pipe_before_all_is_there(run, tmp_path, posts):
    """A text of an author who had one already ends the run, which has then written nothing."""
    done = run(*ASK, "--author-field", "author", code=3)

    assert done.stdout == b""
    assert "release them as one with --unit-field" in said_by(done)
    assert "Vorplique" not in said_by(done)
    found = [json.loads(line) for line in run(*ASK, "--unit-field", "author").stdout.splitlines()]
    assert len(found) == 6


def test_an_author_with_two_texts_is_refused_before_anything_is_charged(run, tmp_path, posts):
    charged = ["--author-field", "author", "--ledger", "l", "--limit", "9", "-o", "out.jsonl"]
    run(*ASK, *charged, code=3)

    assert not (tmp_path / "out.jsonl").exists()
    with Ledger(tmp_path / "l") as ledger:
        assert ledger.runs() == []


@pytest.mark.parametrize("values", [(7, "7.0"), ("Jos\u00e9", "Jose\u0301"), (7, 7.0)])
def test_authors_are_told_apart_as_in_a_ledger(run, tmp_path, values):
    records = [{"text": "The dough rests.", "author": value} for value in values]
    text = "".join(f"{json.dumps(each)}\n" for each in records)
    (tmp_path / "two.jsonl").write_text(text, encoding="utf-8")
    ask = ["obfuscate", "two.jsonl", "--odds", "20", "--shuffle", "-o", "out.jsonl"]
    run(*ask, "--author-field", "author", code=3)
    run(*ask, "--unit-field", "author")

    assert len(lines(tmp_path / "out.jsonl")) == 1


def test_a_ledger_is_charged_the_odds_of_each_document(run, tmp_path, posts):
    charged = ["--author-field", "author", "--ledger", "l", "--limit", "9", "-o", "out.jsonl"]
    run(*ASK[:1], "single.jsonl", *ASK[2:], *charged)

    with Ledger(tmp_path / "l") as ledger:
        spent = ledger.spent(ledger.claims.by_author("Vorplique3")).budget
    assert spent == pytest.approx(log(20), abs=1e-4)


def test_a_wished_delta_is_stated(run, tmp_path, posts):
    run(*ASK, "--unit-field", "author", "--delta", "0.001", "-o", "out.jsonl")
    stated = json.loads((tmp_path / "out.jsonl.certificate.json").read_text(encoding="utf-8"))

    assert stated["shuffled"]["delta"] == 0.001
    assert stated["shuffled"]["loss"] < log(20)
    run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl")


def test_a_run_without_shuffle_states_no_such_figure(run, tmp_path, posts):
    run("obfuscate", "posts.jsonl", "--odds", "20", "--unit-field", "author", "-o", "out.jsonl")
    stated = json.loads((tmp_path / "out.jsonl.certificate.json").read_text(encoding="utf-8"))

    assert stated["shuffled"] is None
    assert "their order" in stated["limits"][-1]


def test_counts_of_fields_are_estimated_from_shuffled_texts(run, posts):
    run(*ASK, "--unit-field", "author", "-o", "out.jsonl")
    told = json.loads(run("library", "counts", "out.jsonl", "--json").stdout)

    assert sum(each["released"] for each in told) == 6


def test_a_seeded_release_says_that_it_is_not_private(run, tmp_path, posts):
    run(*ASK, "--unit-field", "author", "--seed", "1", "-o", "out.jsonl")

    assert all("NOT PRIVATE" in each["warning"] for each in lines(tmp_path / "out.jsonl"))
    run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "one document for each author"),
        (["--unit-field", "author", "--keep", "author"], "--keep author: --shuffle"),
        (["--unit-field", "author", "--keep", "id"], "--keep id: --shuffle"),
        (["--unit-field", "id", "--author-field", "author"], "must be the same"),
        (["--unit-field", "author", "--delta", "0"], "delta must be"),
        (["--unit-field", "author", "--delta", "1"], "delta must be"),
        (["--unit-field", "author", "--delta", "0.06"], "delta must be at most 0.1 / "),
        (["--unit-field", "author", "--vectors"], "no mean"),
        (["--author-field", "author", "--engine", "pool"], "without --engine"),
        (["--author-field", "author", "--max-per-author", "1"], "take --unit-field"),
        (["--unit-field", "author", "--ledger", "l", "--permanent"], "about one release"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(run, tmp_path, posts, more, said):
    assert said in said_by(run(*ASK, *more, "-o", "o.jsonl", code=2))
    assert not (tmp_path / "o.jsonl").exists()


def test_words_cannot_be_shuffled(run, posts):
    ask = ["obfuscate", "posts.jsonl", "--unit-field", "author", "-o", "o.jsonl"]

    for mechanism in ("mean", "laplace"):
        done = run(*ask, "--mechanism", mechanism, "--shuffle", code=2)
        assert f"such as standin, got {mechanism}" in said_by(done)
    assert "--delta is about --shuffle" in said_by(run(*ask, "--delta", "0.1", code=2))


def test_a_killed_run_is_resumed(run, tmp_path, posts):
    ask = ["obfuscate", "single.jsonl", "--odds", "20", "--shuffle", "--author-field", "author"]
    env = environment(tmp_path)
    stops = stopping(tmp_path, "nomdeplume.formats.writing:SortedSink.write", 38)
    paths = [stops["PYTHONPATH"], os.environ.get("PYTHONPATH", "")]
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    process = subprocess.Popen([COMMAND, *ask, "-o", "out.jsonl"], cwd=tmp_path, env=env)
    until_stopped(process)
    process.kill()
    process.wait(PATIENCE)
    spool = tmp_path / ".out.jsonl.resume"
    before = [json.loads(line)[1] for line in spool.read_text().splitlines() if line[0] == "["][:5]
    shuffled = run(*ask, "-o", "out.jsonl", "--resume")

    texts = [each["text"] for each in lines(tmp_path / "out.jsonl")]
    assert "by the run that was interrupted" in said_by(shuffled)
    assert texts == sorted(texts)
    assert len(texts) == 40
    assert len(before) == 5
    assert not Counter(before) - Counter(texts)
    assert not spool.exists()
