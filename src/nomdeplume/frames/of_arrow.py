"""pyarrow, and the Hugging Face datasets that are made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from nomdeplume.errors import InputError, got
from nomdeplume.frames.plain import STRINGS, is_plain, unkept
from nomdeplume.privacy.identifying import AUTHORS


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
        if not is_plain(kind):
            raise unkept(name, kind)
        sound(name, column)
        if not pa.types.is_dictionary(kind):
            return pa.chunked_array([_take(each) for each in column.chunks], type=kind)
        whole = column.combine_chunks()
        used = whole.indices.drop_null().unique().sort()
        indices = import_module("pyarrow.compute").index_in(whole.indices, used)
        parts = indices.cast(kind.index_type), _take(whole.dictionary, used)
        return pa.chunked_array([pa.DictionaryArray.from_arrays(*parts, ordered=kind.ordered)])

    def values(self, name: str) -> list[Any] | None:
        """The values of a column, class labels by their names; None if there is no such column."""
        if name not in self.native.column_names:
            return None
        try:
            found = list(self.native[name].to_pylist())
        except (import_module("pyarrow").ArrowException, ValueError, OverflowError):
            raise InputError(
                f"column {got(name)} holds values that cannot be compared; leave ids out of keep, "
                "or add allow_identifying_ids=True."
            ) from None
        labels = getattr((self.features or {}).get(name), "names", None)
        return [labels[each] if labels and each is not None else each for each in found]

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


def sound(name: str, column: Any) -> None:
    """Refuse a column that points outside itself, as one from a damaged file can."""
    try:
        column.validate(full=True)
    except import_module("pyarrow").ArrowInvalid:
        raise InputError(f"column {got(name)} is damaged; read it again from its file.") from None


def _take(array: Any, rows: Any = None) -> Any:
    """Rows of an Arrow array, copied; zero stands under what is missing."""
    pa = import_module("pyarrow")
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    rows = pa.array(np.arange(len(array))) if rows is None else rows
    return array.cast(views.get(array.type, array.type)).take(rows).cast(array.type)


def of_dataset(native: Any, text: str, keep: tuple[str, ...]) -> Arrow:
    """The columns of a Dataset that may leave, its text, and the authors to check ids by."""
    for name, feature in native.features.items():
        if name in keep and type(feature).__name__ not in ("Value", "ClassLabel"):
            raise unkept(name, type(feature).__name__)
    names = [name for name in native.column_names if name in (text, *keep, *AUTHORS)]
    table = native.select_columns(names).with_format("arrow")[:]
    features = {name: native.features[name] for name in names}
    return Arrow(table, native.column_names, features=features)
