"""pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from nomdeplume.errors import InputError
from nomdeplume.frames.plain import STRINGS, home, is_plain, unkept

SCALARS = ("builtins", "datetime", "decimal", "numpy", "pandas")  # modules of plain values


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

    def values(self, name: str) -> list[Any] | None:
        """The values of a column or a level of the index; None if there is none of that name."""
        if name in self.native.columns:
            return list(self.native[name])
        index = self.native.index
        return list(index.get_level_values(name)) if name in index.names else None

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
            if not pd.api.types.is_scalar(value) or home(value) not in SCALARS:
                raise unkept(name, f"{type(value).__name__} in row {row:,}")
    if isinstance(dtype, np.dtype):
        return column.to_numpy()
    arrow = getattr(dtype, "pyarrow_dtype", None)
    if home(dtype) != "pandas" or (arrow and not is_plain(arrow)):
        raise unkept(name, dtype)
    missing = np.asarray(array.isna())
    rows = np.where(missing, -1, np.cumsum(~missing) - 1)
    return array[~missing].take(rows, allow_fill=True)
