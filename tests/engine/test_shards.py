"""Folders of shards through the command, on the pool: real processes, real files."""

import gzip
import json
import pickle
import shutil
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nomdeplume import Ledger, PlumeError
from nomdeplume.engine import parts
from nomdeplume.engine.desk import Asked, Handing
from nomdeplume.engine.parts import parts_of
from nomdeplume.engine.remote import Remote
from nomdeplume.engine.shards import _compact
from nomdeplume.engine.state import State
from nomdeplume.formats.records import Fields
from tests.engine.conftest import CANARY, WITH, document, released, shards

POOL = ["--engine", "pool", "--workers", "2"]
CUT_OFF = """
import os
from nomdeplume.engine.folders import Local
Local.clear = lambda self: (os.unlink(self.path / "00001.json"), os._exit(9))
"""
HALF = """
import os
from nomdeplume.formats.targets import AtomicFile
publish = AtomicFile.publish
AtomicFile.publish = lambda self: os._exit(9) if self._path.name == "{name}" else publish(self)
"""
COUNTED = """
import nomdeplume.engine.shards as engine
from nomdeplume.engine.folders import Local
engine.IN_MEMORY = 10
reading = Local.reading
def counted(self, name):
    with open("read", "a") as file:
        print(name, file=file)
    return reading(self, name)
Local.reading = counted
"""
WATCHED = """
from nomdeplume.engine.folders import Local
move = Local.move
def watched(self, name, other):
    with open("modes", "a") as file:
        print(f"{(self.path / name).stat().st_mode & 0o777:o}", file=file)
    move(self, name, other)
Local.move = watched
"""


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_every_shard_becomes_a_shard(run, tmp_path, table_file, kind):
    shards(tmp_path / "in", kind=kind)
    said = run("obfuscate", "in", "-o", "out", *WITH, *POOL, "--keep", "topic").stderr.decode()

    out = tmp_path / "out"
    names = [f"part-0000{i}.{kind}" for i in range(1, 5)]
    assert sorted(path.name for path in out.iterdir()) == ["_SUCCESS", "_manifest.json", *names]
    found = released(out)
    assert sorted(each["id"] for each in found) == list(range(160))
    assert set(found[0]) == {"id", "topic", "text"}
    assert all(len(each["text"].split()) == 5 for each in found)
    assert said.startswith("Released 160 documents of 5 words to out")
    outside = [p for p in tmp_path.rglob("*") if p.is_file() and p.parent.name != "in"]
    assert CANARY.encode() not in b"".join(map(Path.read_bytes, outside))


def test_the_manifest_tells_nothing_of_the_input_and_a_private_one_does(run, tmp_path, table_file):
    shards(tmp_path / "in")
    run("obfuscate", "in", "-o", "out", *WITH, *POOL)
    manifest = json.loads((tmp_path / "out/_manifest.json").read_text())
    private = tmp_path / "out.shards.json"

    assert manifest["documents"] == 160
    assert {each["documents"] for each in manifest["shards"]} == {40}
    assert not any(name in json.dumps(manifest) for name in ("z0", "y1", "x2", "w3"))
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    listed = {each["source"]: each["target"] for each in json.loads(private.read_text())["shards"]}
    assert listed["w3.parquet"] == "part-00001.parquet"
    assert not (tmp_path / ".out.resume").exists()


def test_one_certificate_speaks_of_all_shards(run, tmp_path, table_file):
    shards(tmp_path / "in")
    run("obfuscate", "in", "-o", "out", *WITH, *POOL)
    ask = ["certificate", "out.certificate.json", *WITH[:4], "--release", "out"]
    said = run(*ask).stdout.decode()
    assert "✓ shards: all there, as listed" in said
    assert "✓ documents: 160 found" in said

    (tmp_path / "out/_SUCCESS").unlink()
    assert "✗ shards: no empty _SUCCESS among them" in run(*ask, code=3).stdout.decode()
    (tmp_path / "out/_SUCCESS").touch()
    manifest = (tmp_path / "out/_manifest.json").read_text()
    (tmp_path / "out/_manifest.json").write_text(
        manifest.replace('"documents": 40', '"documents": 41')
    )
    assert "✗ shards: _manifest.json lists others" in run(*ask, code=3).stdout.decode()
    (tmp_path / "out/_manifest.json").write_text(manifest)
    (tmp_path / "out/part-00002.parquet").unlink()
    assert "✗ hash" in run(*ask, code=3).stdout.decode()


def test_what_cannot_be_read_is_withheld_by_shard_and_position(run, tmp_path, table_file):
    def change(record):
        return {**record, "text": None} if record["id"] in (41, 90) else record

    shards(tmp_path / "in", kind="jsonl", change=change)
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    said = run(*ask, "--withheld", "list", code=4).stderr.decode()

    assert sorted((tmp_path / "list").read_text().splitlines()) == [
        "shard 2, record 11: withheld: field 'text' is not a string.",
        "shard 3, record 2: withheld: field 'text' is not a string.",
    ]
    assert "Released 158 of 160 documents" in said


def test_a_ledger_is_charged_a_shard_at_a_time_and_refuses(run, tmp_path, table_file):
    shards(tmp_path / "in")
    ask = ["obfuscate", "in", *WITH, *POOL, "--ledger", "l", "--limit", "15"]
    run(*ask, "-o", "one")  # 5 words at ε = 2 cost 10
    with Ledger(tmp_path / "l") as ledger:
        assert [documents for _, _, documents in ledger.runs()] == [160]

    shards(tmp_path / "more", count=5)  # 40 of these are new
    ask[1] = "more"
    said = run(*ask, "-o", "two", code=3).stderr.decode()
    assert sorted(each["id"] for each in released(tmp_path / "two")) == list(range(160, 200))
    assert "160 had no room left and were refused." in " ".join(said.split())
    assert "Nothing" not in said
    run(*ask, "-o", "three", code=3)
    assert released(tmp_path / "three") == []
    assert not (tmp_path / "three/_SUCCESS").exists()


def test_a_shard_is_read_once_with_a_ledger_too(run, tmp_path, table_file, monkeypatch):
    """Also if it is too large to wait in memory until it is charged."""
    shards(tmp_path / "in")
    monkeypatch.setenv("NOMDEPLUME_PLANT", COUNTED)
    run("obfuscate", "in", "-o", "out", *WITH, *POOL, "--ledger", "l", "--limit", "15")

    names = sorted(path.name for path in (tmp_path / "in").iterdir())
    assert sorted((tmp_path / "read").read_text().split()) == names
    assert sorted(each["id"] for each in released(tmp_path / "out")) == list(range(160))


def test_a_part_waits_without_the_batch_that_it_is_a_slice_of(tmp_path):
    """Arrow pickles a slice with all that it is cut from."""
    rows = pa.table({"id": range(20_000), "text": ["rain on the harbour"] * 20_000})
    with pa.ipc.new_file(tmp_path / "a.arrow", rows.schema) as file:
        file.write_table(rows)
    parts = list(parts_of(tmp_path / "a.arrow", "arrow", Fields("text", "id"), "shard 1"))
    sizes = [len(pickle.dumps(_compact(part), protocol=5)) for part in parts]

    assert len(parts) > 10
    assert sum(sizes) < 2 * (tmp_path / "a.arrow").stat().st_size


def test_a_shard_that_cannot_be_read_to_its_end_is_not_charged(run, tmp_path, table_file):
    shards(tmp_path / "in", kind="jsonl")
    first, *_ = sorted((tmp_path / "in").iterdir())
    whole = gzip.compress(first.read_bytes() * 500)  # more than is read at a time
    first.with_suffix(".jsonl.gz").write_bytes(whole[:-100])
    first.unlink()
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL, "--ledger", "l", "--limit", "15"]
    run(*ask, code=2)

    with Ledger(tmp_path / "l") as ledger:
        assert [documents for _, _, documents in ledger.runs()] == [120]


def test_authors_are_charged_and_stay_inside(run, tmp_path, table_file):
    def change(record):
        return {**record, "author": None} if record["id"] == 7 else record

    shards(tmp_path / "in", change=change)
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL, "--ledger", "l", "--limit", "100"]
    run(*ask, "--author-field", "author", "--withheld", "list", code=3)

    found = released(tmp_path / "out")
    assert set(found[0]) == {"id", "text"}
    assert len(found) == 9 * 10  # documents of an author, of which ten have room
    assert "row 8: withheld: no value in field 'author'." in (tmp_path / "list").read_text()


def test_an_interrupted_run_goes_on_with_whole_shards_only(run, tmp_path, table_file):
    shards(tmp_path / "in")
    (tmp_path / "in/v4.parquet").write_bytes(b"PAR1 no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, "--engine", "pool", "--workers", "1"]
    said = run(*ask, code=2).stderr.decode()
    assert "nomdeplume: shard 1 is damaged or cut short; make it again.\n" in said
    assert "shards that are done stay; go on with --resume." in said
    assert not (tmp_path / "out/_SUCCESS").exists()
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("part-*")}
    assert CANARY.encode() not in b"".join(
        path.read_bytes() for path in (tmp_path / ".out.resume").iterdir()
    )

    said = run(*ask, code=2).stderr.decode()  # without --resume nothing is touched
    assert ".out.resume: go on with --resume, or say --force to start over" in said
    pq.write_table(pa.Table.from_pylist([document(500)]), tmp_path / "in/v4.parquet")
    run(*ask, "--resume")

    after = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("part-*")}
    assert sorted(each["id"] for each in released(tmp_path / "out")) == [*range(160), 500]
    assert {name: after[name] for name in before} == before
    assert "the output is complete already" in run(*ask, "--resume").stderr.decode()


SPOIL = {  # what may happen to the output of shard 3, and to its input
    "output is not as it was released": [
        lambda folder: (folder / "out/part-00003.jsonl").write_bytes(b"other"),
        lambda folder: (folder / "out/part-00003.jsonl").unlink(),
    ],
    "input was changed": [
        lambda folder: (folder / "in/y1.jsonl").write_text(
            f"{(folder / 'in/y1.jsonl').read_text()}\n"
        )
    ],
}


@pytest.mark.parametrize(
    ("why", "spoil"), [(why, spoil) for why, each in SPOIL.items() for spoil in each]
)
@pytest.mark.parametrize("more", [(), ("--ledger", "l", "--limit", "1e6")])
@pytest.mark.usefixtures("table_file")
def test_a_shard_is_released_again_only_if_a_ledger_charges_it(run, tmp_path, why, spoil, more):
    shards(tmp_path / "in", kind="jsonl")
    (tmp_path / "in/zz.jsonl").write_bytes(b"\x1f\x8b no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL, *more]
    run(*ask, code=2)
    (tmp_path / "in/zz.jsonl").unlink()
    spoil(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("part-*")}
    said = run(*ask, "--resume", code=0 if more else 3).stderr.decode()

    if more:
        assert f"its {why}; it is released again, after 40 documents before, and 40 are" in said
        with Ledger(tmp_path / "l") as ledger:
            assert sum(documents for _, _, documents in ledger.runs()) == 160 + 40
    else:
        assert f"shard 3: its {why}. Its 40 documents would be released a second" in said
        assert not (tmp_path / "out/_SUCCESS").exists()
        assert {path.name: path.read_bytes() for path in (tmp_path / "out").glob("part-*")} == (
            before
        )


def test_a_changed_shard_stays_as_it_is_if_the_ledger_has_no_room_for_it(run, tmp_path, table_file):
    shards(tmp_path / "in", kind="jsonl")
    (tmp_path / "in/zz.jsonl").write_bytes(b"\x1f\x8b no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL, "--ledger", "l", "--limit", "10"]
    run(*ask, code=2)
    (tmp_path / "in/zz.jsonl").unlink()
    changed = tmp_path / "out/part-00003.jsonl"
    whole = changed.read_bytes()
    changed.write_bytes(whole + b"\n")
    said = run(*ask, "--resume", code=3).stderr.decode()

    assert "shard 3: its output is not as it was released." in said
    assert "the ledger has no room for them; none of them was charged again." in said
    assert "is released again" not in said
    assert changed.read_bytes() == whole + b"\n"
    assert not (tmp_path / "out/_SUCCESS").exists()
    changed.write_bytes(whole)
    run(*ask, "--resume")


def test_an_output_without_a_record_of_its_release_is_refused(run, tmp_path, table_file):
    shards(tmp_path / "in", kind="jsonl")
    (tmp_path / "in/zz.jsonl").write_bytes(b"\x1f\x8b no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    run(*ask, code=2)
    (tmp_path / "in/zz.jsonl").unlink()
    (tmp_path / ".out.resume/00003.json").unlink()
    before = (tmp_path / "out/part-00003.jsonl").read_bytes()
    said = run(*ask, "--resume", code=3).stderr.decode()

    assert "shard 3: its output is there, and the record of its release is not;" in said
    assert (tmp_path / "out/part-00003.jsonl").read_bytes() == before


def test_a_complete_output_that_was_changed_is_not_called_complete(run, tmp_path, table_file):
    shards(tmp_path / "in", count=2, kind="jsonl")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    run(*ask)
    assert "the output is complete already" in run(*ask, "--resume").stderr.decode()
    changed = tmp_path / "out/part-00002.jsonl"
    changed.write_bytes(changed.read_bytes() + b"\n")
    said = run(*ask, "--resume", code=3).stderr.decode()

    assert "part-00002.jsonl is not as it was released; put it back" in said
    assert "complete already" not in said
    changed.unlink()
    run(*ask, "--resume", code=3)


@pytest.mark.parametrize("left", ["certificate", "manifest"])
def test_a_finished_release_is_not_released_again_by_resume(run, tmp_path, table_file, left):
    shards(tmp_path / "in", count=1)
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    run(*ask)
    if left == "manifest":
        for path in (*tmp_path.glob("out.*"), *(tmp_path / "out").glob("[!_]*")):
            path.unlink()
        (tmp_path / "out/_SUCCESS").unlink()
    else:
        (tmp_path / "out").rename(tmp_path / "moved")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    said = run(*ask, "--resume", code=3).stderr.decode()

    assert "out was released before, and the output is not there." in said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    run(*ask, "--force")


def test_force_starts_an_interrupted_run_over(run, tmp_path, table_file):
    shards(tmp_path / "in")
    (tmp_path / "in/zz.parquet").write_bytes(b"PAR1 no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    run(*ask, code=2)
    before = released(tmp_path / "out")
    (tmp_path / "in/zz.parquet").unlink()
    said = run(*ask, "--force").stderr.decode()

    assert said.startswith("Released 160 documents")
    assert sorted(each["id"] for each in released(tmp_path / "out")) == list(range(160))
    assert released(tmp_path / "out") != before
    assert not (tmp_path / ".out.resume").exists()


def test_a_complete_output_is_not_released_again_wherever_tidying_up_was_cut_off(
    run, tmp_path, table_file, monkeypatch
):
    shards(tmp_path / "in")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    with monkeypatch.context() as planted:
        planted.setenv("NOMDEPLUME_PLANT", CUT_OFF)
        run(*ask, code=9)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    entries = sorted(path.name for path in (tmp_path / ".out.resume").glob("0*.json"))
    said = run(*ask, "--resume").stderr.decode()

    assert "_SUCCESS" in before
    assert entries == ["00002.json", "00003.json", "00004.json"]
    assert "the output is complete already" in said
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert not (tmp_path / ".out.resume").exists()


@pytest.mark.parametrize(
    "name", ["_manifest.json", "out.shards.json", "out.certificate.json", "_SUCCESS"]
)
def test_nothing_half_written_stays_of_a_run_that_was_killed_at_its_end(
    run, tmp_path, table_file, monkeypatch, name
):
    shards(tmp_path / "in", count=2)
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    with monkeypatch.context() as planted:
        planted.setenv("NOMDEPLUME_PLANT", HALF.format(name=name))
        run(*ask, code=9)
    half = [path.name for path in tmp_path.rglob(".*.partial")]
    run(*ask, "--resume")

    assert [name in each for each in half] == [True]
    assert not list(tmp_path.rglob(".*.partial"))
    assert (tmp_path / "out/_SUCCESS").exists()


def test_what_is_not_published_is_its_owners(run, tmp_path, table_file, monkeypatch):
    shards(tmp_path / "in")
    monkeypatch.setenv("NOMDEPLUME_PLANT", WATCHED)
    run("obfuscate", "in", "-o", "out", *WITH, *POOL)

    assert (tmp_path / "modes").read_text().split() == ["600"] * 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").glob("part-*")} != {
        0o600
    }


def test_nothing_stays_beside_what_was_published(run, tmp_path, table_file):
    """As a store leaves it that copies, and is cut off before it deletes."""
    shards(tmp_path / "in")
    (tmp_path / "in/zz.parquet").write_bytes(b"PAR1 no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    run(*ask, code=2)
    [entry, *_] = sorted((tmp_path / ".out.resume").glob("0*.json"))
    told = json.loads(entry.read_text())
    shutil.copy(tmp_path / "out" / told["target"], tmp_path / "out" / told["ready"])
    (tmp_path / "in/zz.parquet").unlink()
    run(*ask, "--resume")

    assert sorted(each["id"] for each in released(tmp_path / "out")) == list(range(160))
    assert not list((tmp_path / "out").glob(".*"))


def test_who_resumes_what_is_complete_hears_how_it_ended(run, tmp_path, table_file):
    shards(tmp_path / "in", change=lambda record: record | {"text": None})
    shards(tmp_path / "other", count=2)
    pq.write_table(pa.Table.from_pylist([document(500)]), tmp_path / "in/v4.parquet")
    ask = ["-o", "out", *WITH, *POOL, "--resume"]
    run("obfuscate", "in", *ask, code=4)
    run("obfuscate", "in", *ask, code=4)
    said = run("obfuscate", "other", *ask, code=2).stderr.decode()

    assert "is a complete release of another input" in said


def test_long_records_make_short_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "SIGNS", 100)
    lines = [json.dumps({"id": i, "text": "rain " * (40 if i == 3 else 1)}) for i in range(30)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = list(parts_of(tmp_path / "a.jsonl", "jsonl", Fields("text", "id"), "shard 1"))

    assert [part.first for part in found] == [1, 5, 25]
    assert [each["id"] for part in found for each in part.fields] == list(range(30))


def test_a_task_that_is_answered_is_forgotten():
    handing = Handing(iter("abc"), str, reply=lambda task, asked: f"{task} {asked}")
    first, again = handing.told(Asked(0, 0)), handing.told(Asked(1, 0))
    question = pickle.dumps("what is it?")

    assert pickle.loads(handing.told(Asked(2, 0, question))) == "a what is it?"
    handing.end(0)
    assert (first[:1], again[:1], first[1:]) == (b"\0", b"\1", again[1:])
    assert handing.told(Asked(3, 0)) is None  # though an actor ended just after its answer
    assert handing.told(Asked(4, 0, question)) is None
    assert handing.told(Asked(5, 1)) != first
    assert list(handing._given) == [1]
    assert [handing.told(Asked(6, number)) is None for number in (2, 3)] == [False, True]


def test_other_options_cannot_go_on(run, tmp_path, table_file):
    shards(tmp_path / "in")
    (tmp_path / "in/v4.parquet").write_bytes(b"PAR1 no more")
    ask = ["obfuscate", "in", "-o", "out", "--engine", "pool", "--workers", "1"]
    run(*ask, *WITH, code=2)
    said = run(*ask, *WITH[:-1], "3", "--resume", code=2).stderr.decode()
    assert "had other options; resume it with the same." in said


def test_a_seed_repeats_all_shards_and_marks_them(run, tmp_path, table_file):
    shards(tmp_path / "in")
    for name, workers in (("a", "1"), ("b", "2")):
        run(
            "obfuscate",
            "in",
            "-o",
            name,
            *WITH,
            "--engine",
            "pool",
            "--workers",
            workers,
            "--seed",
            "7",
        )
    a, b = released(tmp_path / "a"), released(tmp_path / "b")
    assert a == b
    assert all("NOT PRIVATE" in each["warning"] for each in a)
    assert len({each["text"] for each in a}) > 50


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["in", "-o", "out", "--unit-field", "author"], "--unit-field gathers texts"),
        (
            ["in", "-o", "out", "--max-per-author", "2", "--author-field", "author"],
            "--max-per-author draws among texts of all shards",
        ),
        (
            ["in", "-o", "out", "--permanent", "--ledger", "l", "--limit", "9"],
            "--permanent draws in one process",
        ),
        (["in", "-o", "out", "--strict"], "--strict stops at one"),
        (["in"], "an engine writes a folder"),
        (["in", "in", "-o", "out"], "takes one folder"),
        (["none", "-o", "out"], "no file or folder at none"),
        (["in", "-o", "in/out"], "must not be or hold one another"),
        (["in", "-o", "full"], "full is not empty"),
        (["in", "-o", "full", "--force"], "full is not empty"),
        (["in", "-o", "full", "--resume"], "full is not empty"),
        (["in", "-o", "table.txt"], "table.txt is a file"),
        (["in", "-o", "out", "--from", "jsonl"], "--from is for files"),
        (["in", "-o", "out", "--certificate", "table.txt"], "table.txt exists"),
        (["in", "-o", "simplecache::file:///tmp/x"], "would leave texts behind"),
        (["in", "-o", "out", "--vectors", "--keep", "vector"], "field 'vector' of the output"),
        (["mixed", "-o", "out"], "all of one kind"),
        (["texts", "-o", "out"], "engines take folders of .parquet"),
        (["in", "-o", "out", "--address", "x:1"], "goes with --engine ray"),
        (["in", "-o", "s3://bucket/out"], "s3://bucket/out: "),
        (["in", "-o", "nothing://x/y"], "no address that fsspec knows"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(run, tmp_path, table_file, asked, said):
    shards(tmp_path / "in", count=1)
    shards(tmp_path / "mixed", count=1)
    (tmp_path / "mixed/b.jsonl").write_text('{"text": "rain"}\n')
    for name in ("full", "texts"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("a letter")
    done = run("obfuscate", *asked, *WITH, *POOL, code=2)
    assert said in done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / "full/a.txt").exists()
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*.resume"))


def test_force_replaces_a_release_and_nothing_else(run, tmp_path, table_file):
    shards(tmp_path / "in")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL]
    run(*ask)
    before = released(tmp_path / "out")
    assert "out.certificate.json exists" in run(*ask, code=2).stderr.decode()
    (tmp_path / "out.certificate.json").unlink()
    assert "out is not empty" in run(*ask, code=2).stderr.decode()
    run(*ask, "--force")
    assert released(tmp_path / "out") != before

    (tmp_path / "out/notes.txt").write_text("mine")
    again = released(tmp_path / "out")
    assert "out is not empty" in run(*ask, "--force", code=2).stderr.decode()
    run(*ask, "--force", "--vectors", code=2)  # wrong for other reasons
    assert (tmp_path / "out/notes.txt").read_text() == "mine"
    assert released(tmp_path / "out") == again


def test_addresses_work_like_folders(run, tmp_path, table_file):
    shards(tmp_path / "in")
    run("obfuscate", f"local://{tmp_path}/in", "-o", f"local://{tmp_path}/out", *WITH, *POOL)
    assert sorted(each["id"] for each in released(tmp_path / "out")) == list(range(160))
    assert (tmp_path / "out/_SUCCESS").exists()
    assert (tmp_path / "out.certificate.json").exists()
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("odd", "more"),
    [
        ({"author": ["bob"]}, ["--author-field", "author"]),
        ({"author": {"n": "cy"}}, ["--author-field", "author"]),
        ({"id": [2]}, []),
    ],
)
def test_what_cannot_be_charged_is_not_released(run, tmp_path, table_file, odd, more):
    def change(record):
        return {**record, **odd} if record["id"] in (3, 50) else record

    shards(tmp_path / "in", kind="jsonl", change=change)
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL, "--ledger", "l", "--limit", "1e6"]
    run(*ask, *more, "--withheld", "list", code=4)

    assert len(released(tmp_path / "out")) == 158
    with Ledger(tmp_path / "l") as ledger:
        assert [documents for _, _, documents in ledger.runs()] == [158]
    assert len((tmp_path / "list").read_text().splitlines()) == 2


def test_a_changed_folder_cannot_leave_two_releases_of_a_document(run, tmp_path, table_file):
    def change(record):
        return {**record, "text": None} if record["id"] == 7 else record

    shards(tmp_path / "in", kind="jsonl", change=change)
    (tmp_path / "in/zz.jsonl").write_bytes(b"\x1f\x8b no more")
    ask = ["obfuscate", "in", "-o", "out", *WITH, *POOL, "--ledger", "l", "--limit", "1e6"]
    run(*ask, "--withheld", "list", code=2)
    (tmp_path / "in/zz.jsonl").unlink()
    (tmp_path / "in/z0.jsonl").rename(tmp_path / "in/renamed.jsonl")
    said = run(*ask, "--resume", code=2).stderr.decode()
    assert "shard 4 was released before and is no longer in the input" in said

    (tmp_path / "in/renamed.jsonl").rename(tmp_path / "in/z0.jsonl")
    (tmp_path / "in/y1.jsonl").write_text('{"id": 1, "text": null}\n')
    said = run(*ask, "--resume", "--withheld", "list", code=4).stderr.decode()
    assert len(released(tmp_path / "out")) == 119  # of three shards, one of them without a text
    assert not (tmp_path / "out/part-00003.jsonl").exists()
    told = (tmp_path / "list").read_text()
    assert "shard 3: its input was changed; it is released again, after 40 documents" in told
    assert "before, and 0 are charged again." in told
    assert "shard 4, record 8: withheld: field 'text' is not a string." in told
    assert json.loads((tmp_path / "out/_manifest.json").read_text())["documents"] == 119


def test_a_run_that_was_overtaken_at_an_address_stops(run, tmp_path, table_file):
    shards(tmp_path / "in")
    folder = Remote(f"local://{tmp_path}/out")
    folder.make()
    state = State.open(folder, "digest", "", resume=False)
    State.open(folder, "digest", "", resume=True)
    with pytest.raises(PlumeError, match="another run has taken over"):
        state.check()


def test_nothing_released_leaves_nothing_to_resume(run, tmp_path, table_file):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_text("")
    said = run("obfuscate", "in", "-o", "out", *WITH, *POOL, code=2).stderr.decode()

    assert "the input holds no document" in said
    assert "--resume" not in said
    assert not (tmp_path / ".out.resume").exists()
    assert not (tmp_path / "out").exists()
