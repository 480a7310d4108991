"""Who is near whom in a table: what tells its scale, and what storing it smaller costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nomdeplume.table.table import Floats, Ids, Table

WORK = 4e10  # operations that a look at a sample may take: about a second
TOP = 10
BLOCK = 2048  # words compared with as many at a time


def sample(table: Table) -> Ids:
    """Words spread evenly over a table, as many as a second allows, at most two thousand."""
    affordable = int(WORK / (2.0 * len(table) * table.dimensions))
    count = min(len(table), max(100, min(2000, affordable)))
    return np.linspace(0, len(table) - 1, count).astype(np.int64)


def nearest(table: Table, ids: Ids, top: int = 1) -> tuple[Ids, Floats]:
    """The `top` nearest other words of each word, nearest first, and how far they are.

    Both sides go in blocks; of each only the best are kept. The order is that of float32
    products after centring, the distances are exact.
    """
    parts = [_nearest(table, ids[i : i + BLOCK], top) for i in range(0, len(ids), BLOCK)]
    found, distances = zip(*parts, strict=True)
    return np.concatenate(found), np.concatenate(distances)


def _nearest(table: Table, ids: Ids, top: int) -> tuple[Ids, Floats]:
    top = min(top, len(table) - 1)
    centre, scale = table.centre, table.radius or 1.0

    def near_one(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Vectors around 0 and at most 1 long, so that products neither overflow nor vanish."""
        return np.asarray((vectors - centre) / scale, dtype=np.float32)

    queries = near_one(table.vectors[ids])
    scores = np.full((len(ids), top), -np.inf, dtype=np.float32)
    found = np.zeros((len(ids), top), dtype=np.int64)
    for start in range(0, len(table), BLOCK):
        block = near_one(table.vectors[start : start + BLOCK])
        fresh = queries @ block.T - (block**2).sum(axis=1) / 2  # (n, rows)
        mine = np.flatnonzero((ids >= start) & (ids < start + len(block)))
        fresh[mine, ids[mine] - start] = -np.inf
        scores, found = _best(scores, found, fresh, start, top)
    moved = table.vectors[found.ravel()].astype(np.float64).reshape(*found.shape, -1)
    moved -= table.vectors[ids].astype(np.float64)[:, None, :]
    return found, np.sqrt((moved**2).sum(axis=2))


def half_distances(table: Table, ids: Ids) -> Floats:
    """Half the distance from each word to its nearest other word: noise beyond it changes it."""
    if len(table) < 2:
        return np.empty(0)
    return np.asarray(nearest(table, ids)[1][:, 0] / 2)


def overlap(before: Table, after: Table, ids: Ids) -> float:
    """Mean share of a word's ten nearest words that stay, when its table is stored otherwise."""
    if len(before) < 2:
        return 1.0
    (x, _), (y, _) = nearest(before, ids, TOP), nearest(after, ids, TOP)
    shared = [np.isin(here, there).mean() for here, there in zip(x, y, strict=True)]
    return float(np.mean(shared))


def _best(
    scores: NDArray[np.float32], found: Ids, fresh: NDArray[np.float32], start: int, top: int
) -> tuple[NDArray[np.float32], Ids]:
    """The best of what was found so far and a block's scores, best first."""
    width = min(top, fresh.shape[1])
    at = np.argpartition(-fresh, width - 1, axis=1)[:, :width]
    scores = np.concatenate((scores, np.take_along_axis(fresh, at, axis=1)), axis=1)
    found = np.concatenate((found, at + start), axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :top]
    return np.take_along_axis(scores, order, axis=1), np.take_along_axis(found, order, axis=1)
