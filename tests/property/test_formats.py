"""Whatever goes in as records of any kind comes out as records of any kind, in order, typed."""

import csv
import datetime as dt
import gzip
import io
import json
import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nomdeplume import InputError, Obfuscator, Table, seeded
from nomdeplume.formats.csv_rows import read_rows
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields
from nomdeplume.formats.release import Keeping, release
from nomdeplume.formats.writing import open_sink

TABLE = Table(["rain", "snow", "pear"], np.array([[0, 0], [0, 1], [9, 9]]), "three")
OBFUSCATOR = Obfuscator.laplace(TABLE, epsilon=1, size=3)

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
plain = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
cells = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\\'"), max_size=40)
plain_cells = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\\'"), max_size=8
)
names = st.text("abcdefg_ é", min_size=1, max_size=6).map(lambda name: f"k{name.strip()}")
JSON_VALUES = {
    "text": plain,
    "whole": st.integers(-(2**53), 2**53),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "truth": st.booleans(),
}
ARROW_TYPES = {
    pa.int8(): st.integers(-128, 127),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): plain,
    pa.large_string(): plain,
    pa.dictionary(pa.int32(), pa.string()): plain,
    pa.date32(): st.dates(dt.date(1970, 1, 1), dt.date(2100, 1, 1)),
    pa.timestamp("us", "UTC"): st.datetimes(
        dt.datetime(1970, 1, 1), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC)
    ),
    pa.decimal128(12, 2): st.decimals(-(10**9), 10**9, places=2, allow_nan=False),
    pa.binary(): st.binary(max_size=5),
}


def passed(source, target, fields):
    """Release a file into another with its ids and kept fields, and say what was withheld."""
    inputs = open_inputs([str(source)], fields)
    sink = open_sink(target, inputs.kind, keep=bool(fields.keep))
    keep = (fields.id, *fields.keep)
    tally = release(inputs, sink, OBFUSCATOR, seeded(1), keeping=Keeping(keep=keep, numbered=False))
    sink.close()
    sink.publish()
    assert inputs.meter.bytes == inputs.total
    return tally


def read(path):
    """Names and rows of a released file, by the libraries that people would use."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix == ".zst":
        data = pa.input_stream(str(path), compression="zstd").read()
    if ".jsonl" in path.name:
        return [json.loads(line) for line in data.decode().split("\n")[:-1]]
    if ".csv" in path.name or ".tsv" in path.name:
        delimiter = "\t" if ".tsv" in path.name else ","
        return list(csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    return pyarrow.feather.read_table(path).to_pylist()


def is_released(rows):
    return all(set(row["text"].split()) <= set(TABLE.words) for row in rows)


@st.composite
def json_records(draw):
    kinds = draw(st.dictionaries(names, st.sampled_from(sorted(JSON_VALUES)), max_size=3))
    columns = {name: st.none() | JSON_VALUES[kind] for name, kind in kinds.items()}
    record = st.fixed_dictionaries({"id": st.integers(0, 2**53), "text": texts, **columns})
    return tuple(kinds), draw(st.lists(record, min_size=1, max_size=8))


OUT = [
    "o.jsonl", "o.jsonl.gz", "o.jsonl.zst", "o.csv", "o.csv.gz", "o.csv.zst", "o.tsv",
    "o.parquet", "o.arrow", "o.feather",
]  # fmt: skip


@pytest.mark.parametrize("name", OUT)
@settings(max_examples=25, deadline=None)
@given(records=json_records())
def test_jsonl_to_every_kind(tmp_path_factory, name, records):
    keep, rows = records
    folder = tmp_path_factory.mktemp("j")
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "in.jsonl").write_text(lines, encoding="utf-8")
    tally = passed(folder / "in.jsonl", folder / name, Fields(keep=keep))
    found = read(folder / name)

    assert (tally.released, tally.withheld) == (len(rows), 0)
    assert is_released(found)
    for row, due in zip(found, rows, strict=True):
        for key in ("id", *keep):
            assert row[key] == (as_csv(due[key]) if "sv" in name else due[key])
        assert set(row) == {"id", "text", *keep}


def as_csv(value):
    """What a cell of a CSV file holds."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


@st.composite
def arrow_tables(draw):
    kinds = draw(st.dictionaries(names, st.sampled_from(list(ARROW_TYPES)), max_size=4))
    size = draw(st.integers(1, 9))

    def column(kind):
        values = st.none() | ARROW_TYPES[kind]
        return pa.array(draw(st.lists(values, min_size=size, max_size=size)), kind)

    columns = {"id": pa.array(range(size), pa.int16()), **{n: column(k) for n, k in kinds.items()}}
    columns["body"] = pa.array(draw(st.lists(texts, min_size=size, max_size=size)))
    return pa.table(columns).replace_schema_metadata({"pandas": "all the columns"})


def stream(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)


WRITERS = {
    "in.parquet": lambda table, path: pq.write_table(table, path, row_group_size=3),
    "in.feather": lambda table, path: pyarrow.feather.write_feather(table, path, chunksize=2),
    "in.arrows": stream,
}


@pytest.mark.parametrize("source", WRITERS)
@pytest.mark.parametrize("target", ["o.parquet", "o.arrow", "o.feather"])
@settings(max_examples=25, deadline=None)
@given(table=arrow_tables())
def test_columns_keep_their_types_and_values(tmp_path_factory, source, target, table):
    folder = tmp_path_factory.mktemp("c")
    WRITERS[source](table, folder / source)
    keep = tuple(name for name in table.column_names if name not in ("id", "body"))
    passed(folder / source, folder / target, Fields("body", "id", keep))
    reader = pq.read_table if target == "o.parquet" else pyarrow.feather.read_table
    found = reader(folder / target)

    assert found.column_names == ["id", *keep, "text"]
    for name in ("id", *keep):
        assert found.schema.field(name).type == table.schema.field(name).type
        assert found[name].to_pylist() == table[name].to_pylist()
    assert not found.schema.metadata


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(cells, plain_cells, plain_cells), min_size=1, max_size=9),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_csv_of_any_dialect_comes_back(tmp_path_factory, rows, delimiter, end, quoting):
    folder = tmp_path_factory.mktemp("v")
    with (folder / "in.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
        writer.writerow(["id", "text", "a", "b c"])
        writer.writerows([(i, *row) for i, row in enumerate(rows)])
    passed(folder / "in.csv", folder / "o.csv", Fields(keep=("a", "b c")))

    assert [(row["id"], row["a"], row["b c"]) for row in read(folder / "o.csv")] == [
        (str(i), a, b) for i, (_, a, b) in enumerate(rows)
    ]


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_packed_records_are_unpacked(tmp_path, kind, packing):
    content = {"jsonl": '{"id": "1", "text": "rain"}\n', "csv": "id,text\n1,rain\n"}[kind].encode()
    path = tmp_path / f"in.{kind}{packing}"
    with pa.output_stream(str(path), compression=None) as file:
        kinds = {"": None, ".gz": "gzip", ".zst": "zstd"}
        file.write(pa.compress(content, kinds[packing], asbytes=True) if packing else content)
    passed(path, tmp_path / "o.jsonl", Fields())

    assert [row["id"] for row in read(tmp_path / "o.jsonl")] == ["1"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([None, 1, 2.5, 2**40]), min_size=1, max_size=30))
def test_a_column_widens_while_it_is_written(tmp_path_factory, values):
    """With a row or two at a time, whatever comes later fits what came before."""
    from nomdeplume.formats import table_sink

    folder = tmp_path_factory.mktemp("w")
    rows = before = table_sink.ROWS
    table_sink.ROWS = 2
    try:
        lines = [json.dumps({"id": i, "text": "rain", "x": x}) for i, x in enumerate(values)]
        (folder / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
        for name in ("o.parquet", "o.arrow"):
            passed(folder / "in.jsonl", folder / name, Fields(keep=("x",)))
            rows = read(folder / name)
            assert [row["x"] for row in rows] == values
            assert [row["id"] for row in rows] == list(range(len(values)))
            assert sorted(path.name for path in folder.iterdir() if path.name[0] == ".") == []
    finally:
        table_sink.ROWS = before


def test_decimals_become_text_where_there_are_none(tmp_path):
    table = pa.table({"text": ["rain"], "price": pa.array([Decimal("1.50")])})
    pq.write_table(table, tmp_path / "in.parquet")
    passed(tmp_path / "in.parquet", tmp_path / "o.jsonl", Fields(keep=("price",)))

    assert read(tmp_path / "o.jsonl")[0]["price"] == "1.50"


signs = st.sampled_from(["wife ", "dog", ",", ";", "\n", '"', "'", "\\", " "])
secret = st.lists(signs, max_size=12).map("".join)
PIECES = re.compile("wife|dog")


@st.composite
def broken_csv(draw):
    """A CSV file in some dialect, the texts of which were then tampered with.

    Where a backslash escapes, no delimiter is put in: with one that is escaped after it the
    row would be as well-formed as before, and nobody could tell.
    """
    delimiter, quote = draw(st.sampled_from(",;")), draw(st.sampled_from("\"'"))
    escape, quoting = draw(st.booleans()), draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    options = {"doublequote": False, "escapechar": "\\"} if escape else {}
    out = io.StringIO()
    writer = csv.writer(
        out, delimiter=delimiter, quotechar=quote, quoting=quoting, lineterminator="\n", **options
    )
    writer.writerow(["id", "text", "topic"])
    before = draw(st.sampled_from([0, 30, 120]))
    for i in range(before):
        writer.writerow([i, "rain", "a"])
    for i in range(draw(st.integers(1, 4))):
        start = out.tell()
        text = draw(secret)
        writer.writerow([before + i, text, "b"])
        row = out.getvalue()[start:]
        low, high = len(str(before + i)) + 2 * (quoting == csv.QUOTE_ALL) + 1, len(row) - 4
        at = draw(st.integers(low, max(low, high)))
        broken = ["", '"', "'", "\n", "\\"] if escape else ["", '"', "'", ",", ";", "\n", "\\"]
        sign = draw(st.sampled_from(broken))
        out.seek(start)
        out.truncate()
        out.write(row[:at] + sign + row[at:])
    for i in range(25):
        writer.writerow([before + 10 + i, "snow", "a"])
    return out.getvalue()


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(broken_csv())
def test_no_broken_csv_puts_a_text_into_another_column(content):
    lines = iter(content.encode().splitlines(keepends=True))
    try:
        found = list(read_rows(lines, "row", Fields(keep=("topic",))))
    except InputError:
        return
    beside = [value for each in found if not each.unreadable for value in each.fields.values()]

    assert not [value for value in beside if PIECES.search(value)]
