"""Data frames: private texts go in; released words and kept columns come out, nothing else.

A kept column is built anew from the values in its rows. Taken over as it is, it would bring
more: an Arrow slice pickles the rows around it, a categorical lists what only other rows hold,
a masked array stores what stood where a value is now missing, and a schema, an index and
`attrs` tell of columns that stay behind. Names that a type declares, those of a polars Enum
or a Hugging Face ClassLabel, are part of the type and come along.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, count, islice
from typing import Any

import numpy as np

from nomdeplume.errors import InputError

SLICE = 4096  # rows that are Python strings at a time
WARNING = "warning"  # the column that marks a seeded release
STRINGS = ("string", "large_string", "string_view")  # Arrow's
SCALARS = ("builtins", "datetime", "decimal", "numpy", "pandas")  # modules of plain values
UNREADY = {
    ("polars", "LazyFrame"): "collect it first",
    ("datasets", "DatasetDict"): "give one split",
    ("datasets", "IterableDataset"): "give a Dataset, which holds its rows",
}


@dataclass(frozen=True)
class Private:
    """A frame whose column `text` is private: its words and the columns in `keep` may leave."""

    frame: Pandas | Polars | Arrow
    text: str
    keep: tuple[str, ...]

    @classmethod
    def of(cls, native: Any, text: str, keep: Iterable[str]) -> Private:
        """Refuse now what cannot be released: wrong names, wrong types, rows without text."""
        if isinstance(keep, str) or not isinstance(keep, Iterable):
            raise InputError(f"keep must be a list of column names, got one {type(keep).__name__}.")
        names = (text, *keep)
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise InputError("text and keep must name different columns, each once, by strings.")
        if WARNING in names:
            raise InputError(f"column {WARNING!r} has a meaning of its own; rename it.")
        private = cls(_opened(native, *names), text, names[1:])
        private._check_names()
        private._check_texts()
        return private

    def __len__(self) -> int:
        return len(self.frame.native)

    def texts(self) -> Iterator[str]:
        """The private texts in order; only a slice of them are Python strings at a time."""
        parts = (part.to_list() for part in self._slices())
        for row, text in enumerate(chain.from_iterable(parts), start=1):
            if not isinstance(text, str):
                raise self._refusal(f"row {row:,} holds {type(text).__name__}")
            yield text

    def released(self, documents: Iterable[str], warning: str = "") -> Any:
        """The frame with documents in place of its texts, and of its other columns the kept."""
        columns = {name: self.frame.kept(name) for name in self.keep}
        columns[self.text] = self.frame.strings(self.text, _chunks(documents))
        columns = {name: columns[name] for name in self.frame.names if name in columns}
        if warning:
            marks = _chunks(warning for _ in range(len(self)))
            columns[WARNING] = self.frame.strings(WARNING, marks)
        return self.frame.built(columns)

    def _slices(self) -> Iterator[Any]:
        column = import_module("narwhals").from_native(self.frame.native)[self.text]
        for start in range(0, len(self), SLICE):
            yield column[start : start + SLICE]

    def _check_names(self) -> None:
        names = self.frame.names
        if len(set(names)) < len(names):
            raise InputError("column names must be distinct; rename those that are not.")
        for name in (self.text, *self.keep):
            if name not in names:
                there = ", ".join(map(repr, names[:20]))
                raise InputError(f"no column {name!r} in the frame; it has {there or 'none'}.")

    def _check_texts(self) -> None:
        nw = import_module("narwhals")
        missing: list[int] = []
        for start, part in zip(count(1, SLICE), self._slices(), strict=False):
            rows = part.is_null().arg_true().to_list()
            missing += [start + row for row in rows]
            if part.dtype not in (nw.String, nw.Categorical, nw.Enum) and len(rows) < len(part):
                raise InputError(f"column {self.text!r} must hold text, got {part.dtype!s:.60}.")
        if missing:
            raise self._refusal(f"{len(missing):,} rows hold none, the first is row {missing[0]:,}")

    def _refusal(self, found: str) -> InputError:
        return InputError(f"column {self.text!r} must hold text in every row; {found}.")


@dataclass(frozen=True)
class Pandas:
    """A pandas DataFrame. It gets a fresh index, unless all names of its own are kept.

    Like each kind of frame it is `built` of its `kept` columns and a column of `strings`, which
    has the type of the column of that name, if that is one of strings.
    """

    native: Any
    names: list[Any]
    index: list[str]  # names of the index, if it is kept

    @classmethod
    def of(cls, native: Any, keep: tuple[str, ...]) -> Pandas:
        wanted = set(keep) - set(native.columns)
        index = [name for name in native.index.names if name in wanted]
        if index and len(index) < native.index.nlevels:
            raise InputError("an index is kept with all its levels or none; use reset_index().")
        return cls(native, [*native.columns, *index], index)

    def kept(self, name: str) -> Any:
        index = self.native.index
        column = index.get_level_values(name) if name in self.index else self.native[name]
        fresh = _fresh(name, column)
        return import_module("pandas").Series(fresh, dtype=fresh.dtype)

    def strings(self, name: str, chunks: Iterable[list[str]]) -> Any:
        pd = import_module("pandas")
        dtype = self.native[name].dtype if name in self.names else None
        arrow = str(getattr(dtype, "pyarrow_dtype", None)) in STRINGS
        dtype = dtype if arrow or isinstance(dtype, pd.StringDtype) else "str"
        parts = [pd.Series(chunk, dtype=dtype) for chunk in chunks]
        return pd.concat(parts or [pd.Series([], dtype=dtype)], ignore_index=True)

    def built(self, columns: Mapping[str, Any]) -> Any:
        frame = import_module("pandas").DataFrame(columns)
        return frame.set_index(self.index) if self.index else frame


def _fresh(name: str, column: Any) -> Any:
    """The values of a Series or an Index; what is missing is put back after the rest."""
    pd = import_module("pandas")
    dtype, array = column.dtype, column.array
    if isinstance(dtype, pd.CategoricalDtype):
        used = array.remove_unused_categories()
        categories = _fresh(name, used.categories)
        return used.rename_categories(pd.Index(categories, dtype=categories.dtype))
    if pd.api.types.is_object_dtype(dtype) or getattr(dtype, "storage", "") == "python":
        for row, value in enumerate(array, start=1):
            if not pd.api.types.is_scalar(value) or _home(value) not in SCALARS:
                raise _unkept(name, f"{type(value).__name__} in row {row:,}")
    if isinstance(dtype, np.dtype):
        return column.to_numpy()
    arrow = getattr(dtype, "pyarrow_dtype", None)
    if _home(dtype) != "pandas" or (arrow and not _plain(arrow)):
        raise _unkept(name, dtype)
    missing = np.asarray(array.isna())
    rows = np.where(missing, -1, np.cumsum(~missing) - 1)
    return array[~missing].take(rows, allow_fill=True)


@dataclass(frozen=True)
class Polars:
    """A polars DataFrame."""

    native: Any
    names: list[Any]

    def kept(self, name: str) -> Any:
        """Gathered row by row, and no row for a missing value: nothing is left under it."""
        pl = import_module("polars")
        column = self.native[name]
        extension = isinstance(column.dtype, getattr(pl, "BaseExtension", ()))
        if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Unknown) or extension:
            raise _unkept(name, column.dtype)
        there = column.is_not_null()
        rows = pl.select(pl.when(there).then(there.cum_sum() - 1)).to_series()
        return column.drop_nulls().gather(rows)

    def strings(self, name: str, chunks: Iterable[list[str]]) -> Any:  # noqa: ARG002
        pl = import_module("polars")
        parts = [pl.Series(chunk, dtype=pl.String) for chunk in chunks]
        return pl.concat(parts or [pl.Series([], dtype=pl.String)])

    def built(self, columns: Mapping[str, Any]) -> Any:
        return import_module("polars").DataFrame(columns)


@dataclass(frozen=True)
class Arrow:
    """A pyarrow Table, or the RecordBatch or Hugging Face Dataset that it was made of."""

    native: Any
    names: list[Any]
    batch: bool = False
    features: Mapping[str, Any] | None = None  # of a Dataset's columns that may leave

    def kept(self, name: str) -> Any:
        """Taken row by row; of a dictionary, only the entries in use."""
        pa, column, kind = import_module("pyarrow"), self.native[name], self.native[name].type
        if not _plain(kind):
            raise _unkept(name, kind)
        if not pa.types.is_dictionary(kind):
            return pa.chunked_array([_take(each) for each in column.chunks], type=kind)
        whole = column.combine_chunks()
        used = whole.indices.drop_null().unique().sort()
        indices = import_module("pyarrow.compute").index_in(whole.indices, used)
        parts = indices.cast(kind.index_type), _take(whole.dictionary, used)
        return pa.chunked_array([pa.DictionaryArray.from_arrays(*parts, ordered=kind.ordered)])

    def strings(self, name: str, chunks: Iterable[list[str]]) -> Any:
        pa = import_module("pyarrow")
        kind = self.native.schema.field(name).type if name in self.native.column_names else None
        kind = kind if str(kind) in STRINGS else pa.string()
        return pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], type=kind)

    def built(self, columns: Mapping[str, Any]) -> Any:
        pa = import_module("pyarrow")
        nullable = {field.name: field.nullable for field in self.native.schema}
        fields = [pa.field(n, c.type, nullable.get(n, True)) for n, c in columns.items()]
        table = pa.table(dict(columns), schema=pa.schema(fields))
        if self.batch:
            arrays = [column.combine_chunks() for column in table.columns]
            return pa.RecordBatch.from_arrays(arrays, schema=table.schema)
        if self.features is None:
            return table
        datasets = import_module("datasets")
        features = datasets.Features.from_arrow_schema(table.schema)
        features.update([(n, self.features[n]) for n in features if n in self.features])
        return datasets.Dataset(table, info=datasets.DatasetInfo(features=features))


def _take(array: Any, rows: Any = None) -> Any:
    """Rows of an Arrow array, copied; zero stands under what is missing."""
    pa = import_module("pyarrow")
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    rows = pa.array(np.arange(len(array))) if rows is None else rows
    return array.cast(views.get(array.type, array.type)).take(rows).cast(array.type)


def _plain(kind: Any) -> bool:
    """Whether an Arrow type is neither nested nor an extension."""
    pa = import_module("pyarrow")
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return not pa.types.is_nested(kind) and not isinstance(kind, pa.BaseExtensionType)


def _opened(native: Any, text: str, *keep: str) -> Pandas | Polars | Arrow:
    """`native` as a frame of its library, which is loaded wherever its objects are."""
    if find_spec("narwhals") is None:
        raise InputError("frames need narwhals; install it: pip install 'nomdeplume[formats]'")
    if _is(native, "pandas", "DataFrame"):
        return Pandas.of(native, keep)
    if _is(native, "polars", "DataFrame"):
        return Polars(native, native.columns)
    if _is(native, "pyarrow", "Table"):
        return Arrow(native, native.column_names)
    if _is(native, "pyarrow", "RecordBatch"):
        table = import_module("pyarrow").Table.from_batches([native])
        return Arrow(table, table.column_names, batch=True)
    if _is(native, "datasets", "Dataset"):
        return _opened_dataset(native, text, keep)
    todo = next((todo for kind, todo in UNREADY.items() if _is(native, *kind)), "convert it")
    kinds = "pandas, polars, pyarrow or datasets"
    raise InputError(f"a frame must be one of {kinds}, got {type(native).__name__}; {todo}.")


def _opened_dataset(native: Any, text: str, keep: tuple[str, ...]) -> Arrow:
    for name, feature in native.features.items():
        if name in keep and type(feature).__name__ not in ("Value", "ClassLabel"):
            raise _unkept(name, type(feature).__name__)
    names = [name for name in native.column_names if name in (text, *keep)]
    table = native.select_columns(names).with_format("arrow")[:]
    features = {name: native.features[name] for name in names}
    return Arrow(table, native.column_names, features=features)


def _is(native: Any, module: str, name: str) -> bool:
    return isinstance(native, getattr(sys.modules.get(module), name, ()))


def _home(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _unkept(name: str, found: object) -> InputError:
    return InputError(f"column {name!r} must hold plain values, got {found!s:.60}; leave it out.")


def _chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(texts)
    while chunk := list(islice(remaining, SLICE)):
        yield chunk
