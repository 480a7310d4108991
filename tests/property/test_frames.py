"""Kept columns come back with the type and the values they had, in every kind of frame."""

from datetime import timedelta

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import TINY

from nomdeplume import Obfuscator

OBFUSCATOR = Obfuscator.laplace(TINY, epsilon=2.0, size=2)
OBFUSCATOR.frame(pa.table({"text": ["pear"]}))  # what is made once is made now, at no deadline
TYPES = {
    pa.int8(): st.integers(-128, 127),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(st.characters(codec="utf-8")),
    pa.large_string(): st.text(st.characters(codec="utf-8")),
    pa.binary(): st.binary(),
    pa.date32(): st.dates(),
    pa.timestamp("ns", "Asia/Kolkata"): st.integers(-(2**40), 2**40),
    pa.duration("ms"): st.integers(0, 10**6).map(lambda each: timedelta(milliseconds=each)),
    pa.decimal128(12, 3): st.decimals(-(10**8), 10**8, places=3),
    pa.dictionary(pa.int16(), pa.string()): st.text(st.characters(codec="utf-8")),
}


@st.composite
def tables(draw, types=tuple(TYPES)):
    """A window onto a table of some columns with gaps, in one or more chunks."""
    kinds = draw(st.lists(st.sampled_from(types), max_size=4))
    rows = draw(st.integers(0, 12))
    columns = {
        f"column {i}": pa.array(
            draw(st.lists(st.none() | TYPES[kind], min_size=rows, max_size=rows)), kind
        )
        for i, kind in enumerate(kinds)
    }
    table = pa.table({**columns, "text": pa.array(["pear"] * rows, pa.string())})
    start, stop = sorted(draw(st.tuples(*[st.integers(0, rows)] * 2)))
    window = table[start:stop]
    return pa.concat_tables([window, window]) if draw(st.booleans()) else window


def released(private, names):
    return OBFUSCATOR.frame(private, keep=[name for name in names if name != "text"])


def without_text(table):
    """Dictionaries are compared by what they say, since entries out of use are dropped."""
    return {
        name: (table[name].type, table[name].to_pylist())
        for name in table.column_names
        if name != "text"
    }


@given(tables())
def test_columns_of_an_arrow_table(private):
    result = released(private, private.column_names)

    assert without_text(result) == without_text(private)
    assert result.column_names == private.column_names


@given(tables())
def test_columns_of_a_record_batch(private):
    [batch] = private.combine_chunks().to_batches() or [
        pa.RecordBatch.from_pylist([], private.schema)
    ]
    result = released(batch, private.column_names)

    assert without_text(result) == without_text(batch)


@given(tables())
def test_columns_of_a_polars_frame(private):
    frame = pl.from_arrow(private)
    result = released(frame, frame.columns)

    assert result.schema == frame.schema
    assert result.drop("text").equals(frame.drop("text"), null_equal=True)


@given(tables(), st.booleans())
def test_columns_of_a_pandas_frame(private, arrow):
    frame = private.to_pandas(types_mapper=pd.ArrowDtype if arrow else None)
    result = released(frame, frame.columns)
    for name in frame.select_dtypes("category"):
        frame[name] = frame[name].cat.remove_unused_categories()

    assert list(result.columns) == list(frame.columns)
    pd.testing.assert_frame_equal(result.drop(columns="text"), frame.drop(columns="text"))


@given(tables([kind for kind in TYPES if not pa.types.is_dictionary(kind)]))
def test_columns_of_a_dataset(private):
    dataset = datasets.Dataset(private)
    result = released(dataset, dataset.column_names)

    assert result.features == dataset.features
    assert without_text(result.data.table) == without_text(private)
