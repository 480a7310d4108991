"""Public words on which it is measured what a mechanism does, and what is near them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError, whole
from nomdeplume.nearest import Several
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

SAMPLE = 300  # words
NEAR = 100  # other words that count as near
SHIFT = 1.7  # weights ∝ 1/(rank + 1.7), ranks from 1, as words are common in texts (Mandelbrot)


@dataclass(frozen=True, eq=False)
class Panel:
    """Public words, the share that each counts for, and the ids of what is near each.

    Near are the 100 nearest other words that may come out; −1 where there are fewer.
    """

    table: Table
    ids: Ids  # (n,)
    shares: Floats  # (n,), which sum to 1
    near: Ids  # (n, 100) or less wide
    of: int  # words that these were taken from

    @classmethod
    def over(
        cls,
        vocabulary: Vocabulary,
        *,
        outputs: Ids | None = None,
        sample: int = SAMPLE,
        common: bool = False,
    ) -> Self:
        """Kept words evenly spaced over a vocabulary or, if `common`, over its use in texts."""
        n, size = whole("sample", sample), len(vocabulary)
        places = _common(n, size) if common else np.linspace(0, size - 1, min(n, size)).round()
        found, counts = np.unique(places.astype(np.int64), return_counts=True)
        ids = vocabulary.ids[found]
        near = _near(vocabulary.table, ids, vocabulary.ids if outputs is None else outputs)
        return cls(vocabulary.table, ids, counts / counts.sum(), near, size)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def whole(self) -> bool:
        """Whether no word was left out."""
        return len(self) == self.of

    def thinned(self, step: int) -> Self:
        """Every so-manieth word, for a first look."""
        some = slice(None, None, max(1, min(step, len(self) // 20)))
        shares = self.shares[some] / self.shares[some].sum()
        return replace(self, ids=self.ids[some], shares=shares, near=self.near[some])


def _common(n: int, size: int) -> Floats:
    """The places of words at n even steps through all that is written, by Zipf's law."""
    use = np.cumsum(1 / (np.arange(1, size + 1) + SHIFT))
    steps = (np.arange(n) + 0.5) / n * use[-1]
    return np.asarray(np.searchsorted(use, steps), dtype=np.float64)


def _near(table: Table, ids: Ids, outputs: Ids) -> Ids:
    """Ids of the nearest other words among the outputs, nearest first."""
    if not len(outputs):
        raise InputError("at least one word must be left to come out, got none.")
    search = Several(table, outputs, top=min(NEAR + 1, len(outputs)))
    found, _ = search.several(table.vectors[ids].astype(np.float64))
    found = np.where(found == ids[:, None], -1, found)
    order = np.argsort(found < 0, axis=1, kind="stable")
    return np.asarray(np.take_along_axis(found, order, axis=1)[:, :NEAR])
