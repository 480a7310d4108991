"""Data frames: private texts go in; released words and kept columns come out, nothing else.

A kept column is built anew from the values in its rows. Taken over as it is, it would bring
more: an Arrow slice pickles the rows around it, a categorical lists what only other rows hold,
a masked array stores what stood where a value is now missing, and a schema, an index and
`attrs` tell of columns that stay behind. Names that a type declares, those of a polars Enum
or a Hugging Face ClassLabel, are part of the type and come along.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any

from nomdeplume.errors import InputError, got
from nomdeplume.frames.plain import kind_of
from nomdeplume.privacy.identifying import AUTHORS, ID, IdCheck
from nomdeplume.privacy.ledger.claims import plain

if TYPE_CHECKING:
    from nomdeplume.frames.of_arrow import Arrow
    from nomdeplume.frames.of_pandas import Pandas
    from nomdeplume.frames.of_polars import Polars

SLICE = 4096  # rows that are Python strings at a time
WARNING = "warning"  # the column that marks a seeded release
GIVEN = "authors, as given"  # beside the columns of a frame
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
        parts = (self._strings(part) for part in self._slices())
        for row, text in enumerate(chain.from_iterable(parts), start=1):
            if not isinstance(text, str):
                raise self._refusal(f"row {row:,} holds {type(text).__name__}")
            yield text

    def _strings(self, part: Any) -> list[Any]:
        try:
            return list(part.to_list())
        except UnicodeDecodeError:
            raise self._refusal("some are not in Unicode") from None

    def released(self, documents: Iterable[str], warning: str = "") -> Any:
        """The frame with documents in place of its texts, and of its other columns the kept."""
        columns = {name: self.frame.kept(name) for name in self.keep}
        columns[self.text] = self.frame.strings(self.text, _chunks(documents))
        columns = {name: columns[name] for name in self.frame.names if name in columns}
        if warning:
            marks = _chunks(warning for _ in range(len(self)))
            columns[WARNING] = self.frame.strings(WARNING, marks)
        return self.frame.built(columns)

    def kept_ids(self, ids: Sequence[Any] | None) -> dict[str, list[Any]]:
        """The kept columns of ids: those called id, and those that hold what is given as `ids`."""
        names = [name for name in self.keep if _is_id(name) or ids is not None]
        columns = {name: self.frame.values(name) or [] for name in names}
        given = None if ids is None else list(map(plain, ids))
        return {
            name: each
            for name, each in columns.items()
            if _is_id(name) or list(map(plain, each)) == given
        }

    def check_ids(self, ids: Mapping[str, list[Any]], authors: Sequence[Any] | None) -> None:
        """Refuse to keep ids that tell who wrote a text, by the author columns and `authors`."""
        if not ids:
            return
        found = {name: self.frame.values(name) for name in AUTHORS}
        columns = {name: each for name, each in found.items() if each is not None}
        columns[GIVEN] = list(authors or [None] * len(self))
        check = IdCheck(tuple(ids), tuple(columns))
        columns |= ids
        rows = zip(*(columns[key] for key in check.fields), strict=True)
        check.all(dict(zip(check.fields, row, strict=True)) for row in rows)

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
                there = ", ".join(map(got, names[:20]))
                raise InputError(f"no column {got(name)} in the frame; it has {there or 'none'}.")

    def _check_texts(self) -> None:
        nw = import_module("narwhals")
        missing: list[int] = []
        for start, part in zip(count(1, SLICE), self._slices(), strict=False):
            rows = part.is_null().arg_true().to_list()
            missing += [start + row for row in rows]
            if part.dtype not in (nw.String, nw.Categorical, nw.Enum) and len(rows) < len(part):
                raise InputError(
                    f"column {got(self.text)} must hold text, got {kind_of(part.dtype)}."
                )
        if missing:
            hold = "row holds" if len(missing) == 1 else "rows hold"
            raise self._refusal(f"{len(missing):,} {hold} none, the first is row {missing[0]:,}")

    def _refusal(self, found: str) -> InputError:
        return InputError(f"column {got(self.text)} must hold text in every row; {found}.")


def _is_id(name: str) -> bool:
    return name.casefold() == ID


def _opened(native: Any, text: str, *keep: str) -> Pandas | Polars | Arrow:
    """`native` as a frame of its library, which is loaded wherever its objects are."""
    if find_spec("narwhals") is None:
        raise InputError("frames need narwhals; install it: pip install 'nomdeplume[formats]'")
    from nomdeplume.frames.of_arrow import Arrow, of_dataset
    from nomdeplume.frames.of_pandas import Pandas
    from nomdeplume.frames.of_polars import Polars

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
        return of_dataset(native, text, keep)
    todo = next((todo for kind, todo in UNREADY.items() if _is(native, *kind)), "convert it")
    kinds = "pandas, polars, pyarrow or datasets"
    raise InputError(f"a frame must be one of {kinds}, got {type(native).__name__}; {todo}.")


def _is(native: Any, module: str, name: str) -> bool:
    return isinstance(native, getattr(sys.modules.get(module), name, ()))


def _chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(texts)
    while chunk := list(islice(remaining, SLICE)):
        yield chunk
