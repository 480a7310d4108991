"""Arrow columns that are read beside the texts, and their rows as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

from nomdeplume.errors import InputError, got
from nomdeplume.extras import arrow
from nomdeplume.frames.plain import is_plain, is_text, kind_of


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of some rows, as Arrow has them."""

    batch: Any  # pyarrow.RecordBatch
    _raw: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    _plain: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    _only: dict[tuple[str, ...], Columns] = field(default_factory=dict, repr=False)

    @cached_property
    def weight(self) -> int:
        """Bytes of a row, on average."""
        return int(self.batch.nbytes // max(self.batch.num_rows, 1))

    def raw(self, name: str) -> list[Any]:
        """A column as values of Python, of whatever type."""
        if name not in self._raw:
            try:
                self._raw[name] = self.batch.column(name).to_pylist()
            except (arrow().ArrowException, ValueError, OverflowError):
                raise InputError(
                    f"field {got(name)} holds values that cannot be compared with ids; leave it "
                    "out, or add --allow-identifying-ids."
                ) from None
        return self._raw[name]

    def plain(self, name: str) -> list[Any]:
        """A column as values that JSON and CSV can hold: times and decimals as text."""
        if name not in self._plain:
            self._plain[name] = _plain(name, self.batch.column(name))
        return self._plain[name]

    def rows(self) -> list[dict[str, Any]]:
        """All rows as plain values by name."""
        names = self.batch.schema.names
        values = zip(*map(self.plain, names), strict=True) if names else [()] * len(self.batch)
        return [dict(zip(names, each, strict=True)) for each in values]

    def only(self, names: tuple[str, ...]) -> Columns:
        """Those of the columns that have these names: one object for all rows."""
        if names not in self._only:
            there = [name for name in names if name in self.batch.schema.names]
            self._only[names] = Columns(self.batch.select(there))
        return self._only[names]


@dataclass(frozen=True, eq=False, slots=True)
class Row(Mapping[str, Any]):
    """One row of some columns."""

    columns: Columns
    index: int

    def __getitem__(self, name: str) -> Any:
        return self.columns.plain(name)[self.index]

    def __contains__(self, name: object) -> bool:
        return name in self.columns.batch.schema.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns.batch.schema.names)

    def __len__(self) -> int:
        return len(self.columns.batch.schema.names)


def only(fields: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    """Those of a record's fields that have these names; columns keep their types."""
    if isinstance(fields, Row):
        return Row(fields.columns.only(names), fields.index)
    return {name: fields[name] for name in names if name in fields}


def raw(fields: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The values that a record has in these fields, as values of Python, of whatever type."""
    if isinstance(fields, Row):
        return {name: fields.columns.raw(name)[fields.index] for name in names if name in fields}
    return {name: fields[name] for name in names if name in fields}


def bare(batch: Any) -> Any:
    """A batch without what a file says about itself: pandas writes the names of all columns there.

    An extension type becomes the type that it is stored as, and a view of strings becomes
    strings: a view brings everything along that lies in the buffer it looks at.
    """
    pa = arrow()
    columns = [_bare(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _stored(kind: Any) -> Any:
    """The type that values are stored as, where a type is made of another."""
    return _stored(kind.storage_type) if isinstance(kind, arrow().BaseExtensionType) else kind


def _bare(column: Any) -> Any:
    pa = arrow()
    if isinstance(column.type, pa.BaseExtensionType):
        return _bare(column.storage)
    kinds = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    wanted = kinds.get(str(column.type))
    return column.cast(wanted) if wanted else column


def check_plain(name: str, kind: Any) -> None:
    """Refuse a column whose values have parts: a name does not tell what all is in there."""
    if not is_plain(_stored(kind)):
        raise InputError(
            f"field {got(name)} is nested ({kind_of(_stored(kind))}); only plain fields are kept."
        )


def _plain(name: str, column: Any) -> list[Any]:
    pa = arrow()
    try:
        values = _values(column)
    except (pa.ArrowException, UnicodeDecodeError):
        values = None
    if values is None:
        raise InputError(
            f"field {got(name)} holds {kind_of(column.type)}, which this kind of output cannot; "
            "write to a .parquet file."
        )
    return values


def _values(column: Any) -> list[Any] | None:
    """The values of a column; None if JSON and CSV have no way to write them."""
    pa = arrow()
    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        return _values(column.dictionary_decode())
    if types.is_floating(kind):
        return [x if x is not None and isfinite(x) else None for x in column.to_pylist()]
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_null(kind) or is_text(kind):
        return list(column.to_pylist())
    written = types.is_temporal(kind) and not types.is_duration(kind)
    if not written and not types.is_decimal(kind):
        return None
    texts = list(column.cast(pa.string()).to_pylist())
    return None if any(text and "out of range" in text for text in texts) else texts
