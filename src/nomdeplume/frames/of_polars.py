"""polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from nomdeplume.frames.plain import unkept


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
            raise unkept(name, column.dtype)
        there = column.is_not_null()
        rows = pl.select(pl.when(there).then(there.cum_sum() - 1)).to_series()
        return column.drop_nulls().gather(rows)

    def values(self, name: str) -> list[Any] | None:
        """The values of a column; None if there is none of that name."""
        return list(self.native[name].to_list()) if name in self.native.columns else None

    def strings(self, name: str, chunks: Iterable[list[str]]) -> Any:  # noqa: ARG002
        pl = import_module("polars")
        parts = [pl.Series(chunk, dtype=pl.String) for chunk in chunks]
        return pl.concat(parts or [pl.Series([], dtype=pl.String)])

    def built(self, columns: Mapping[str, Any]) -> Any:
        return import_module("polars").DataFrame(columns)
