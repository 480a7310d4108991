"""The several nearest words, found as the nearest one is.

The best scores of `top` different tiles belong to `top` different words, so the least of them
is no better than the `top`-th best of all: what may be better is looked at again in float64.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nomdeplume.errors import whole
from nomdeplume.nearest.decision import Leading
from nomdeplume.nearest.exact import WORDS, Exact
from nomdeplume.nearest.rows import Floats, Ids, Rows


@dataclass(eq=False)
class Several(Exact):
    """The words of a table, or those with the given ids, searched for the `top` nearest."""

    top: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("top", self.top, most=len(self.table if self.ids is None else self.ids))

    def several(self, queries: Floats) -> tuple[Ids, Floats]:
        """Ids of the nearest words of each query and their distances, nearest first.

        As float64 brute force would find them; the first word wins a tie.
        """
        if not len(queries):
            return np.empty((0, self.top), dtype=np.int64), np.empty((0, self.top))
        ids, distances = zip(*self._in_blocks(self._several, queries), strict=True)
        return np.concatenate(ids), np.concatenate(distances)

    def _several(self, queries: Floats) -> tuple[Ids, Floats]:
        best = Leading(queries, self.table, self.top)
        for query, row in self._candidates(queries, self.top):
            best.consider(query, self._rows.ids[row])
        ids, squared = best.decided()
        return ids, np.sqrt(squared)

    @cached_property
    def _rows(self) -> Rows:
        """Tiles of words, more of them than words are asked for."""
        count = len(self.table) if self.ids is None else len(self.ids)
        return Rows.of(self.table, self.ids, int(np.clip(count // (4 * self.top), 1, WORDS)))
