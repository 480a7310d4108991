import io
import pickle
import sys
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from datasets.features.features import PandasArrayExtensionArray

from nomdeplume import InputError, Ledger, Obfuscator, PrivacyError, seeded
from nomdeplume.frames import SLICE
from nomdeplume.privacy.certificate import NOT_PRIVATE, Certificate

CANARY = "canary-4cd1"
NUMBER = 987_654_321_987
CANARIES = (CANARY.encode(), np.int64(NUMBER).tobytes())
COLUMNS = {"id": [CANARY, "b"], "body": ["pear lake", CANARY], "topic": ["fruit", "water"]}


def batch(columns):
    return pa.RecordBatch.from_pydict(columns)


KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "table": pa.table,
    "batch": batch,
    "datasets": datasets.Dataset.from_dict,
}


@pytest.fixture
def obfuscator(table):
    return Obfuscator.laplace(table, epsilon=2.0, size=6)


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def kind(request):
    """Every kind of frame, made from a dictionary of columns."""
    return request.param


def columns_of(frame):
    """The columns of any frame as Python values, in order."""
    if isinstance(frame, pd.DataFrame):
        return frame.to_dict("list")
    return frame.to_dict(as_series=False) if isinstance(frame, pl.DataFrame) else dict_of(frame)


def dict_of(frame):
    return frame.to_dict() if isinstance(frame, datasets.Dataset) else frame.to_pydict()


def serialised(frame):
    """All that leaves the process with a frame: its pickle, and its Arrow stream with metadata."""
    if isinstance(frame, pd.DataFrame):
        return pickle.dumps(frame)
    if isinstance(frame, pl.DataFrame):
        return pickle.dumps(frame) + frame.write_ipc(None).getvalue()
    native = frame.data.table if isinstance(frame, datasets.Dataset) else frame
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, native.schema) as writer:
        writer.write(native)
    return pickle.dumps(frame) + stream.getvalue()


def leaks(frame):
    return any(canary in serialised(frame) for canary in CANARIES)


def test_words_and_kept_columns_come_out_in_their_order(obfuscator, table, kind):
    private = kind(COLUMNS)
    released = obfuscator.frame(private, text="body", keep=("topic",))

    assert type(released) is type(private)
    assert list(columns_of(released)) == ["body", "topic"]
    assert columns_of(released)["topic"] == ["fruit", "water"]
    for document in columns_of(released)["body"]:
        assert len(document.split(" ")) == 6
        assert set(document.split(" ")) <= set(table.words)


def test_what_is_not_kept_stays_behind(obfuscator, kind):
    private = kind(COLUMNS)

    assert leaks(private)
    assert not leaks(obfuscator.frame(private, text="body", keep=["topic"]))


def test_a_frame_is_released_like_its_texts(obfuscator, kind):
    private = kind({"text": ["pear lake", "", "apple"]})
    released = obfuscator.frame(private, rng=seeded(3))
    documents = obfuscator(["pear lake", "", "apple"], seeded(3))

    assert columns_of(released)["text"] == [document.text for document in documents]


def test_a_seeded_frame_says_that_it_is_not_private(obfuscator, kind):
    released, certificate = obfuscator.certified_frame(
        kind({"text": ["pear", "lake"]}), rng=seeded(1)
    )

    assert columns_of(released)["warning"] == [NOT_PRIVATE] * 2
    assert list(columns_of(released)) == ["text", "warning"]
    assert not certificate.private


def test_the_certificate_speaks_of_the_words(obfuscator, kind):
    private = kind(COLUMNS)
    kept = {"keep": ["topic", "id"], "allow_identifying_ids": True}
    released, certificate = obfuscator.certified_frame(private, text="body", **kept)
    lines = "".join(f"{document}\n" for document in columns_of(released)["body"])

    assert certificate.output.kind == "frame"
    assert certificate.output.sha256 == sha256(lines.encode()).hexdigest()
    assert (certificate.documents, certificate.private) == (2, True)
    assert certificate.kept_fields == ("topic", "id")
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_the_certificate_holds_against_the_words_in_a_file(obfuscator, tmp_path):
    from nomdeplume.privacy.verify import verify

    private = pd.DataFrame(COLUMNS)
    released, certificate = obfuscator.certified_frame(private, text="body", keep=["topic"])
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{document}\n" for document in released["body"]), encoding="utf-8")

    assert all(check.holds for check in verify(certificate, obfuscator.vocabulary, path))


@pytest.mark.parametrize("name", ["r.csv", "r.parquet", "r.feather", "r.jsonl"])
def test_the_certificate_holds_against_the_saved_frame(obfuscator, tmp_path, name):
    from nomdeplume.privacy.verify import verify

    private = pd.DataFrame(COLUMNS)
    released, certificate = obfuscator.certified_frame(private, text="body", keep=["topic"])

    def checks(frame):
        path = tmp_path / name
        {
            "r.csv": lambda: frame.to_csv(path, index=False),
            "r.parquet": lambda: frame.to_parquet(path, index=False),
            "r.feather": lambda: frame.reset_index(drop=True).to_feather(path),
            "r.jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        }[name]()
        return [check.holds for check in verify(certificate, obfuscator.vocabulary, path)]

    assert all(checks(released))
    assert not all(checks(released.assign(author="Ann")))
    assert not all(checks(released[::-1]))


def test_a_frame_without_rows_stays_one(obfuscator, kind):
    private = kind({"body": ["x"], "topic": [3], "id": [1]})
    private = private.select([]) if isinstance(private, datasets.Dataset) else private[:0]
    released, certificate = obfuscator.certified_frame(private, text="body", keep=["topic"])

    assert columns_of(released) == {"body": [], "topic": []}
    assert certificate.documents == 0


def test_an_empty_frame_need_not_know_its_type(obfuscator):
    assert obfuscator.frame(pl.DataFrame({"text": []})).schema == {"text": pl.String}
    assert list(obfuscator.frame(pd.DataFrame({"text": []})).columns) == ["text"]


def test_many_rows_come_out_in_order(table, kind):
    """Without noise to speak of and one word a text, every row shows whose text it was."""
    texts = ["pear", "lake", "river"] * SLICE
    private = kind({"n": list(range(len(texts))), "text": texts})
    released = Obfuscator.laplace(table, epsilon=1e4, size=1).frame(private, keep=["n"])

    assert columns_of(released) == columns_of(private)


@pytest.mark.parametrize("missing", [1, SLICE + 2])
def test_rows_without_text_are_counted(obfuscator, kind, missing):
    texts = ["pear"] * SLICE * 2
    texts[missing] = texts[-1] = None

    with pytest.raises(InputError, match=rf"2 rows hold none, the first is row {missing + 1:,}\."):
        obfuscator.frame(kind({"text": texts}))


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
def test_whatever_pandas_calls_missing_is_no_text(obfuscator, nothing):
    private = pd.DataFrame({"text": pd.Series(["pear", nothing], dtype=object)})

    with pytest.raises(InputError, match="1 row holds none, the first is row 2"):
        obfuscator.frame(private)


@pytest.mark.parametrize(
    "values", [[1, 2], [True, False], [b"pear", b"lake"], [["pear"], ["lake"]]]
)
def test_a_text_must_be_text(obfuscator, kind, values):
    with pytest.raises(InputError, match=r"column 'text' must hold text, got [A-Z]"):
        obfuscator.frame(kind({"text": values}))


def test_numbers_among_texts_are_named_by_row_and_type(obfuscator):
    mixed = pd.Series(["pear"] * 200 + [7], dtype=object)

    with pytest.raises(InputError, match="in every row; row 201 holds int"):
        obfuscator.frame(pd.DataFrame({"text": mixed}))
    with pytest.raises(InputError, match="in every row; row 1 holds int"):
        obfuscator.frame(pd.DataFrame({"text": pd.Categorical([7])}))


def test_a_column_that_is_not_there_is_told_with_those_that_are(obfuscator, kind):
    with pytest.raises(InputError, match=r"no column 'text' .* 'id', 'body', 'topic'"):
        obfuscator.frame(kind(COLUMNS))
    with pytest.raises(InputError, match=r"no column 'author' .* 'id', 'body', 'topic'"):
        obfuscator.frame(kind(COLUMNS), text="body", keep=["author"])


@pytest.mark.parametrize("keep", ["topic", None, 3])
def test_what_to_keep_is_a_list_of_names(obfuscator, kind, keep):
    with pytest.raises(InputError, match="keep must be a list of column names, got one"):
        obfuscator.frame(kind(COLUMNS), text="body", keep=keep)


@pytest.mark.parametrize("keep", [["body"], ["topic", "topic"], [3], [["topic"]]])
def test_each_column_is_named_once(obfuscator, kind, keep):
    with pytest.raises(InputError, match="must name different columns"):
        obfuscator.frame(kind(COLUMNS), text="body", keep=keep)


def test_the_mark_of_seeded_frames_cannot_be_kept(obfuscator, kind):
    private = kind({"text": ["pear"], "warning": [3]})

    with pytest.raises(InputError, match="'warning' has a meaning of its own"):
        obfuscator.frame(private, keep=["warning"])
    assert columns_of(obfuscator.frame(private, rng=seeded(1)))["warning"] == [NOT_PRIVATE]


def test_names_must_be_distinct(obfuscator):
    with pytest.raises(InputError, match="distinct"):
        obfuscator.frame(pd.DataFrame([["pear", 1, 2]], columns=["text", "a", "a"]))
    with pytest.raises(InputError, match="distinct"):
        obfuscator.frame(pa.table([["pear"], [1], [2]], names=["text", "a", "a"]))


UNREADY = {
    "LazyFrame; collect it first": pl.LazyFrame({"text": ["pear"]}),
    "DatasetDict; give one split": datasets.DatasetDict(
        {"train": datasets.Dataset.from_dict({"text": ["pear"]})}
    ),
    "IterableDataset; give a Dataset": datasets.Dataset.from_dict(
        {"text": ["pear"]}
    ).to_iterable_dataset(),
    "list; convert it": ["pear"],
    "str; convert it": "pear",
    "Series; convert it": pd.Series(["pear"], name="text"),
    "NoneType; convert it": None,
}


@pytest.mark.parametrize("what", UNREADY)
def test_what_is_no_frame_is_named_by_its_type(obfuscator, what):
    with pytest.raises(InputError, match=f"one of pandas, polars, .* got {what}"):
        obfuscator.frame(UNREADY[what])


def test_without_narwhals_the_way_to_install_it_is_told(obfuscator, monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)

    with pytest.raises(InputError, match=r"pip install 'nomdeplume\[formats\]'"):
        obfuscator.frame(pd.DataFrame({"text": ["pear"]}))


def test_a_generator_must_be_one(obfuscator):
    with pytest.raises(InputError, match="rng must be"):
        obfuscator.frame(pd.DataFrame({"text": ["pear"]}), rng=1)


PRIVATE_TEXTS = {
    "object": pd.DataFrame({"text": pd.Series(["pear", "lake"], dtype=object)}),
    "category": pd.DataFrame({"text": pd.Categorical(["pear", "lake"])}),
    "string": pd.DataFrame({"text": pd.Series(["pear", "lake"], dtype="string")}),
    "python": pd.DataFrame({"text": pd.Series(["pear", "lake"], dtype="string[python]")}),
    "arrow": pd.DataFrame({"text": pd.Series(["pear", "lake"], dtype=pd.ArrowDtype(pa.string()))}),
    "Categorical": pl.DataFrame({"text": ["pear", "lake"]}, schema={"text": pl.Categorical}),
    "Enum": pl.DataFrame({"text": ["pear", "lake"]}, schema={"text": pl.Enum(["lake", "pear"])}),
    "large": pa.table({"text": pa.array(["pear", "lake"], pa.large_string())}),
    "view": pa.table({"text": pa.array(["pear", "lake"], pa.string_view())}),
    "dictionary": pa.table({"text": pa.array(["pear", "lake"]).dictionary_encode()}),
    "chunks": pa.table({"text": pa.chunked_array([["pear"], [], ["lake"]])}),
    "feature": datasets.Dataset.from_dict(
        {"text": ["pear", "lake"]},
        features=datasets.Features({"text": datasets.Value("large_string")}),
    ),
}


@pytest.mark.parametrize("flavour", PRIVATE_TEXTS)
def test_texts_of_every_flavour_are_released(table, flavour):
    private = PRIVATE_TEXTS[flavour]
    released = Obfuscator.laplace(table, epsilon=1e4, size=2).frame(private)

    assert columns_of(released) == {"text": ["pear pear", "lake lake"]}
    if flavour in ("string", "python", "arrow"):
        assert released.dtypes["text"] == private.dtypes["text"]
    if flavour in ("large", "view"):
        assert released.schema == private.schema
    if flavour == "feature":
        assert released.features == private.features


def test_pandas_types_come_back(obfuscator):
    kept = pd.DataFrame(
        {
            "category": pd.Categorical(["b", None], categories=["c", "b"], ordered=True),
            "interval": pd.cut([1, 2], [0, 1, 2]),
            "integer": pd.array([1, None], dtype="Int8"),
            "flag": pd.array([True, None], dtype="boolean"),
            "zone": pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Paris"),
            "span": pd.to_timedelta([1, 2], unit="s"),
            "period": pd.period_range("2020", periods=2, freq="M"),
            "string": pd.array(["x", None], dtype="string"),
            "python": pd.array(["x", None], dtype="string[python]"),
            "arrow": pd.array([1, None], dtype=pd.ArrowDtype(pa.int16())),
            "object": pd.Series(["x", None], dtype=object),
            "mixed": pd.Series([Decimal("1.5"), datetime(2020, 1, 1, tzinfo=UTC)], dtype=object),
            "sparse": pd.arrays.SparseArray([0, 1]),
            "float": np.array([1.5, np.nan], dtype="float32"),
        }
    )
    released = obfuscator.frame(kept.assign(text=["pear", "lake"]), keep=kept.columns)
    due = kept.assign(category=kept["category"].cat.remove_unused_categories())

    assert list(released.columns) == [*kept.columns, "text"]
    pd.testing.assert_frame_equal(released.drop(columns="text"), due)


def test_polars_types_come_back(obfuscator):
    kept = pl.DataFrame(
        {
            "category": pl.Series(["b", None], dtype=pl.Categorical),
            "enum": pl.Series(["b", None], dtype=pl.Enum(["c", "b"])),
            "decimal": pl.Series([Decimal("1.50"), None], dtype=pl.Decimal(9, 2)),
            "zone": pl.Series([0, None], dtype=pl.Datetime("ns", "Europe/Paris")),
            "span": pl.Series([1, None], dtype=pl.Duration("ms")),
            "time": pl.Series([1, None], dtype=pl.Time),
            "small": pl.Series([1, None], dtype=pl.UInt8),
            "bytes": pl.Series([b"x", None], dtype=pl.Binary),
            "null": pl.Series([None, None], dtype=pl.Null),
        }
    )
    released = obfuscator.frame(kept.with_columns(text=pl.lit("pear")), keep=kept.columns)

    assert released.drop("text").equals(kept, null_equal=True)
    assert released.drop("text").schema == kept.schema


def test_arrow_types_come_back(obfuscator):
    types = {
        "dictionary": pa.dictionary(pa.int8(), pa.large_string(), ordered=True),
        "nanoseconds": pa.timestamp("ns", "Europe/Paris"),
        "decimal": pa.decimal128(9, 2),
        "day": pa.date32(),
        "view": pa.string_view(),
        "half": pa.float16(),
        "fixed": pa.binary(2),
        "null": pa.null(),
    }
    values = {"dictionary": "x", "decimal": Decimal("1.5"), "view": "x" * 20, "fixed": b"ab"}
    values |= {"nanoseconds": 1, "day": 1, "half": np.float16(1.5), "null": None}
    kept = {n: pa.array([values[n], None], type=kind) for n, kind in types.items()}
    required = pa.field("required", pa.int64(), nullable=False)
    schema = pa.schema([pa.field(n, kind) for n, kind in types.items()] + [required])
    private = pa.table(kept | {"required": [1, 2]}, schema=schema)
    private = private.append_column("text", [["pear", "lake"]])
    released = obfuscator.frame(private, keep=schema.names)

    assert released.drop_columns("text").equals(private.drop_columns("text"))
    assert released.schema == private.schema


def test_features_come_back(obfuscator):
    features = datasets.Features(
        {
            "topic": datasets.ClassLabel(names=["fruit", "water"]),
            "text": datasets.Value("string"),
            "when": datasets.Value("timestamp[ns]"),
            "small": datasets.Value("int8"),
        }
    )
    columns = {"topic": [1, 0], "text": ["pear", "lake"], "when": [1, None], "small": [1, 2]}
    private = datasets.Dataset.from_dict(columns, features=features).select([1, 0])
    private.set_format("numpy", columns=["small"])
    released = obfuscator.frame(private, keep=["small", "topic", "when"])

    assert released.features == features
    assert list(released.features) == list(features)
    assert released["topic"][:] == [0, 1]
    assert released["small"][:] == [2, 1]


NESTED = {
    "pandas list": pd.DataFrame({"text": ["pear"], "tags": [["a"]]}),
    "pandas dict": pd.DataFrame({"text": ["pear"], "tags": [{"a": 1}]}),
    "pandas array": pd.DataFrame({"text": ["pear"], "tags": [np.zeros(2)]}),
    "pandas arrow": pd.DataFrame(
        {"text": ["pear"], "tags": pd.Series([["a"]], dtype=pd.ArrowDtype(pa.list_(pa.string())))}
    ),
    "polars list": pl.DataFrame({"text": ["pear"], "tags": [["a"]]}),
    "polars struct": pl.DataFrame({"text": ["pear"], "tags": [{"a": 1}]}),
    "polars object": pl.DataFrame({"text": ["pear"], "tags": pl.Series([object()])}),
    "polars extension": pl.DataFrame(
        {"text": ["pear"], "tags": pl.Series([1]).ext.to(pl.Extension("tag", pl.Int64, CANARY))}
    ),
    "pandas extension": pd.DataFrame(
        {"text": ["pear"], "tags": PandasArrayExtensionArray(np.zeros((1, 2)))}
    ),
    "arrow list": pa.table({"text": ["pear"], "tags": [["a"]]}),
    "arrow map": pa.table(
        {"text": ["pear"], "tags": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8()))}
    ),
    "arrow extension": pa.table({"text": ["pear"], "tags": pa.array([b"0" * 16], pa.uuid())}),
    "batch struct": batch({"text": ["pear"], "tags": [{"a": 1}]}),
    "datasets list": datasets.Dataset.from_dict({"text": ["pear"], "tags": [["a"]]}),
}


@pytest.mark.parametrize("what", NESTED)
def test_nested_columns_cannot_be_kept_and_can_be_left(obfuscator, what):
    with pytest.raises(InputError, match=r"'tags' must hold plain values, got .*; leave it out"):
        obfuscator.frame(NESTED[what], keep=["tags"])
    assert list(columns_of(obfuscator.frame(NESTED[what]))) == ["text"]


class Marked(str):
    """A string that remembers where it is from, as those of HTML parsers do."""

    __slots__ = ("page",)


@pytest.mark.parametrize("dtype", [object, "string[python]", "category"])
def test_strings_that_carry_more_are_not_kept(obfuscator, dtype):
    title = Marked("fruit")
    title.page = CANARY
    values = pd.Series([title], dtype=object)
    dtype = pd.CategoricalDtype(pd.Index(values)) if dtype == "category" else dtype
    private = pd.DataFrame({"text": ["pear"], "title": values.astype(dtype)})

    assert leaks(private)
    with pytest.raises(InputError, match="'title' must hold plain values, got Marked in row 1"):
        obfuscator.frame(private, keep=["title"])


def test_an_index_stays_behind_unless_its_name_is_kept(obfuscator):
    private = pd.DataFrame({"text": ["pear", "lake"]}, index=pd.Index([CANARY, "b"], name="author"))
    left, kept = (obfuscator.frame(private, keep=keep) for keep in ([], ["author"]))

    assert leaks(private)
    assert not leaks(left)
    assert left.index.equals(pd.RangeIndex(2))
    pd.testing.assert_index_equal(kept.index, private.index)
    assert list(kept.columns) == ["text"]


def test_a_slice_does_not_tell_its_rows(obfuscator):
    private = pd.DataFrame({"text": ["pear"] * 9})[5:7]

    assert obfuscator.frame(private).index.equals(pd.RangeIndex(2))


def test_a_deep_index_is_kept_whole_or_not_at_all(obfuscator):
    index = pd.MultiIndex.from_tuples([("a", 1), (CANARY, 2)], names=["author", "year"])
    private = pd.DataFrame({"text": ["pear", "lake"]}, index=index)

    pd.testing.assert_index_equal(obfuscator.frame(private, keep=["author", "year"]).index, index)
    assert not leaks(obfuscator.frame(private[:1], keep=["author", "year"]))
    assert obfuscator.frame(private).index.nlevels == 1
    with pytest.raises(InputError, match="all its levels or none"):
        obfuscator.frame(private, keep=["year"])


def test_a_column_goes_before_an_index_of_its_name(obfuscator):
    private = pd.DataFrame({"text": ["pear"], "n": [1]}, index=pd.Index([CANARY], name="n"))
    released = obfuscator.frame(private, keep=["n"])

    assert released["n"].to_list() == [1]
    assert not leaks(released)


def hidden(values, rows=(0, 2)):
    """An Arrow array in whose buffers there still is what is missing now."""
    array = pa.array(values)
    there = pa.array([row in rows for row in range(len(array))]).buffers()[1]
    return pa.Array.from_buffers(array.type, len(array), [there, *array.buffers()[1:]])


def masked():
    array = pd.array([1, NUMBER, 3], dtype="Int64")
    array[1] = pd.NA
    return array


def noted(frame):
    frame.attrs["source"] = CANARY
    frame.columns.name = CANARY
    return frame


def described(table):
    field = pa.field("kept", pa.string(), metadata={"source": CANARY})
    return table.cast(pa.schema([table.field("text"), field], metadata={"pandas": CANARY}))


TEXT = ["pear", "lake", "pear"]
KEPT = ["x", "y", CANARY]
CARRIERS = {
    "pandas attrs": noted(pd.DataFrame({"text": TEXT, "kept": 1})),
    "pandas category": pd.DataFrame({"text": TEXT, "kept": pd.Categorical(KEPT)})[:2],
    "pandas category name": pd.DataFrame(
        {"text": ["pear"], "kept": pd.Categorical.from_codes([0], pd.Index(["x"], name=CANARY))}
    ),
    "pandas masked": pd.DataFrame({"text": TEXT, "kept": masked()}),
    "pandas arrow": pd.DataFrame(
        {"text": TEXT, "kept": pd.arrays.ArrowExtensionArray(pa.chunked_array([hidden(KEPT, [0])]))}
    ),
    "polars null": pl.DataFrame({"text": TEXT, "kept": pl.Series(hidden([1, NUMBER, 3]))}),
    "polars string": pl.DataFrame({"text": TEXT, "kept": pl.Series(hidden(KEPT, [0]))}),
    "arrow slice": pa.table({"text": TEXT, "kept": KEPT})[:2],
    "arrow null": pa.table({"text": TEXT, "kept": hidden([1, NUMBER, 3])}),
    "arrow string": pa.table({"text": TEXT, "kept": hidden(KEPT, [0, 1])}),
    "arrow dictionary": pa.table({"text": TEXT, "kept": pa.array(KEPT).dictionary_encode()})[:2],
    "arrow metadata": described(pa.table({"text": TEXT, "kept": ["x", "y", "z"]})),
    "batch slice": batch({"text": TEXT, "kept": KEPT})[:2],
    "datasets select": datasets.Dataset.from_dict({"text": TEXT, "kept": KEPT}).select([1, 0]),
    "datasets info": datasets.Dataset(
        pa.table({"text": TEXT, "kept": [1, 2, 3]}), info=datasets.DatasetInfo(description=CANARY)
    ),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_kept_column_brings_nothing_but_its_rows(obfuscator, carrier):
    private = CARRIERS[carrier]
    released = obfuscator.frame(private, keep=["kept"])

    assert leaks(private)
    assert not leaks(released)
    assert str(columns_of(released)["kept"]) == str(columns_of(private)["kept"])


def test_a_kept_column_is_a_copy(obfuscator):
    private = pd.DataFrame({"text": ["pear"], "n": np.array([1])})
    released = obfuscator.frame(private, keep=["n"])
    released.loc[0, "n"] = 2

    assert private["n"].to_list() == [1]
    assert not np.shares_memory(private["n"].to_numpy(), released["n"].to_numpy())


def test_entries_of_a_dictionary_keep_their_order(obfuscator):
    levels = pa.DictionaryArray.from_arrays(
        pa.array([3, None, 1], pa.int8()), ["low", "mid", "odd", "high"], ordered=True
    )
    private = pa.table({"text": TEXT, "level": pa.chunked_array([levels[:1], levels[1:]])})
    released = obfuscator.frame(private, keep=["level"])["level"].combine_chunks()

    assert released.to_pylist() == ["high", None, "mid"]
    assert released.dictionary.to_pylist() == ["mid", "high"]
    assert released.type == levels.type


@pytest.mark.parametrize("ids", [["Zyxo7", "r-2"], ["r-1", "a@zyxo.org"], ["r-1", "zyxo smith"]])
def test_kept_ids_that_tell_who_wrote_a_text_are_refused(obfuscator, kind, ids):
    private = kind(COLUMNS | {"id": ids, "author": ["Zyxo", "Bob"]})
    with pytest.raises(PrivacyError, match=r"^row [12]: the id in field 'id' ") as refusal:
        obfuscator.frame(private, text="body", keep=["id"])

    assert "zyxo" not in str(refusal.value).lower()
    allowed = obfuscator.frame(private, text="body", keep=["id"], allow_identifying_ids=True)
    assert list(columns_of(allowed)["id"]) == ids
    assert set(columns_of(obfuscator.frame(private, text="body"))) == {"body"}


@pytest.mark.parametrize("authors", [None, ["81", "82"]])
def test_authors_of_the_frame_and_given_ones_are_both_compared(obfuscator, tmp_path, authors):
    private = pd.DataFrame(COLUMNS | {"id": ["r-71-1", "r-72-1"], "author": [["5"], ["6", "72"]]})
    how = {"text": "body", "keep": ["id"], "authors": authors}
    refused = pytest.raises(PrivacyError, match="row 2: the id in field 'id' contains the value")
    with Ledger(tmp_path / "l", limit=1e6) as ledger, refused:
        obfuscator.frame(private, **how, ledger=ledger, ids=["a", "b"])


@pytest.mark.parametrize("name", ["author", "Author"])
def test_authors_are_compared_wherever_they_are_in_a_frame(obfuscator, name):
    private = pd.DataFrame(COLUMNS | {"id": ["r-71-1", "r-72-1"], name: ["5", "72"]})
    refused = pytest.raises(PrivacyError, match="row 2: the id in field 'id' contains the value")
    with refused:
        obfuscator.frame(private.set_index(name), text="body", keep=["id"])
    with refused:
        obfuscator.frame(private.assign(author=["5", "72"], Author=None), text="body", keep=["id"])


def test_given_authors_are_compared_without_a_ledger(obfuscator):
    private = pd.DataFrame(COLUMNS | {"id": ["r-71-1", "r-72-1"]})
    with pytest.raises(PrivacyError, match="row 2: the id in field 'id' contains the value"):
        obfuscator.frame(private, text="body", keep=["id"], authors=["5", "72"])
    released = obfuscator.frame(private, text="body", keep=["id"], authors=["5", "6"])
    assert list(released["id"]) == ["r-71-1", "r-72-1"]
    with pytest.raises(InputError, match="ids and authors are for a ledger"):
        obfuscator.frame(private, text="body", authors=["5", "6"])


@pytest.mark.parametrize(
    ("ids", "authors", "told"),
    [
        (["r-1", "zyxo smith"], ["5", "6"], "holds letters"),
        (["r-1", "r-72"], ["5", "72"], "contains the value"),
    ],
)
def test_class_labels_are_compared_by_their_names(obfuscator, ids, authors, told):
    labels = {"id": datasets.ClassLabel(names=ids), "author": datasets.ClassLabel(names=authors)}
    features = datasets.Features({"text": datasets.Value("string"), **labels})
    private = datasets.Dataset.from_dict(
        {"text": ["pear", "lake"], "id": [0, 1], "author": [0, 1]}, features=features
    )
    with pytest.raises(PrivacyError, match=f"row 2: the id in field 'id' {told}"):
        obfuscator.frame(private, keep=["id"])


def test_a_kept_column_is_one_of_ids_however_they_are_written(obfuscator, tmp_path):
    private = pd.DataFrame(COLUMNS | {"key": ["zyxo smith ", "r-1"]})
    ids = private["key"].str.strip()
    refused = pytest.raises(PrivacyError, match="row 1: the id in field 'key' holds letters")
    with Ledger(tmp_path / "l", limit=1e6) as ledger, refused:
        obfuscator.frame(private, text="body", keep=["key"], ledger=ledger, ids=ids)


def test_a_kept_column_that_is_charged_by_is_one_of_ids(obfuscator, tmp_path):
    private = pd.DataFrame(COLUMNS | {"key": ["r-71-1", "r-72-1"]})
    with Ledger(tmp_path / "l", limit=1e6) as ledger:
        how = {"ledger": ledger, "ids": private["key"], "authors": ["5", "72"]}
        with pytest.raises(PrivacyError, match="row 2: the id in field 'key' contains the value"):
            obfuscator.frame(private, text="body", keep=["key"], **how)
        assert list(ledger.runs()) == []  # nothing was charged
        how["authors"] = ["5", "6"]
        released = obfuscator.frame(private, text="body", keep=["key"], **how)

    assert list(released["key"]) == ["r-71-1", "r-72-1"]
