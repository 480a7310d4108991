"""Words as they are searched, and what is asked of them.

‖q − t‖² = ‖q‖² − 2(q·t − ‖t‖²/2), so the nearest word has the largest score
q·t − ‖t‖²/2: one product, with the half norm as an extra column. Words of about one norm make
a tile, whose largest half norm is taken off afterwards: what is left beside q·t is small, and
the best score of a tile above 0, as a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.table import Table

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]

PART = 1 << 14  # rows that are made together
UNIT = 2.0**-24  # by which float32 rounds
TINY = 2.0**-126  # below it float32 has fewer digits
FAR = 2.0**100  # times the radius: float32 reaches a little farther


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries as rows are: centred, scaled; in float32 with a one beside them."""

    centred: Floats
    wide: Float32s
    lengths: Floats

    def __len__(self) -> int:
        return len(self.wide)

    def __getitem__(self, part: slice) -> Asked:
        return Asked(self.centred[part], self.wide[part], self.lengths[part])


@dataclass(frozen=True, eq=False)
class Rows:
    """Words of a table, shortest vectors first, in tiles of so many."""

    ids: Ids
    wide: Float32s  # centred and scaled vectors; beside them, by how much the half norm is less
    halves: Floats  # half the squared norms; than the last of its tile
    centre: Floats
    scale: float  # a power of two that brings the radius near 1: it is exact, cannot overflow
    tile: int

    @classmethod
    def of(cls, table: Table, ids: Ids | None, tile: int) -> Rows:
        """Those with the given ids, or all. Like norms in one tile leave less in doubt there."""
        ids = np.arange(len(table)) if ids is None else ids
        scale = 2.0 ** -floor(log2(table.radius or 1.0))
        wide = np.empty((len(ids), table.dimensions + 1), dtype=np.float32)
        halves = np.concatenate(
            [
                np.einsum("nk,nk->n", some, some) / 2
                for part in parts(len(ids), PART)
                for some in [(table.vectors[ids[part]] - table.centre) * scale]
            ]
        )
        order = np.argsort(halves, kind="stable")
        ids = ids[order]
        for part in parts(len(ids), PART):
            wide[part, :-1] = (table.vectors[ids[part]] - table.centre) * scale
        halves = halves[order]
        for part in parts(len(ids), tile):
            wide[part, -1] = halves[part.stop - 1] - halves[part]
        return cls(ids, wide, halves, table.centre, scale, tile)

    def __len__(self) -> int:
        return len(self.ids)

    def asked(self, queries: Floats) -> Asked:
        centred = (queries - self.centre) * self.scale
        if not (np.abs(centred) <= FAR).all():  # NaN is not either
            raise InputError(f"queries must be numbers up to {FAR:.0e} times the table's radius.")
        lengths = np.linalg.norm(centred, axis=1)
        wide = np.ones((len(queries), self.wide.shape[1]), dtype=np.float32)
        wide[:, :-1] = centred
        return Asked(centred, wide, lengths)

    def doubt(self, lengths: Floats, tiles: Any) -> Floats:
        """How far float32 scores in these tiles can be from the true ones.

        A sum of m products in any order errs by at most m·u/(1 − m·u) of the sum
        of their sizes, u = 2⁻²⁴; rounding the factors to float32 adds 3u, and
        what is too small for float32 at most 2⁻¹²⁶ a product.
        """
        m, norms = self.wide.shape[1], self.tile_norms[tiles]
        share = (m + 4) * UNIT / (1 - m * UNIT)
        doubt = norms * share * lengths
        doubt += norms**2 * (share / 2) + 4 * m * TINY
        return np.asarray(doubt)

    @cached_property
    def tiles(self) -> list[slice]:
        return parts(len(self), self.tile)

    @cached_property
    def tops(self) -> Floats:
        """The largest half norm of each tile: its last, by which scores there are too large."""
        return self.halves[[tile.stop - 1 for tile in self.tiles]]

    @cached_property
    def tile_norms(self) -> Floats:
        """Upper bounds of the norms in each tile."""
        return np.maximum(np.sqrt(2 * self.tops) * (1 + 2.0**-40), 2.0**-60)


def parts(count: int, size: int) -> list[slice]:
    """So many things, so many at a time."""
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]
