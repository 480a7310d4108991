"""`nomdeplume evaluate`: reports, results, resumption, releases of others; nothing leaks."""

import csv
import json
import os
import re
import signal
import stat
import subprocess

import pytest

from nomdeplume import InputError
from nomdeplume.cli.main import cli
from nomdeplume.evaluate.store import read
from tests.cli.conftest import COMMAND
from tests.evaluation_world import corpus, table
from tests.waiting import PATIENCE, stopping, until_stopped

CANARY = "zzcanaryzz"  # in every text, and no word of the table


@pytest.fixture
def evaluate(run, tmp_path):
    """The small world as files: a table, and a corpus in JSONL with a canary in every text."""
    world, made = table(), corpus(each=8)
    rows = [
        f"{word} {' '.join(f'{x:.4f}' for x in vector)}"
        for word, vector in zip(world.words, world.vectors, strict=True)
    ]
    (tmp_path / "t.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    records = [
        {
            "id": i,
            "text": f"{text} {CANARY}",
            "author": made.author.names[made.author.codes[i]],
            "topic": made.topic.names[made.topic.codes[i]],
            "thread": f"t{i // 2}",
        }
        for i, text in enumerate(made.texts)
    ]
    lines = [json.dumps(record) for record in records]
    (tmp_path / "c.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (tmp_path / "c.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, records[0])
        writer.writeheader()
        writer.writerows(records)

    odd = (tmp_path / "c.csv").read_text(encoding="utf-8").replace("\n1", "\n1.0")
    (tmp_path / "odd.csv").write_text(odd, encoding="utf-8")

    def evaluate(*arguments, **more):
        given = WORLD if "--released" in arguments else SMALL
        return run("evaluate", *given, *arguments, **more)

    return evaluate


WORLD = ("--table", "t.txt", "--stop-words", "none", "--folds", "4")
SMALL = (*WORLD, "--size", "20", "--draws", "2")
STORED = "nomdeplume.evaluate.store:Store.add"  # once for each part


def results(tmp_path, name="r.json"):
    return json.loads((tmp_path / name).read_text(encoding="utf-8"))["results"]


def test_a_report_and_all_figures(evaluate, tmp_path):
    done = evaluate(
        "c.jsonl", "--mechanism", "laplace,exponential/rank", "--epsilon", "0.5,3", "-o", "r.html"
    )
    found, said = results(tmp_path), done.stdout.decode()
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    titles = [cell["title"] for cell in found["cells"]]
    assert titles == ["laplace"] * 2 + ["exponential, decoded by rank"] * 2
    assert [cell["budget"] for cell in found["cells"]] == [10, 60, 10, 60]
    assert found["corpus"]["documents"] == 48
    assert set(found["cells"][0]["attackers"]) == {
        "word-svm", "mean-lda", "cosine-delta", "informed", "ensemble",
    }  # fmt: skip
    assert re.search(r"\nclean .*\nlaplace +0\.5 +20 +10 ", said)
    flat = " ".join(said.split())
    assert "is named right among 6, where chance is 17 %; from 5 documents of one author" in flat
    assert re.search(r"for \S+ % .* of single documents and \S+ %.* from 5 of one author", flat)
    assert "laplace" in page
    for file in ("r.json", "r.html"):
        assert stat.S_IMODE((tmp_path / file).stat().st_mode) == 0o600


def test_no_word_of_a_text_that_was_not_released_is_anywhere(evaluate, tmp_path):
    done = evaluate("c.jsonl", "--epsilon", "3", "--attackers", "full", "-o", "r.html")
    written = b"".join(
        path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name[0] not in "cot"
    )

    assert len(written) > 10_000
    assert CANARY.encode() not in written + done.stdout + done.stderr
    assert not list((tmp_path / "tmp").iterdir())


def test_a_seed_repeats_the_results_and_marks_them(evaluate, tmp_path):
    for name in ("a.json", "b.json"):
        evaluate("c.csv", "--epsilon", "3", "--seed", "4", "--results", name, "--quiet")
    one, other = results(tmp_path, "a.json"), results(tmp_path, "b.json")
    for each in (one, other):
        each["cells"][0].pop("seconds")

    assert one == other
    assert one["cells"][0]["not_private"]
    assert any("not private" in sentence for sentence in one["summary"]["caveats"])


def test_a_killed_run_goes_on_where_it_was(evaluate, tmp_path):
    """Killed for good after the first parts; the second run does only what is missing."""
    ask = ["evaluate", "c.jsonl", "--epsilon", "0.5,1,2,3", "-o", "r.html", *SMALL]
    running = subprocess.Popen(
        [str(COMMAND), *ask],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), **stopping(tmp_path, STORED, 2)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until_stopped(running)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = read(tmp_path / "r.json")
    evaluate("c.jsonl", "--epsilon", "0.5,1,2,3", "-o", "r.html")
    after = read(tmp_path / "r.json")

    assert (before.complete, after.complete) == (False, True)
    assert len(before.parts.keys) == 2
    assert after.results.clean == before.parts.clean
    assert after.results.cells[:1] == tuple(before.parts.cells.values())


def test_what_lacks_a_label_is_left_out_and_told(evaluate, tmp_path):
    with (tmp_path / "c.jsonl").open("a") as file:
        file.write('{"id": 99, "text": "aaalo", "topic": "sea"}\n')
    done = evaluate("c.jsonl", "--mechanism", "none", "--attackers", "informed", code=4)

    assert b"1 text left out: without a label" in done.stderr


def test_interrupted_it_says_how_to_go_on(evaluate, tmp_path):
    ask = ["evaluate", "c.jsonl", "--epsilon", "0.5,1,2,3", "--results", "r.json", *SMALL]
    env = os.environ | stopping(tmp_path, STORED, 1)
    running = subprocess.Popen([str(COMMAND), *ask], cwd=tmp_path, env=env, stderr=subprocess.PIPE)
    until_stopped(running)
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGCONT)
    said = running.communicate(timeout=PATIENCE)[1].decode()

    assert running.returncode == 130
    assert "r.json holds what was finished: run this again to go on" in said


def test_releases_of_others_are_judged(evaluate, run, tmp_path):
    """Made by obfuscate as by anybody: shuffled, told by their ids."""
    run(
        "obfuscate",
        "c.jsonl",
        "-o",
        "theirs.jsonl",
        "--epsilon",
        "3",
        *WORLD[:4],
        "--size",
        "20",
        "--quiet",
        "--keep",
        "id",
        "--allow-identifying-ids",
    )
    lines = (tmp_path / "theirs.jsonl").read_text().splitlines()
    (tmp_path / "theirs.jsonl").write_text("\n".join(lines[::-1]) + "\n")
    evaluate("--released", "theirs.jsonl", "--original", "c.jsonl", "-o", "r.html")
    [cell] = results(tmp_path)["cells"]
    ours = cell["attackers"]["ensemble"]["adaptive"]["accuracy"]["1"]

    assert (cell["mechanism"], cell["epsilon"], cell["promise"]) == ("released elsewhere", None, [])
    assert ours["value"] > 2 / 6  # by order they would be mixed up
    assert cell["topic"]["release_to_release"]["vectors"]["accuracy"]["value"] > 0.9


def test_releases_that_do_not_match_are_refused(evaluate, tmp_path):
    (tmp_path / "few.jsonl").write_text('{"text": "aaalo"}\n{"text": "baalo"}\n')
    done = evaluate("--released", "few.jsonl", "--original", "c.jsonl", code=2)

    assert b"few.jsonl holds 2 documents and the originals are 48" in done.stderr


def test_authors_only_topics_only_and_groups(evaluate, tmp_path):
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    for name, field in (("a", "author"), ("b", "topic")):
        kept = [
            {"text": line["text"], field: line[field], "thread": line["thread"]} for line in lines
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in kept))
        evaluate(
            f"{name}.jsonl",
            "--mechanism",
            "none",
            "--results",
            f"{name}.json",
            "-o",
            f"{name}.html",
        )
    authors, topics = results(tmp_path, "a.json"), results(tmp_path, "b.json")
    evaluate("c.jsonl", "--group-field", "thread", "--mechanism", "none", "--results", "g.json")

    assert authors["clean"]["topic"] is None
    assert set(authors["clean"]["attackers"]) > {"word-svm", "informed"}
    assert topics["floors"] is None
    assert topics["clean"]["topic"]["words"]["accuracy"]["value"] > 0.9
    assert results(tmp_path, "g.json")["protocol"]["split"].startswith("4 folds by field 'thread'")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a corpus"),
        (("c.jsonl", "--epsilon", "six"), "must be numbers between commas"),
        (("c.jsonl", "--epsilon", "3", "--budget", "60"), "not both"),
        (("c.jsonl", "--mechanism", "magic"), "mechanism must be one of"),
        (("c.jsonl", "--attackers", "nobody"), "no attacker 'nobody'"),
        (("c.jsonl", "--author-field", "writer"), "no field 'writer' in the input"),
        (("c.jsonl", "--min-documents", "9"), "at least 9 texts each"),
        (("c.jsonl", "-o", "r.pdf"), "a report is an .html file"),
        (("c.jsonl", "--folds", "1"), "folds must be at least 2"),
        (("c.jsonl", "--epsilon", "-1"), "epsilon must be"),
        (("c.jsonl", "--released", "c.csv"), "belong together"),
        (("c.jsonl", "--size", ","), "at least one size"),
        (("--released", "c.csv", "--original", "c.jsonl", "--seed", "1"), "made elsewhere"),
        (("--released", "odd.csv", "--original", "c.jsonl"), "not the same ones"),
    ],
)
def test_what_does_not_go_is_said_in_one_line(evaluate, arguments, said, tmp_path, monkeypatch):
    """In this process, which has scikit-learn loaded already: the refusal is the command's own."""
    monkeypatch.chdir(tmp_path)
    given = WORLD if "--released" in arguments else SMALL
    with pytest.raises(InputError) as caught:
        cli(["evaluate", *given, *arguments], standalone_mode=False)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert CANARY not in str(caught.value)


def test_a_refusal_is_one_line_and_exit_code_2(evaluate):
    done = evaluate("c.jsonl", "--attackers", "nobody", code=2)

    assert done.stderr.decode().startswith("nomdeplume: no attacker 'nobody'; there are fast,")
    assert done.stderr.count(b"\n") == 1
