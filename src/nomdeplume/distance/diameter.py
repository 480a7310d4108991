"""The diameter of a set of points: the largest distance between two of them, exactly."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance.cloud import distances, squared

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

BLOCK = 1 << 12  # points read together
FEW = 1 << 7  # points compared with a block of others: the outermost ones have most partners
STEPS = 4  # from each point to the farthest one, before the search
WORK = 4e10  # multiply-adds that the search may take: some seconds on two cores
ROUNDING = 1e-12  # share of a distance, more than float64 loses of it


class Rows(Protocol):
    """Points in memory, or read from a file when they are asked for."""

    def __getitem__(self, rows: Any, /) -> NDArray[Any]: ...


def diameter(rows: Rows, ids: Ids) -> float:
    """Largest distance between two of the points `rows[ids]`, rounded up.

    Two points cannot be farther apart than their distances from the centre add up to. So of
    all pairs only those are compared that could be farther apart than the farthest pair known
    so far: usually few. Where they are too many for `WORK`, twice the radius is returned,
    which is never less.
    """
    centre = np.sum([_block(rows, part).sum(axis=0) for part in _parts(ids)], axis=0) / len(ids)
    radii = np.concatenate([np.sqrt(squared(_block(rows, part) - centre)) for part in _parts(ids)])
    order = np.argsort(-radii, kind="stable")
    radii, ordered = radii[order], ids[order]
    best, largest = _far_pair(rows, ordered), 2 * float(radii[0])
    starts = range(0, _partners(radii, radii[0], best), FEW)
    pairs = sum(FEW * max(0, _partners(radii, radii[s], best) - s) for s in starts)
    dimensions = _block(rows, ordered[:1]).shape[1]
    if pairs * dimensions > WORK:
        return largest * (1 + ROUNDING)
    for start in starts:
        stop = _partners(radii, radii[start], best)  # fewer, whenever a farther pair is found
        if stop <= start:
            break
        some = _block(rows, ordered[start : start + FEW])
        for part in _parts(ordered[start:stop]):
            best = max(best, float(distances(some, _block(rows, part)).max()))
    return min(best, largest) * (1 + ROUNDING)


def _partners(radii: Floats, radius: float, best: float) -> int:
    """Number of points that may be farther than `best` from one at `radius`: the first ones."""
    return int(np.searchsorted(-radii, radius - best, side="left"))


def _far_pair(rows: Rows, ordered: Ids) -> float:
    """A distance that is nearly the largest: from each point to the farthest, some times."""
    best, here = 0.0, ordered[:1]
    for _ in range(STEPS):
        one = _block(rows, here)
        away = np.concatenate(
            [distances(_block(rows, part), one)[:, 0] for part in _parts(ordered)]
        )
        farthest = int(away.argmax())
        if away[farthest] <= best:
            break
        best, here = float(away[farthest]), ordered[farthest : farthest + 1]
    return best


def _parts(ids: Ids) -> list[Ids]:
    return [ids[start : start + BLOCK] for start in range(0, len(ids), BLOCK)]


def _block(rows: Rows, ids: Ids) -> Floats:
    return np.asarray(rows[ids], dtype=np.float64)
