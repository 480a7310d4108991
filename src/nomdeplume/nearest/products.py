"""Products that bound the best score in each tile: of float32, and of whole numbers of 8 bits.

Where a processor multiplies 8-bit numbers, it does so four times as fast as float32. What
rounding to them does to a score is known for each query and tile, so that the tiles that
cannot hold the answer are still told for certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nomdeplume.extras import extra
from nomdeplume.nearest.rows import TINY, Asked, Floats, Rows
from nomdeplume.stopwatch import best
from nomdeplume.threads import ONE_THREAD_EACH

QUERIES = 2048  # at a time, with which a tile of words makes a fast product
APART = 16  # more numbers in a row of scores: rows by powers of two would meet in the cache
MOST = 127  # the largest of 8 bits, on both sides of 0
SMALLEST = 256  # tile that is worth it
GAIN = 0.7  # of the time, which pays for a second look at a few tiles more
SLACK = 2.0**-30  # far more than float64 rounds in a bound


class Product(Protocol):
    """Bounds of the best score in each tile of rows."""

    def bounds(self, asked: Asked) -> tuple[Floats, Floats]:
        """At most and at least the best score of each tile for each query, (tiles, n)."""


@dataclass(frozen=True, eq=False)
class Float32:
    """A product of float32 by BLAS."""

    rows: Rows

    def bounds(self, asked: Asked) -> tuple[Floats, Floats]:
        maxima = self._maxima(asked)
        doubts = self.rows.doubt(asked.lengths, (slice(None), None))
        tops = self.rows.tops[:, None]
        least = maxima - doubts
        least -= tops
        np.maximum(maxima, 0, out=maxima)
        doubts += maxima
        doubts -= tops
        return doubts, least

    def _maxima(self, asked: Asked) -> NDArray[np.float32]:
        """The largest score of each tile for each query; if all are below 0, any of them.

        Floats of at least 0 are in the order of their bits, and numbers of 32 bits are
        compared faster than floats, whose NaN take care.
        """
        tiles, words = self.rows.tiles, self.rows.wide
        maxima = np.empty((len(tiles), len(asked)), dtype=np.float32)
        scores = np.empty((len(asked), self.rows.tile + APART), dtype=np.float32)
        for tile, found in zip(tiles, maxima.view(np.int32), strict=True):
            block = scores[:, : tile.stop - tile.start]
            np.matmul(asked.wide, words[tile].T, out=block)
            block.view(np.int32).max(axis=1, out=found)
        return maxima


class Int8:
    """A product of whole numbers of 8 bits by torch, which is exact, and what rounding left out.

    With t ≈ a·t̂ and q ≈ b·q̂, |q·t − ab·q̂·t̂| ≤ ‖q − bq̂‖·‖t‖ + ‖bq̂‖·‖t − at̂‖. A tile's words
    have one a, so that its largest product is found among whole numbers, and about one norm.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        count, k = len(rows), rows.wide.shape[1] - 1
        self._words = np.empty((count, k), dtype=np.int8)
        self._step, self._error = np.empty((2, len(rows.tiles)))
        for i, tile in enumerate(rows.tiles):
            exact = rows.wide[tile, :-1].astype(np.float64)
            self._words[tile], self._step[i], error = _rounded(exact, np.abs(exact).max())
            self._error[i] = error.max() + 2.0**-23 * rows.tile_norms[i]  # and of float32
        halves = [rows.halves[[tile.start, tile.stop - 1]] for tile in rows.tiles]
        self._halves = np.array(halves) * (1 - SLACK, 1 + SLACK)

    def bounds(self, asked: Asked) -> tuple[Floats, Floats]:
        rounded, step, error = _rounded(asked.centred, np.abs(asked.centred).max(axis=1))
        best = self._maxima(rounded).astype(np.float64)
        best *= self._step[:, None]
        best *= step
        lengths = asked.lengths
        beside = np.stack((error + SLACK * lengths, lengths + error, np.ones(len(asked))))
        least = best - self._doubt(self._halves[:, 1]) @ beside
        best += self._doubt(-self._halves[:, 0]) @ beside
        return best, least

    def _doubt(self, halves: Floats) -> Floats:
        """What stands beside ‖q − bq̂‖, ‖bq̂‖ and 1 in the doubt of each tile."""
        norms = self.rows.tile_norms
        return np.column_stack((norms, self._error + SLACK * norms, halves)) * (1, 1 + SLACK, 1)

    def _maxima(self, queries: NDArray[np.int8]) -> NDArray[np.int32]:
        torch, tile = _torch(), self.rows.tile
        tiles = torch.from_numpy(self._words).split(tile)
        asked = torch.from_numpy(queries)
        maxima = np.empty((len(tiles), len(queries)), dtype=np.int32)
        scores = torch.empty((len(queries), tile), dtype=torch.int32)
        for words, found in zip(tiles, torch.from_numpy(maxima).unbind(), strict=True):
            if len(words) < tile:
                scores = torch.empty((len(queries), len(words)), dtype=torch.int32)
            torch._int_mm(asked, words.T, out=scores)
            torch.amax(scores, 1, out=found)
        return maxima


def _torch() -> Any:
    return extra("torch", "products of 8 bits", "fast")


def _rounded(exact: Floats, most: Floats) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Rows in steps of 1/127 of the most that is in them, the step, and how far off each row is."""
    step = np.where(most > TINY, most, 1.0) / MOST  # what is less rounds to 0, and errs by itself
    rounded = np.rint(exact / step[..., None])
    error = np.linalg.norm(exact - step[..., None] * rounded, axis=1)
    return rounded.astype(np.int8), step, error


def quickest(rows: Rows) -> Product | None:
    """Products of 8 bits, if torch is installed and they are right and faster here."""
    k, rest = rows.wide.shape[1] - 1, len(rows) % rows.tile or rows.tile
    if rows.tile < SMALLEST or not find_spec("torch"):
        return None
    try:
        pays = _right(k, rows.tile) and _right(k, rest) and _faster(k, rows.tile)
    except Exception:
        return None  # whatever ails it, nobody asked for torch
    return Int8(rows) if pays else None


def _right(k: int, words: int) -> bool:
    """Whether extremes are multiplied rightly: some processors cut sums off at 16 bits."""
    torch = _torch()
    extreme = np.full((words, k), MOST, dtype=np.int8)
    extreme[::2] *= -1
    extreme[::3, ::2] *= -1
    due = extreme.astype(np.int64) @ extreme[:64].T.astype(np.int64)
    for count in (1, min(64, words)):
        asked, tile = torch.from_numpy(extreme[:count]), torch.from_numpy(extreme)
        found = torch.empty((count, words), dtype=torch.int32)
        torch._int_mm(asked, tile.T, out=found)
        if not (found.numpy() == due[:, :count].T).all():
            return False
    return True


def _faster(k: int, tile: int) -> bool:
    """Whether a tile of products takes less time than one of float32, both on one core."""
    torch = _torch()
    bytes_, floats = np.ones((QUERIES, k), dtype=np.int8), np.ones((QUERIES, k), dtype=np.float32)
    mine, out = torch.from_numpy(bytes_), torch.empty((QUERIES, tile), dtype=torch.int32)
    scores = np.empty((QUERIES, tile), dtype=np.float32)
    with ONE_THREAD_EACH:
        by_8 = best(lambda: torch._int_mm(mine, mine[:tile].T, out=out), 5)
        by_32 = best(lambda: np.matmul(floats, floats[:tile].T, out=scores), 5)
    return by_8 < GAIN * by_32
