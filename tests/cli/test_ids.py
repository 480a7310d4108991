"""Ids of records stay behind unless they are kept, and kept ids may not tell who wrote a text."""

import json
from datetime import time
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nomdeplume import Ledger

WORDS = ["rain", "harbour", "bread", "snow", "lake", "river", "pear", "apple", "stone", "garden"]
TABLE = "".join(f"{word} {i % 4} {i // 4}\n" for i, word in enumerate(WORDS))
WITH = ["--table", "t.txt", "--language", "en", "--size", "5", "--epsilon", "2"]
NAMED = ["Zyxoquant3", "Wumble4", "Zyxoquant5"]  # ids in which authors are
AUTHORS = ["Zyxoquant", "Wumble", "Zyxoquant"]
NUMBERED = ["r-1", "r-2", "r-3"]
FORMATS = ["jsonl", "csv", "parquet", "arrow"]


@pytest.fixture(autouse=True)
def _table(tmp_path):
    (tmp_path / "t.txt").write_text(TABLE)


def write(folder, kind, ids, name="in", authors=AUTHORS, **columns):
    texts = [f"{WORDS[i]} over the {WORDS[i + 1]}" for i in range(len(ids))]
    path, data = folder / f"{name}.{kind}", {"id": ids, "author": authors, "text": texts, **columns}
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    if kind == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    elif kind == "csv":
        lines = [",".join(data), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif kind == "parquet":
        pq.write_table(pa.table(data), path)
    else:
        with pa.ipc.new_file(path, pa.table(data).schema) as file:
            file.write_table(pa.table(data))
    return path.name


def ids(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)["id"].to_pylist()
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all()["id"].to_pylist()
    if path.suffix == ".csv":
        head, *rows = path.read_text().splitlines()
        return [row.split(",")[head.split(",").index("id")] for row in rows]
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]


def everything(folder, done):
    """All that a run has left but its input, in lower case."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.match("in*")]
    found = b"".join(str(path).encode() + path.read_bytes() for path in files)
    return (found + done.stdout + done.stderr).lower()


@pytest.mark.parametrize("kind", FORMATS)
def test_documents_are_numbered_and_ids_stay_behind(run, tmp_path, kind):
    given = write(tmp_path, kind, NAMED)
    done = run("obfuscate", given, "-o", f"out.{kind}", *WITH)

    numbers = [1, 2, 3]
    assert ids(tmp_path / f"out.{kind}") == (list(map(str, numbers)) if kind == "csv" else numbers)
    assert not [each for each in NAMED if each.lower().encode() in everything(tmp_path, done)]
    checked = ["--table", "t.txt", "--language", "en", "--release", f"out.{kind}"]
    said = run("certificate", f"out.{kind}.certificate.json", *checked).stdout
    assert b"Documents are numbered." in b" ".join(said.split())


def test_numbers_do_not_show_that_documents_were_withheld(run, tmp_path):
    given = write(tmp_path, "jsonl", NAMED)
    lines = (tmp_path / given).read_text().splitlines()
    (tmp_path / given).write_text("\n".join([lines[0], '{"id": "x"}', *lines[1:]]))
    run("obfuscate", given, "-o", "out.jsonl", *WITH, code=4)

    assert ids(tmp_path / "out.jsonl") == [1, 2, 3]


@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
def test_a_ledger_goes_on_knowing_documents_by_their_ids(run, tmp_path, more):
    ask = [*WITH, "--ledger", "l", "--limit", "15", "--author-field", "author", *more]
    first = write(tmp_path, "parquet", NAMED[:1], authors=AUTHORS[:1], when=[time(7)])
    done = run("obfuscate", first, "-o", "1.parquet", *ask, "--keep", "when")
    found = pq.read_table(tmp_path / "1.parquet")
    assert found.column_names == ["id", "when", "text"]
    assert found["id"].to_pylist() == [1]
    assert found.schema.field("when").type == pa.time64("us")  # as it was, though ids are hidden
    assert not [each for each in NAMED if each.lower().encode() in everything(tmp_path, done)]

    both = write(tmp_path, "jsonl", [NAMED[0], NAMED[1]], authors=["Cid", "Dan"])
    done = run("obfuscate", both, "-o", "2.jsonl", *ask, code=3)
    assert b"line 1: withheld: no room left" in done.stderr
    assert ids(tmp_path / "2.jsonl") == [1]  # of the second


@pytest.mark.parametrize("kind", FORMATS)
def test_kept_ids_come_out_as_they_are(run, tmp_path, kind):
    given = write(tmp_path, kind, NUMBERED)
    run("obfuscate", given, "-o", f"out.{kind}", *WITH, "--keep", "id")
    stated = json.loads((tmp_path / f"out.{kind}.certificate.json").read_text())

    assert ids(tmp_path / f"out.{kind}") == NUMBERED
    assert (stated["id_field"], stated["kept_fields"]) == ("", ["id"])


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    "case",
    [
        (
            ["r-1", "r-4711-2", "r-3"],
            ["1x", "4711", "2x"],
            "contains the value of its author field",
        ),
        (["r-1", "zyxo@quant.org", "r-3"], AUTHORS, "looks like an e-mail address"),
        (["r-1", "Zyxo Quant", "r-3"], ["A", "B", "C"], "holds letters that may be a name"),
    ],
)
def test_ids_that_tell_who_wrote_a_text_are_refused(run, tmp_path, kind, case):
    found, authors, reason = case
    given = write(tmp_path, kind, found, authors=authors)
    before = {path.name for path in tmp_path.iterdir()}
    ask = ["obfuscate", given, "-o", f"out.{kind}", *WITH, "--keep", "id"]
    done = run(*ask, "--ledger", "l", "--limit", "99", code=3)

    said, place = done.stderr.decode(), "row 2" if kind in ("csv", "parquet", "arrow") else "line 2"
    assert said.startswith(f"nomdeplume: {place}")
    assert f"the id in field 'id' {reason} and is not released" in said
    assert "--allow-identifying-ids" in said
    assert said.count("\n") == 1
    assert not [each for each in ("zyx", "4711") if each in said.lower()]
    assert {path.name for path in tmp_path.iterdir()} == before  # nothing was even charged

    run(*ask, "--allow-identifying-ids")
    assert ids(tmp_path / f"out.{kind}") == found


def test_a_pipe_is_refused_without_a_file(run, tmp_path):
    given = (tmp_path / write(tmp_path, "jsonl", ["1", "2", "Zyxoquant3"])).read_bytes()
    ask = ["obfuscate", "-", "-o", "out.jsonl", *WITH, "--keep", "id"]
    done = run(*ask, "--ledger", "l", "--limit", "99", stdin=given, code=3)

    assert b"line 3: the id in field 'id' contains" in done.stderr
    assert not list(tmp_path.glob("*out.jsonl*"))
    with Ledger(tmp_path / "l") as ledger:
        assert list(ledger.runs()) == []  # a batch is checked before it is charged


def test_the_author_can_be_named_and_another_field_can_be_the_id(run, tmp_path):
    given = write(
        tmp_path, "jsonl", ["r-1", "r-2", "r-3"], key=["7-1", "8-1", "7-2"], who=[7, 9, 9]
    )
    ask = ["obfuscate", given, "-o", "out.jsonl", *WITH, "--id-field", "key"]
    done = run(*ask, "--keep", "key", "--author-field", "who", code=3)

    assert b"line 1: the id in field 'key' contains the value" in done.stderr
    assert b"leave out --keep key" in done.stderr
    run(*ask, "--keep", "key")
    [first, *_] = (tmp_path / "out.jsonl").read_text().splitlines()
    assert list(json.loads(first)) == ["key", "text"]  # ids in place of numbers
    run(*ask, "--force")
    assert ids(tmp_path / "out.jsonl") == [1, 2, 3]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_shards_are_numbered_and_their_ids_are_checked(run, tmp_path, kind):
    (tmp_path / "in").mkdir()
    write(tmp_path / "in", kind, NAMED, name="a")
    write(tmp_path / "in", kind, NUMBERED, name="b")
    ask = ["obfuscate", "in", "-o", "out", *WITH, "--engine", "pool", "--workers", "2"]
    done = run(
        *ask, "--ledger", "l", "--limit", "99", "--author-field", "author", "--keep", "id", code=3
    )
    said = done.stderr.decode()
    unit = "record" if kind == "jsonl" else "row"
    assert f"shard 1, {unit} 1: the id in field 'id' contains" in said
    assert "zyx" not in said.lower()
    assert not (tmp_path / "out").exists()
    with Ledger(tmp_path / "l") as ledger:
        assert list(ledger.runs()) == []

    run(*ask)
    parts = [tmp_path / "out" / f"part-0000{i}.{kind}" for i in (1, 2)]
    assert [ids(part) for part in parts] == [["1-1", "1-2", "1-3"], ["2-1", "2-2", "2-3"]]
    checked = ["--table", "t.txt", "--language", "en", "--release", "out"]
    run("certificate", "out.certificate.json", *checked)
    run(*ask, "--force", "--keep", "id", "--allow-identifying-ids")
    assert [ids(part) for part in parts] == [NAMED, NUMBERED]


SHARDED = ["--engine", "pool", "--workers", "1", "--keep", "id"]


def test_binary_ids_and_authors_are_checked_like_others(run, tmp_path):
    (tmp_path / "in").mkdir()
    for name, found in {"a": [b"1", b"2"], "b": [b"3", b"zyxo quant"]}.items():
        write(tmp_path / "in", "parquet", found, name=name, authors=[b"7", b"8"])
    refused = b"the id in field 'id' holds letters that may be a name"

    assert refused in run("obfuscate", "in", "-o", "out", *WITH, *SHARDED, code=3).stderr
    assert not (tmp_path / "out").exists()
    one = ["obfuscate", "in/b.parquet", "-o", "out.parquet", *WITH, "--keep", "id"]
    assert refused in run(*one, code=3).stderr
    run("obfuscate", "in/a.parquet", "-o", "out.parquet", *WITH, "--keep", "id")
    assert ids(tmp_path / "out.parquet") == [b"1", b"2"]


def test_a_uuid_of_an_author_is_found_in_an_id(run, tmp_path):
    author = UUID("ad59c4cd-8e72-4c23-920b-18b43af4bef0")
    authors = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([author.bytes], pa.binary(16)))
    given = write(tmp_path, "parquet", [f"{author}-1"], authors=authors)
    done = run("obfuscate", given, "-o", "out.parquet", *WITH, "--keep", "id", code=3)

    assert b"the id in field 'id' contains the value of its author field" in done.stderr


def test_ids_that_python_cannot_hold_are_refused(run, tmp_path):
    late = pa.array([4_000_000, 4_000_001], pa.date32())  # days: the year 12921
    given = write(tmp_path, "parquet", late, authors=["7", "8"])
    done = run("obfuscate", given, "-o", "out.parquet", *WITH, "--keep", "id", code=2)

    assert b"field 'id' holds values that cannot be compared" in done.stderr


@pytest.mark.parametrize("name", ["Author", "AUTHOR"])
def test_the_author_field_may_have_capitals(run, tmp_path, name):
    rows = [f'{{"id": "4711-1", "{name}": "4711", "text": "rain"}}']
    (tmp_path / "in.jsonl").write_text("\n".join(rows))
    done = run("obfuscate", "in.jsonl", *WITH, "--keep", "id", code=3)

    assert b"the id in field 'id' contains the value of its author field" in done.stderr


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_an_author_in_a_list_is_found_in_an_id(run, tmp_path, kind):
    given = write(tmp_path, kind, ["7-1", "4711-2", "9-3"], authors=[["8"], ["5", "4711"], []])
    done = run("obfuscate", given, "-o", f"out.{kind}", *WITH, "--keep", "id", code=3)

    assert b"2: the id in field 'id' contains the value of its author field" in done.stderr


def test_a_release_with_numbers_is_judged_in_the_order_of_its_originals(run, tmp_path):
    count = 24
    who = [("Ann", "Bob", "Cleo")[i % 3] for i in range(count)]
    texts = [f"{WORDS[i % 3]} {WORDS[i % 3 + 4]} over {WORDS[i % 10]}" for i in range(count)]
    rows = [
        {"id": f"{a}{i}", "author": a, "text": t}
        for i, (a, t) in enumerate(zip(who, texts, strict=True))
    ]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run("obfuscate", "in.jsonl", "-o", "out.jsonl", *WITH)
    ask = ["evaluate", "--released", "out.jsonl", "--original", "in.jsonl", "--table", "t.txt"]
    ask += ["--min-documents", "2", "--folds", "2", "--attackers", "word-svm", "--quiet"]
    run(*ask, "--results", "r.json")
    (tmp_path / "in").mkdir()
    lines = (tmp_path / "in.jsonl").read_text().splitlines(keepends=True)
    for name, part in {"a": lines[:11], "b": lines[11:]}.items():
        (tmp_path / f"in/{name}.jsonl").write_text("".join(part))
    run("obfuscate", "in", "-o", "out", *WITH, *SHARDED[:4])
    ask[2] = "out"
    run(*ask, "--results", "shards.json")

    numbers = [*(f"1-{i}" for i in range(1, 12)), *(f"2-{i}" for i in range(1, 14))]
    backwards = [row | {"id": n} for n, row in zip(numbers[::-1], rows, strict=True)]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in backwards))
    done = run(*ask, "--results", "other.json", code=2)
    assert b"the same numbers in another order" in done.stderr

    (tmp_path / "in.jsonl").write_text("".join(lines))
    ask[2] = "out.jsonl"

    shuffled = [row | {"id": count - i} for i, row in enumerate(rows)]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in shuffled))
    done = run(*ask, "--results", "s.json", code=2)
    assert b"the same numbers in another order" in done.stderr
