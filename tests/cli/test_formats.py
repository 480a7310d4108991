"""Corpora as people have them, through the command: kinds, faults, folders, big rows."""

import csv
import datetime as dt
import gzip
import io
import json
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from nomdeplume import InputError
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields

SMALL = ["--table", "t.txt", "--size", "3"]


@pytest.fixture(autouse=True)
def table(tmp_path):
    (tmp_path / "t.txt").write_text("rain 0 0\nsnow 0 1\npear 9 9\n", encoding="utf-8")


def corpus(**more):
    return pa.table(
        {
            "id": pa.array([1, 2, 3], pa.int32()),
            "body": ["rain", "snow falls", "pear"],
            "author": ["Ann", "Bob", "Cyd"],
            "when": pa.array([dt.date(2024, 1, day) for day in (1, 2, 3)]),
            **more,
        }
    )


def rows(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pyarrow.feather.read_table(path)


def released(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text)))
    return [json.loads(line) for line in text.splitlines()]


def test_a_parquet_file_keeps_its_types(run, tmp_path):
    pq.write_table(corpus(), tmp_path / "in.parquet")
    done = run(
        "obfuscate", "in.parquet", "-o", "out.parquet", "--text-field", "body",
        "--keep", "id", "--keep", "when", *SMALL,
    )  # fmt: skip
    found = rows(tmp_path / "out.parquet")

    assert found.schema.names == ["id", "when", "text"]
    assert [found.schema.field(name).type for name in ("id", "when")] == [pa.int32(), pa.date32()]
    assert found["id"].to_pylist() == [1, 2, 3]
    assert b"Released 3 documents" in done.stderr
    assert b"Ann" not in (tmp_path / "out.parquet").read_bytes()
    checked = ["--release", "out.parquet", "--table", "t.txt"]
    assert b"All 9 checks" in run("certificate", "out.parquet.certificate.json", *checked).stdout


@pytest.mark.parametrize("source", ["in.parquet", "in.arrow", "in.csv", "in.jsonl"])
@pytest.mark.parametrize(
    "target", ["o.parquet", "o.arrow", "o.feather", "o.csv", "o.tsv.gz", "o.jsonl.zst"]
)
def test_any_kind_becomes_any_kind_and_checks_out(run, tmp_path, source, target):
    write(corpus(), tmp_path / source)
    named = ["--text-field", "body", "--keep", "author"]
    run("obfuscate", source, "-o", target, *named, *SMALL)
    checked = run(
        "certificate", f"{target}.certificate.json", "--release", target, "--table", "t.txt"
    )

    assert b"All 9 checks passed" in checked.stdout


def write(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".arrow":
        pyarrow.feather.write_feather(table, path)
    elif path.suffix == ".arrows":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        records = [{**row, "when": str(row["when"])} for row in table.to_pylist()]
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix == ".jsonl":
                file.writelines(json.dumps(row) + "\n" for row in records)
            else:
                writer = csv.DictWriter(file, table.column_names)
                writer.writeheader()
                writer.writerows(records)


def test_columns_on_standard_output_are_jsonl(run, tmp_path):
    pq.write_table(corpus(), tmp_path / "in.parquet")
    done = run("obfuscate", "in.parquet", "--text-field", "body", "--keep", "when", *SMALL)
    records = [json.loads(line) for line in done.stdout.splitlines()]

    assert [(row["id"], row["when"]) for row in records] == [
        (1, "2024-01-01"),
        (2, "2024-01-02"),
        (3, "2024-01-03"),
    ]


def test_csv_through_a_pipe(run):
    ids = ["--keep", "id"]
    piped = run(
        "obfuscate", "--text-field", "body", *ids, *SMALL, stdin=b"id;body\n7;rain\n8;snow\n"
    )
    told = run(
        "obfuscate", "--from", "csv", "--delimiter", "tab", *SMALL, stdin=b"text\tx\nrain\ty"
    )
    found = list(csv.DictReader(io.StringIO(piped.stdout.decode())))

    assert [row["id"] for row in found] == ["7", "8"]
    assert told.stdout.decode().splitlines()[0] == "id,text"


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl", "in.parquet", "in.arrow"])
def test_a_missing_field_lists_those_there_are(run, tmp_path, name):
    write(corpus(), tmp_path / name)
    done = run("obfuscate", name, *SMALL, code=2)

    assert b"no field 'text' in the input; it has id, body, author, when." in done.stderr
    assert b"--text-field" in done.stderr


@pytest.mark.parametrize("name", ["in.parquet", "in.arrow", "in.jsonl"])
@pytest.mark.parametrize("named", [["--text-field", "parts"], ["--keep", "parts"]])
def test_nested_fields_are_refused(run, tmp_path, name, named):
    table = corpus(parts=[{"secret": "Ann"}] * 3)
    write(table, tmp_path / name)
    field = named if named[0] == "--text-field" else ["--text-field", "body", *named]
    done = run("obfuscate", name, *field, *SMALL, code=2)

    assert b"'parts'" in done.stderr
    assert b"nested" in done.stderr or b"must hold text, got struct" in done.stderr
    assert b"secret" not in done.stderr


def test_a_column_that_is_no_text_is_refused(run, tmp_path):
    pq.write_table(corpus(), tmp_path / "in.parquet")
    done = run("obfuscate", "in.parquet", "--text-field", "when", *SMALL, code=2)

    assert b"field 'when' must hold text, got date32" in done.stderr


def test_rows_without_text_are_withheld_by_number(run, tmp_path):
    table = corpus().set_column(1, "body", pa.array(["rain", None, "pear"]))
    pq.write_table(table, tmp_path / "in.parquet")
    done = run(
        "obfuscate",
        "in.parquet",
        "-o",
        "o.csv",
        "--text-field",
        "body",
        "--keep",
        "id",
        *SMALL,
        code=4,
    )

    assert b"row 2: withheld: field 'body' is null." in done.stderr
    assert [row["id"] for row in released(tmp_path / "o.csv")] == ["1", "3"]
    run("obfuscate", "in.parquet", "--text-field", "body", "--strict", *SMALL, code=2)


def test_a_broken_row_is_withheld_by_number(run, tmp_path):
    (tmp_path / "in.csv").write_text("id,text\n1,rain\n2,a,b\n3,snow\n", encoding="utf-8")
    done = run("obfuscate", "in.csv", "-o", "o.jsonl", "--keep", "id", *SMALL, code=4)
    strict = run("obfuscate", "in.csv", "--strict", *SMALL, code=2)

    assert b"row 2 (line 3): withheld: expected 2 fields, got 3." in done.stderr
    assert [row["id"] for row in released(tmp_path / "o.jsonl")] == ["1", "3"]
    assert b"row 2 (line 3): expected 2 fields" in strict.stderr


@pytest.mark.parametrize("name", ["in.parquet", "in.arrow"])
@pytest.mark.parametrize("cut", [9, 60])
def test_a_damaged_file_is_refused_whole(run, tmp_path, name, cut):
    write(corpus(), tmp_path / name)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-cut])
    done = run("obfuscate", name, "-o", "o.parquet", "--text-field", "body", *SMALL, code=2)

    assert b"is damaged or cut short" in done.stderr
    assert not (tmp_path / "o.parquet").exists()


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_damaged_packed_file_is_refused(run, tmp_path, suffix):
    content = b"id,text\n" + b"".join(b"%d,rain\n" % i for i in range(50_000))
    kind = {".gz": "gzip", ".zst": "zstd"}[suffix]
    packed = pa.compress(content, kind, asbytes=True)
    (tmp_path / f"in.csv{suffix}").write_bytes(packed[: len(packed) // 2])
    done = run("obfuscate", f"in.csv{suffix}", "-o", "o.csv", *SMALL, code=2)

    assert b"is damaged or cut short" in done.stderr
    assert not (tmp_path / "o.csv").exists()


def test_all_that_is_withheld_is_listed_in_a_file(run, tmp_path):
    lines = ["id,text", *(f"{i},rain,too many" for i in range(30)), "99,snow"]
    (tmp_path / "in.csv").write_text("\n".join(lines), encoding="utf-8")
    said = run("obfuscate", "in.csv", "-o", "a.csv", *SMALL, code=4).stderr
    run("obfuscate", "in.csv", "-o", "b.csv", "--withheld", "list.txt", *SMALL, code=4)
    listed = (tmp_path / "list.txt").read_text(encoding="utf-8").splitlines()

    assert b"and 10 more; --withheld FILE" in said
    assert len(listed) == 30
    assert listed[29] == "row 30 (line 31): withheld: expected 2 fields, got 3."


def test_what_stands_beside_the_words_is_said(run, tmp_path):
    write(corpus(), tmp_path / "in.csv")
    ask = ["obfuscate", "in.csv", "-o", "o.csv", "--text-field", "body", *SMALL]

    assert b"Released as they are" not in run(*ask).stderr
    done = run(*ask, "--keep", "id", "--force")
    assert b"Released as they are: id." in b" ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl", "in.parquet"])
@pytest.mark.parametrize("target", ["o.csv", "o.jsonl", "o.parquet"])
def test_ids_stay_behind_and_documents_are_numbered(run, tmp_path, name, target):
    write(corpus(), tmp_path / name)
    kept = ["--text-field", "body", "--keep", "when"]
    done = run("obfuscate", name, "-o", target, *kept, *SMALL)
    found = (
        rows(tmp_path / target).to_pylist()
        if target == "o.parquet"
        else released(tmp_path / target)
    )
    checked = ["--release", target, "--table", "t.txt"]

    assert [set(row) for row in found] == [{"id", "when", "text"}] * 3
    assert [int(row["id"]) for row in found] == [1, 2, 3]
    assert b"Released as they are: when." in b" ".join(done.stderr.split())
    said = b" ".join(run("certificate", f"{target}.certificate.json", *checked).stdout.split())
    assert b"Documents are numbered. Fields kept as they are: when." in said
    assert b"All 9 checks passed" in said


def test_texts_without_known_words_are_counted(run, tmp_path):
    (tmp_path / "in.csv").write_text("id,text\n1,rain\n2,xyzzy\n3,\n", encoding="utf-8")
    done = run("obfuscate", "in.csv", "-o", "o.csv", *SMALL)

    assert b"2 texts had no word that the table knows" in b" ".join(done.stderr.split())


def test_a_folder_of_parts_is_one_corpus(run, tmp_path):
    (tmp_path / "parts").mkdir()
    for i in range(3):
        write(corpus().slice(i, 1), tmp_path / "parts" / f"part-{i}.parquet")
    (tmp_path / "parts" / "_SUCCESS").write_bytes(b"")
    run("obfuscate", "parts", "-o", "o.parquet", "--text-field", "body", *SMALL)

    assert rows(tmp_path / "o.parquet")["id"].to_pylist() == [1, 2, 3]


def test_a_picture_among_letters_is_withheld_and_the_letters_are_released(run, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "letters" / "b.txt").write_text("rain", encoding="utf-8")
    done = run("obfuscate", "letters", "-o", "out", *SMALL, code=4)

    assert b"document 1 of 2: withheld: expected text, got a PNG picture." in done.stderr
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_parts_may_have_delimiters_of_their_own(run, tmp_path):
    (tmp_path / "a.tsv").write_text("id\ttext\n1\train\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("id,text\n2,snow\n", encoding="utf-8")
    run("obfuscate", "a.tsv", "b.csv", "-o", "o.csv", *SMALL)

    assert [row["id"] for row in released(tmp_path / "o.csv")] == ["1", "2"]


def test_kinds_are_not_mixed(run, tmp_path):
    write(corpus(), tmp_path / "a.csv")
    write(corpus(), tmp_path / "b.parquet")
    (tmp_path / "both").mkdir()
    write(corpus(), tmp_path / "both" / "a.csv")
    (tmp_path / "both" / "b.txt").write_text("rain", encoding="utf-8")

    done = run("obfuscate", "a.csv", "b.parquet", "--text-field", "body", *SMALL, code=2)
    assert b"all of one kind, got csv and parquet" in done.stderr
    assert b"several kinds" in run("obfuscate", "both", *SMALL, code=2).stderr


def test_what_a_file_is_called_matters_less_than_what_it_is(run, tmp_path):
    pq.write_table(corpus(), tmp_path / "export.csv")
    done = run("obfuscate", "export.csv", "-o", "o.csv", "--text-field", "body", *SMALL)

    assert b"Released 3 documents" in done.stderr


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("o.parquet.gz", b"packed inside already"),
        ("o.txt", b"records go to a file named .jsonl, .csv, .parquet or .arrow"),
        ("o", b"records go to a file named"),
    ],
)
def test_outputs_that_make_no_sense_are_refused(run, tmp_path, output, message):
    write(corpus(), tmp_path / "in.csv")
    done = run("obfuscate", "in.csv", "-o", output, "--text-field", "body", *SMALL, code=2)

    assert message in done.stderr


def test_a_column_that_changes_its_type_is_refused(run, tmp_path):
    lines = [{"id": 1, "text": "rain"}, {"id": "two", "text": "snow"}]
    content = "\n".join(map(json.dumps, lines))
    (tmp_path / "in.jsonl").write_text(content, encoding="utf-8")
    kept = ["--keep", "id", "--allow-identifying-ids"]
    done = run("obfuscate", "in.jsonl", "-o", "o.parquet", *kept, *SMALL, code=2)

    assert b"changes its type on the way" in done.stderr
    assert [path.name for path in tmp_path.glob("*o.parquet*")] == []


def test_letters_go_into_a_table(run, tmp_path):
    (tmp_path / "letters").mkdir()
    for name in ("a.txt", "b.txt.gz"):
        data = b"rain on the pear"
        packed = gzip.compress(data) if name.endswith("gz") else data
        (tmp_path / "letters" / name).write_bytes(packed)
    run("obfuscate", "letters", "-o", "o.parquet", "--keep", "name", *SMALL)

    assert rows(tmp_path / "o.parquet")["name"].to_pylist() == ["a.txt", "b.txt"]


def test_seeded_columns_are_marked(run, tmp_path):
    write(corpus(), tmp_path / "in.parquet")
    for name in ("o.parquet", "o.csv"):
        run("obfuscate", "in.parquet", "-o", name, "--text-field", "body", "--seed", "1", *SMALL)
        checked = ["--release", name, "--table", "t.txt"]
        assert b"NOT PRIVATE" in run("certificate", f"{name}.certificate.json", *checked).stdout

    assert "NOT PRIVATE" in rows(tmp_path / "o.parquet")["warning"][0].as_py()


def test_categories_of_rows_that_are_withheld_stay_behind(run, tmp_path):
    topics = pa.array(["a", "zyxoquant", "b"]).dictionary_encode()
    table = corpus(topic=topics).set_column(1, "body", pa.array(["rain", None, "pear"]))
    for source, target in [("in.parquet", "o.arrow"), ("in.arrow", "o.parquet")]:
        write(table, tmp_path / source)
        kept = ["--text-field", "body", "--keep", "topic"]
        run("obfuscate", source, "-o", target, *kept, *SMALL, code=4)
        found = rows(tmp_path / target)

        assert found.schema.field("topic").type == topics.type
        assert found["topic"].to_pylist() == ["a", "b"]
        assert b"zyxoquant" not in (tmp_path / target).read_bytes()


def test_a_row_of_a_hundred_megabytes_works(run, tmp_path):
    with (tmp_path / "in.csv").open("w", encoding="utf-8") as file:
        file.write("id,text\n1,rain\n2,")
        for _ in range(100):
            file.write(f"{'-' * 999_994} pear ")
        file.write("\n3,snow\n")
    run("obfuscate", "in.csv", "-o", "o.csv", *SMALL, "--epsilon", "999")

    found = released(tmp_path / "o.csv")
    assert [(row["id"], row["text"]) for row in found] == [
        ("1", "rain rain rain"),
        ("2", "pear pear pear"),
        ("3", "snow snow snow"),
    ]


def test_a_changed_offset_does_not_show_the_text_under_another_name(run, tmp_path):
    """An Arrow file is buffers with numbers into them; one wrong number must be noticed."""
    table = pa.table({"id": ["a", None, "c"], "text": ["my secret rain", "snow on my wife", "x"]})
    path = tmp_path / "in.arrow"
    pyarrow.feather.write_feather(table, path, compression="uncompressed")
    sound = path.read_bytes()
    offsets = np.array([0, 1, 1, 2], "<i4").tobytes()
    changed = np.array([0, 53, 53, 54], "<i4").tobytes()
    assert sound.count(offsets) == 1
    path.write_bytes(sound.replace(offsets, changed))
    done = run("obfuscate", "in.arrow", "-o", "o.jsonl", "--keep", "id", *SMALL, code=2)

    assert b"damaged" in done.stderr
    assert not (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize("name", ["in.arrow", "in.arrows", "in.parquet"])
def test_damaged_columns_are_released_or_refused(tmp_path, name):
    """Whatever bytes change, nothing but our own errors comes out."""
    rng = np.random.default_rng(5)
    write(corpus(topic=pa.array(["a", "b", "a"]).dictionary_encode()), tmp_path / name)
    content = (tmp_path / name).read_bytes()
    ends = set()
    for _ in range(150):
        data = bytearray(content)
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] = rng.integers(256)
        (tmp_path / name).write_bytes(data)
        try:
            fields = Fields("body", "id", ("topic", "when"))
            for record in open_inputs([str(tmp_path / name)], fields).records:
                _ = not record.unreadable and dict(record.fields)
            ends.add("read")
        except InputError:
            ends.add("refused")

    assert ends == {"read", "refused"}


def test_a_stream_that_lacks_its_end_is_cut(run, tmp_path):
    write(corpus(), tmp_path / "in.arrows")
    path = tmp_path / "in.arrows"
    path.write_bytes(path.read_bytes()[:-8])
    done = run("obfuscate", "in.arrows", "--text-field", "body", *SMALL, code=2)

    assert b"damaged or cut short" in done.stderr


@pytest.mark.parametrize(
    ("column", "fits"),
    [
        (pa.array([b"x"] * 3), False),
        (pa.array([1, 2, 3], pa.duration("s")), False),
        (pa.array([2**31 - 1] * 3, pa.date32()), False),
        (pa.array([2**62] * 3), True),
        (pa.array([float("nan")] * 3), True),
        (pa.array(["a", "b", "a"], pa.string_view()), True),
        (pa.array([None] * 3), True),
        (pa.array([12 * 3600] * 3, pa.time32("s")), True),
    ],
)
def test_every_plain_column_is_kept_where_it_can_be(run, tmp_path, column, fits):
    pq.write_table(corpus(x=column), tmp_path / "in.parquet")
    kept = ["--text-field", "body", "--keep", "x", *SMALL]
    run("obfuscate", "in.parquet", "-o", "o.parquet", *kept)
    done = run("obfuscate", "in.parquet", "-o", "o.jsonl", *kept, code=0 if fits else 2)

    assert len(rows(tmp_path / "o.parquet")) == 3
    assert fits or b"write to a .parquet file" in done.stderr


@pytest.mark.parametrize(
    "column",
    [
        pa.ExtensionArray.from_storage(
            pa.opaque(pa.struct([("secret", pa.string())]), "t", "v"),
            pa.array([{"secret": "Ann"}] * 3),
        ),
        pa.array([["Ann"]] * 3),
    ],
)
def test_nothing_nested_hides_in_another_type(run, tmp_path, column):
    pq.write_table(corpus(x=column), tmp_path / "in.parquet")
    kept = ["--text-field", "body", "--keep", "x", *SMALL]
    done = run("obfuscate", "in.parquet", "-o", "o.parquet", *kept, code=2)

    assert b"'x' is nested" in done.stderr
    assert b"secret" not in done.stderr


def test_fields_that_come_and_go_are_null_in_columns(run, tmp_path):
    lines = [{"id": i, "text": "rain", "x": "a"} for i in range(16_384)]
    lines += [{"text": "snow"}, {"id": 7, "text": "snow"}]
    content = "\n".join(map(json.dumps, lines))
    (tmp_path / "in.jsonl").write_text(content, encoding="utf-8")
    run("obfuscate", "in.jsonl", "-o", "o.parquet", "--keep", "id", "--keep", "x", *SMALL)
    found = rows(tmp_path / "o.parquet")

    assert found["id"].to_pylist()[-2:] == [None, 7]
    assert found["x"].to_pylist()[-3:] == ["a", None, None]


def test_what_is_not_unicode_has_no_column(run, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"x": "\\ud800", "text": "rain"}', encoding="utf-8")
    done = run("obfuscate", "in.jsonl", "-o", "o.parquet", "--keep", "x", *SMALL, code=2)

    assert b"is not Unicode" in done.stderr


def test_more_categories_than_their_numbers_hold(run, tmp_path):
    (tmp_path / "parts").mkdir()
    for part in range(2):
        names = pa.array([f"{part}-{i}" for i in range(100)])
        topics = pa.DictionaryArray.from_arrays(pa.array(range(100), pa.int8()), names)
        table = pa.table({"text": ["rain"] * 100, "topic": topics})
        pq.write_table(table, tmp_path / "parts" / f"{part}.parquet")
    run("obfuscate", "parts", "-o", "o.parquet", "--keep", "topic", *SMALL)

    assert rows(tmp_path / "o.parquet")["topic"].to_pylist()[99:101] == ["0-99", "1-0"]


def test_a_name_that_is_there_twice_is_refused(run, tmp_path):
    table = pa.Table.from_arrays([pa.array(["rain"])] * 2, names=["text", "text"])
    pq.write_table(table, tmp_path / "in.parquet")

    assert b"is there twice" in run("obfuscate", "in.parquet", *SMALL, code=2).stderr
    twice = b'{"id": 1, "text": "rain", "text": "snow"}\n'
    piped = run("obfuscate", "-", *SMALL, stdin=b'{"text": "a"}\n' + twice, code=4)
    assert b"not valid JSON" in piped.stderr


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_do_not_come_through_a_pipe(run, kind):
    done = run("obfuscate", "--from", kind, *SMALL, stdin=b"id,text\n1,rain\n", code=2)

    assert b"standard input must be plain text, JSONL or CSV" in done.stderr


def test_from_text_is_obeyed(run, tmp_path):
    (tmp_path / "in.csv").write_text("id,text\n1,rain\n", encoding="utf-8")
    named = run("obfuscate", "in.csv", "--from", "text", *SMALL)
    piped = run("obfuscate", "--from", "text", *SMALL, stdin=b"id,text\n1,rain\n")

    assert [len(done.stdout.splitlines()) for done in (named, piped)] == [1, 1]


def test_csv_under_another_name_is_not_released_as_one_text(run, tmp_path):
    (tmp_path / "export.dat").write_text("id;body\n1;rain\n2;snow\n", encoding="utf-8")
    done = run("obfuscate", "export.dat", *SMALL, code=2)

    assert b"no field 'text' in the input; it has id, body" in done.stderr
    found = run("obfuscate", "export.dat", "--text-field", "body", *SMALL)
    assert len(found.stdout.splitlines()) == 3


def test_carriage_returns_in_kept_fields_are_quoted(run, tmp_path):
    line = {"id": "a\rb", "text": "rain"}
    (tmp_path / "in.jsonl").write_text(json.dumps(line), encoding="utf-8")
    run("obfuscate", "in.jsonl", "-o", "o.csv", *SMALL)
    checked = ["--release", "o.csv", "--table", "t.txt"]

    assert b"All 9 checks" in run("certificate", "o.csv.certificate.json", *checked).stdout


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("o.jsonl", lambda data: data.replace(b'{"id"', b'{"text": "my wife", "id"', 1)),
        (
            "o.csv",
            lambda data: data.replace(b"id,text", b"id,text,text").replace(b"1,", b"1,my,", 1),
        ),
    ],
)
def test_additions_to_a_release_are_noticed_even_under_a_new_hash(run, tmp_path, name, change):
    write(corpus(), tmp_path / "in.csv")
    run("obfuscate", "in.csv", "-o", name, "--text-field", "body", *SMALL)
    path, stated = tmp_path / name, tmp_path / f"{name}.certificate.json"
    path.write_bytes(change(path.read_bytes()))
    content = json.loads(stated.read_text(encoding="utf-8"))
    content["output"]["sha256"] = sha256(path.read_bytes()).hexdigest()
    stated.write_text(json.dumps(content), encoding="utf-8")
    done = run("certificate", stated.name, "--release", name, "--table", "t.txt", code=3)

    assert "✗ documents: cannot be read".encode() in done.stdout
