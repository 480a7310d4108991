"""`obfuscate --ledger` and `nomdeplume ledger`: charged first, refused at the limit, resumed."""

import csv
import json
import os
import signal
import subprocess
import sys

import pytest

from nomdeplume import Ledger, Table
from nomdeplume.distance import word_mover
from tests.cli.conftest import COMMAND, environment
from tests.waiting import PATIENCE, stopping, until_stopped

TABLE = "rain 1 0\nharbour 0 1\nbread 2 2\nsnow 1 3\nlake 3 1\nriver 4 4\n"
SMALL = ["--table", "t.txt", "--language", "en", "--size", "5", "--epsilon", "2"]  # E = 10
IDS = ("--keep", "id")


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "t.txt").write_text(TABLE)

    def write(count=6, name="in.jsonl", **more):
        rows = [
            {"id": n, "author": f"Vorplique {n % 2}", "text": "rain harbour snow", **more}
            for n in range(count)
        ]
        lines = [json.dumps({k: v for k, v in row.items() if v is not None}) for row in rows]
        (tmp_path / name).write_text("\n".join(lines) + "\n")

    write()
    return write


def records(tmp_path, name):
    return [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]


def released(tmp_path, name):
    return [each["id"] for each in records(tmp_path, name)]


def obfuscated(run, out, *more, code=0, ledger=("--ledger", "a.ledger"), given="in.jsonl", ids=IDS):
    kept = () if "--unit-field" in more else ids
    return run("obfuscate", given, "-o", out, *SMALL, *ledger, *kept, *more, code=code)


def test_the_second_release_is_charged_and_the_third_refused(run, corpus, tmp_path):
    said = obfuscated(run, "1.jsonl", "--limit", "20").stderr.decode()
    assert "Charged to a.ledger: E = 10 a document, within 20 for each document." in said
    obfuscated(run, "2.jsonl")
    done = obfuscated(run, "3.jsonl", code=3)

    assert done.stderr.decode().endswith(
        "all 6 have no room left under the limit of the ledger. Nothing was written.\n"
    )
    assert not list(tmp_path.glob("*3.jsonl*"))
    assert not list(tmp_path.glob(".*"))


def test_documents_with_room_come_out_and_the_others_are_named_by_place(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "10")
    corpus(8)
    done = obfuscated(run, "2.jsonl", code=3)

    assert released(tmp_path, "2.jsonl") == [6, 7]
    assert "line 6: withheld: no room left" in done.stderr.decode()
    assert "6 had no room left and were refused" in " ".join(done.stderr.decode().split())


def test_strict_stops_at_the_first_without_room(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "10")
    corpus(8)
    done = obfuscated(run, "2.jsonl", "--strict", code=3)

    assert b"line 1: no room left" in done.stderr
    assert not list(tmp_path.glob("*2.jsonl*"))
    with Ledger.reading(tmp_path / "a.ledger") as ledger:
        assert ledger.overall().releases == 6  # 6 and 7 have spent nothing


def test_authors_add_up_and_stay_inside(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "20", "--author-field", "author", code=3)

    assert released(tmp_path, "1.jsonl") == [0, 1, 2, 3]  # two of each
    assert all(set(each) == {"id", "text"} for each in records(tmp_path, "1.jsonl"))
    assert json.loads((tmp_path / "1.jsonl.certificate.json").read_text())["kept_fields"] == ["id"]
    shown = run("ledger", "show", "a.ledger", "--author", "Vorplique 1", "--json").stdout
    assert json.loads(shown)["author"]["spent"] == 20


def test_a_ledger_without_authors_states_no_balance_of_one(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "20")

    asked = run("ledger", "show", "a.ledger", "--author", "Vorplique 1", code=2)
    assert b"this ledger charged no authors; release with --author-field" in asked.stderr
    assert not asked.stdout
    shown = run("ledger", "show", "a.ledger").stdout.decode()
    assert "a.ledger: a document may spend E = 20." in shown
    assert "This ledger charged no authors" in shown

    obfuscated(run, "2.jsonl", "--author-field", "author", code=3)  # room for two of each author
    shown = run("ledger", "show", "a.ledger", "--author", "Vorplique 1").stdout.decode()
    assert "a.ledger: a document or an author may spend E = 20." in shown
    assert "charged no authors" not in shown


def test_a_unit_is_charged_to_its_author_and_all_its_texts(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "20", "--unit-field", "author")
    with Ledger.reading(tmp_path / "a.ledger") as ledger:
        assert [s.releases for _, s in ledger.accounts(authors=True)] == [1, 1]
        assert [s.releases for _, s in ledger.accounts(authors=False)] == [1] * 6
    obfuscated(run, "2.jsonl", "--unit-field", "author")  # there is room for one more
    obfuscated(run, "3.jsonl", "--unit-field", "author", code=3)


def test_units_and_documents_do_not_share_a_ledger(run, corpus, tmp_path):
    """A change that does not move the bag of a text can move that of its unit."""
    corpus(2, author="x")
    obfuscated(run, "1.jsonl", "--limit", "20", "--unit-field", "author")
    said = obfuscated(run, "2.jsonl", "--author-field", "author", code=3).stderr.decode()

    assert "this ledger counts in distances between units' bags of kept words" in said
    table = Table(["rain", "garden"], [[0.0], [1.0]])
    rain, more, unit, grown = (
        table.vectors[table.ids(text.split())]
        for text in ("rain", "rain " * 9, "rain garden", "rain " * 9 + "garden")
    )
    assert word_mover(rain, more) == 0
    assert word_mover(unit, grown) > 0.39


def test_a_text_without_an_author_cannot_be_charged(run, corpus, tmp_path):
    corpus(2, author=None)
    done = obfuscated(run, "o.jsonl", "--limit", "20", "--author-field", "author", code=2)
    assert b"no field 'author'" in done.stderr
    corpus(2, author=" ")
    done = obfuscated(run, "o.jsonl", "--limit", "20", "--author-field", "author", code=4)
    assert b"no value in field 'author'" in done.stderr


def test_ids_that_stay_inside_are_charged(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "10", ids=())
    assert {key for each in records(tmp_path, "1.jsonl") for key in each} == {"id", "text"}
    assert released(tmp_path, "1.jsonl") == [1, 2, 3, 4, 5, 6]  # from 0 on in the input
    obfuscated(run, "2.jsonl", code=3)


@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
def test_texts_without_ids_are_known_by_their_words(run, corpus, tmp_path, more):
    (tmp_path / "a.txt").write_text("Rain, harbour.")
    (tmp_path / "b.txt").write_text("the HARBOUR and rain")  # the same kept words
    (tmp_path / "c.txt").write_text("rain rain harbour")
    obfuscated(run, "1.txt", "--limit", "10", *more, given="a.txt", ids=())
    obfuscated(run, "2.txt", *more, given="c.txt", ids=())
    done = obfuscated(run, "3.txt", *more, given="b.txt", ids=(), code=3)
    assert b"no room left" in done.stderr
    (tmp_path / "d.txt").write_text("nothing known")
    for name in ("4.txt", "5.txt"):
        obfuscated(run, name, *more, given="d.txt", ids=())


def test_standard_output_is_charged_too(run, corpus):
    arguments = ["obfuscate", "in.jsonl", *SMALL, "--ledger", "a.ledger", "--limit", "10"]
    assert run(*arguments).stdout.count(b"\n") == 6
    assert run(*arguments, code=3).stdout == b""


WRONG = {
    "a limit without a ledger": (["--limit", "1"], 2, "name one: --ledger"),
    "an author without a ledger": (["--author-field", "author"], 2, "name one: --ledger"),
    "no limit to begin with": (["--ledger", "a.ledger"], 2, "--limit E to begin one"),
    "a limit of nothing": (["--ledger", "a.ledger", "--limit", "0"], 2, "above 0"),
    "a limit that is none": (["--ledger", "a.ledger", "--limit", "nan"], 2, "above 0"),
    "a limit without end": (["--ledger", "a.ledger", "--limit", "inf"], 2, "above 0"),
    "a limit too large": (["--ledger", "a.ledger", "--limit", "1e300"], 2, "up to 1e"),
    "a seed": (["--ledger", "a.ledger", "--limit", "9", "--seed", "1"], 2, "not private"),
    "no folder": (["--ledger", "no/a.ledger", "--limit", "9"], 2, "make it first"),
    "a folder": (["--ledger", ".", "--limit", "9"], 2, "is a directory"),
    "no ledger at all": (["--ledger", "t.txt", "--limit", "9"], 2, "not a ledger"),
    "less than one release": (["--ledger", "a.ledger", "--limit", "9"], 3, "no room left"),
    "nothing to resume it from": (["--resume", "--seed", "1"], 2, "--resume needs"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_refused_and_nothing_written(run, corpus, tmp_path, case):
    arguments, code, said = case
    done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *arguments, code=code)

    assert said in " ".join(done.stderr.decode().split())
    assert not list(tmp_path.glob("*o.jsonl*"))


def test_a_damaged_ledger_releases_nothing(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "20")
    path = tmp_path / "a.ledger"
    for content in (path.read_bytes()[:5000], b"", b"SQLite format 3\0" + bytes(9000)):
        path.write_bytes(content)
        obfuscated(run, "2.jsonl", code=3)
        run("ledger", "show", "a.ledger", code=3)
    assert not list(tmp_path.glob("*2.jsonl*"))


def test_show_check_export_and_limit(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "20", "--author-field", "author", code=3)

    shown = run("ledger", "show", "a.ledger").stdout.decode()
    assert "documents, most of 4" in shown
    assert "authors, most of 2" in shown
    assert "2 authors can spend no more." in shown
    facts = json.loads(run("ledger", "show", "a.ledger", "--by", "authors", "--json").stdout)
    assert facts["overall"]["spent"] == 40
    assert facts["authors"] == {
        "accounts": 2,
        "at_the_limit": 2,
        "most": facts["authors"]["most"],
    }
    assert [entry["releases"] for entry in facts["top"]] == [2, 2]
    assert facts["overall"]["loss_at_delta"] < facts["overall"]["loss"]
    assert b"sound. 4 documents and 2 authors" in run("ledger", "check", "a.ledger").stdout
    rows = list(csv.DictReader(run("ledger", "export", "a.ledger").stdout.decode().splitlines()))
    assert [row["kind"] for row in rows] == ["document"] * 4 + ["author"] * 2
    run("ledger", "export", "a.ledger", "-o", "all.json")
    assert len(json.loads((tmp_path / "all.json").read_text())) == 6
    assert (tmp_path / "all.json").stat().st_mode & 0o077 == 0
    assert b"limit E = 40, it was 20" in run("ledger", "limit", "a.ledger", "40").stdout
    assert b"the limit was 20." in run("ledger", "show", "a.ledger").stdout
    obfuscated(run, "2.jsonl", "--author-field", "author", code=3)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show", "none"], 2),
        (["check", "t.txt"], 2),
        (["limit", "none", "4"], 2),
        (["limit", "a.ledger", "nan"], 2),
        (["export", "a.ledger", "-o", "x.xlsx"], 2),
        (["show", "a.ledger", "--author", " "], 2),
        (["show", "a.ledger", "--delta", "0"], 2),
    ],
)
def test_questions_that_have_no_answer(run, corpus, arguments, code):
    obfuscated(run, "1.jsonl", "--limit", "20")
    assert run("ledger", *arguments, code=code).stderr


def interrupted(tmp_path, *arguments, with_signal=signal.SIGKILL):
    """A run that is ended when 600 of its documents were released; what it said."""
    rows = [json.dumps({"id": n, "text": "rain snow"}) for n in range(6_000)]
    (tmp_path / "in.jsonl").write_text("\n".join(rows) + "\n")
    command = [str(COMMAND), "obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *arguments]
    (tmp_path / "tmp").mkdir(exist_ok=True)
    env = environment(tmp_path) | stopping(tmp_path, "nomdeplume.formats.spool:Spool.add", 600)
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, env=env)
    until_stopped(process)
    process.send_signal(with_signal)
    process.send_signal(signal.SIGCONT)
    return process.communicate(timeout=PATIENCE)[1].decode()


def test_a_killed_run_is_resumed(run, corpus, tmp_path):
    charged = [*IDS, "--ledger", "a.ledger", "--limit", "30"]
    interrupted(tmp_path, *charged)
    assert not (tmp_path / "o.jsonl").exists()
    assert (tmp_path / ".o.jsonl.resume").stat().st_mode & 0o077 == 0
    lines = (tmp_path / ".o.jsonl.resume").read_text().splitlines()
    kept = [line for line in lines if line[0] == "["][:5]
    done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *charged, "--resume")

    assert "charged and not written before the run was interrupted; charged again" in (
        done.stderr.decode()
    )
    assert "by the run that was interrupted" in " ".join(done.stderr.decode().split())
    found = records(tmp_path, "o.jsonl")
    assert [each["id"] for each in found] == list(range(6_000))
    assert [each["text"] for each in found[:5]] == [json.loads(line)[1] for line in kept]
    run("certificate", "o.jsonl.certificate.json", "--table", "t.txt", "--language", "en",
        "--release", "o.jsonl")  # fmt: skip
    assert not list(tmp_path.glob(".o*"))


def test_ctrl_c_says_how_to_go_on(run, corpus, tmp_path):
    said = interrupted(tmp_path, with_signal=signal.SIGINT)

    assert "interrupted; no file was written. What was released so far is kept: --resume" in said
    assert [path.name for path in tmp_path.glob(".o*")] == [".o.jsonl.resume"]
    said = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, "--quiet").stderr.decode()
    assert "this one starts over" in said


def test_only_the_same_run_is_resumed(run, corpus, tmp_path):
    interrupted(tmp_path)
    resume = ["obfuscate", "in.jsonl", "-o", "o.jsonl", "--resume", "--quiet"]
    others = [
        [*SMALL[:-1], "3"],
        [*SMALL, "--keep", "id"],
        [*SMALL, "--ledger", "b", "--limit", "99"],
    ]
    for other in others:
        assert b"other inputs or options" in run(*resume, *other, code=2).stderr
    (tmp_path / "t.txt").write_text(TABLE.replace(" 4", " 40"))  # the same words elsewhere
    assert b"other inputs or options" in run(*resume, *SMALL, code=2).stderr
    (tmp_path / "t.txt").write_text(TABLE)
    os.utime(tmp_path / "in.jsonl")
    assert b"other inputs or options" in run(*resume, *SMALL, code=2).stderr
    assert (tmp_path / ".o.jsonl.resume").exists()


def test_nothing_to_resume_begins(run, corpus, tmp_path):
    said = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, "--resume").stderr
    assert b"nothing to resume; starting from the beginning" in said
    assert len(released(tmp_path, "o.jsonl")) == 6


def test_two_runs_do_not_write_one_output(run, corpus, tmp_path):
    import fcntl

    (tmp_path / ".o.jsonl.resume").touch(0o600)
    with (tmp_path / ".o.jsonl.resume").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, code=2)
    assert b"another run is writing this output" in done.stderr
    assert not (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize(("ids", "first"), [(IDS, 0), ((), 1)])
def test_a_torn_spool_is_read_as_far_as_it_is_whole(run, corpus, tmp_path, ids, first):
    interrupted(tmp_path, *ids)
    spool = tmp_path / ".o.jsonl.resume"
    lines = spool.read_bytes().splitlines(keepends=True)[:40]
    spool.write_bytes(b"".join(lines) + b'[38, "rain sn' + bytes(50))
    run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *ids, "--resume")
    assert released(tmp_path, "o.jsonl") == list(range(first, first + 6_000))


def test_a_document_that_gets_room_keeps_its_place(run, corpus, tmp_path):
    """Refused at first, released when the limit is raised: between those that were before."""
    (tmp_path / "one.jsonl").write_text(json.dumps({"id": 3, "text": "rain"}))
    charged = [*IDS, "--ledger", "a.ledger", "--limit", "10"]
    obfuscated(run, "0.jsonl", "--limit", "10", given="one.jsonl")
    interrupted(tmp_path, *charged)
    run("ledger", "limit", "a.ledger", "30")
    again = ["obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *IDS, "--ledger", "a.ledger"]
    run(*again, "--resume", "--quiet")
    assert released(tmp_path, "o.jsonl") == list(range(6_000))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--withheld", "a.ledger", "--force"],
        ["--withheld", "a.ledger.key", "--force"],
        ["--withheld", "in.jsonl", "--force"],
        ["--certificate", "a.ledger", "--force"],
    ],
)
def test_nothing_is_written_over_a_ledger_or_an_input(run, corpus, tmp_path, arguments):
    obfuscated(run, "1.jsonl", "--limit", "20")
    names = ("a.ledger", "a.ledger.key", "in.jsonl")
    before = [(tmp_path / name).read_bytes() for name in names]
    obfuscated(run, "2.jsonl", *arguments, code=2)
    assert [(tmp_path / name).read_bytes() for name in names] == before


def test_an_export_is_not_written_over_its_ledger(run, corpus, tmp_path):
    obfuscated(run, "1.jsonl", "--limit", "20")
    before = (tmp_path / "a.ledger").read_bytes()
    for name in ("a.ledger", "a.ledger.key"):
        run("ledger", "export", "a.ledger", "-o", name, "--to", "csv", "--force", code=2)
    assert (tmp_path / "a.ledger").read_bytes() == before


def test_a_ledger_among_the_texts_is_refused(run, corpus, tmp_path):
    """It would be opened and closed as a text, which drops the locks on it."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("rain")
    charged = ("--ledger", "texts/a.ledger", "--limit", "20")
    obfuscated(run, "o", ledger=charged, given="texts", ids=(), code=2)
    assert not (tmp_path / "o").exists()


def test_what_is_no_longer_offered_does_not_stop_the_rest(run, corpus, tmp_path):
    """Workers make bags, so that empty texts are in the spool; else they are not offered."""
    interrupted(tmp_path)
    spool = tmp_path / ".o.jsonl.resume"
    lines = spool.read_bytes().splitlines(keepends=True)
    kept = [json.loads(line)[1] for line in lines if line[:1] == b"["]
    spool.write_bytes(b"".join([*lines[:2], b'[0, "rain", null, true]\n', *lines[2:]]))
    spool.write_bytes(spool.read_bytes().replace(b"[0, ", b"[1, ", 1))  # a number that comes twice
    run("obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, "--resume", "--quiet")
    found = [each["text"] for each in records(tmp_path, "o.jsonl")]
    assert found[5 : len(kept)] == kept[5:]


def test_what_was_charged_in_vain_is_said_whatever_ended_the_run(run, corpus, tmp_path):
    rows = [json.dumps({"id": n, "text": "rain"}) for n in range(600)]
    (tmp_path / "in.jsonl").write_text("\n".join([*rows, "{broken"]) + "\n")
    obfuscated(run, "o.jsonl", "--limit", "20", "--strict", code=2)
    rows += [json.dumps({"id": 600, "text": "rain"})]
    done = obfuscated(run, "o.jsonl", "--strict", "--resume", code=2)
    assert b"charged and not written before the run was interrupted" in done.stderr


def test_a_run_that_ended_unheard_is_complete(run, corpus, tmp_path):
    """Killed between the appearance of its output and its own end."""
    corpus(8)
    (tmp_path / "one.jsonl").write_text(json.dumps({"id": 3, "text": "rain"}))
    obfuscated(run, "0.jsonl", "--limit", "10", given="one.jsonl")
    plant = "import os, nomdeplume.formats.spool as s; s.Spool.remove = lambda _: os._exit(9)"
    arguments = ["obfuscate", "in.jsonl", "-o", "o.jsonl", *SMALL, *IDS, "--ledger", "a.ledger"]
    code = f"import sys; {plant}; sys.argv = {['nomdeplume', *arguments]!r}; " + (
        "from nomdeplume.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 9
    other = ["--epsilon", "1", "--ledger", "a.ledger", "--resume"]
    run(*arguments[:4], *SMALL[:-2], *other, code=2)
    done = run(*arguments, "--resume", code=3)  # one had no room
    assert b"complete already" in done.stderr
    assert released(tmp_path, "o.jsonl") == [0, 1, 2, 4, 5, 6, 7]


def test_a_list_of_another_run_is_left_alone(run, corpus, tmp_path):
    (tmp_path / "list").write_text("of somebody")
    (tmp_path / ".list.0123abcd.partial").write_text("somebody's")
    obfuscated(run, "o.jsonl", "--limit", "20", "--withheld", "list", "--resume", code=2)
    obfuscated(run, "p.jsonl", "--limit", "20", "--withheld", "list2")
    assert (tmp_path / "list").read_text() == "of somebody"
    assert (tmp_path / ".list.0123abcd.partial").exists()
