"""A learnt map by its values on words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.mechanism.image.projection import Projection
from nomdeplume.table import Table
from nomdeplume.table.directions import principal_directions

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Values:
    """What each of some words is mapped to, whatever found it; other words are not covered.

    Nothing is known about it but the values: how far they are apart is found over all pairs.
    """

    ids: Ids  # (n,), ascending
    rows: Floats  # (n, m)
    name: str = ""  # where they come from, if that can be said

    def __post_init__(self) -> None:
        ids, rows = np.asarray(self.ids, dtype=np.int64), np.asarray(self.rows, dtype=np.float32)
        if rows.ndim != 2 or ids.shape != (len(rows),) or not rows.size:
            raise InputError(
                f"values must be a row of numbers for each word, got {rows.shape} for "
                f"{len(ids):,} words."
            )
        if not np.isfinite(rows).all() or (ids[1:] <= ids[:-1]).any():
            raise InputError("values must be finite, of words in the order of their table.")
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "rows", rows.astype(np.float64))

    @property
    def settings(self) -> dict[str, float | str]:
        named = f"learnt, {self.name or self.fingerprint}"
        return {"dimensions": self.rows.shape[1], "map": named}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ids and values."""
        found = sha256(self.ids.astype("<i8").tobytes())
        found.update(f" {self.rows.shape}".encode() + self.rows.astype("<f4").tobytes())
        return found.hexdigest()

    def over(self, table: Table) -> Table:
        if self.ids[-1] >= len(table):
            raise InputError("values are of words that the table does not have; fit them with it.")
        rows = np.zeros((len(table), self.rows.shape[1]), dtype=np.float32)
        rows[self.ids] = self.rows
        return table.with_vectors(rows)

    def fitted(self, table: Table) -> Projection:
        """As many main directions of the table, or all that it has."""
        count = min(self.rows.shape[1], table.dimensions)
        return Projection(principal_directions(table, count), "principal")
