"""A public partition of words into groups of near ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from nomdeplume.table import Table

Ids = NDArray[np.int64]
Float32s = NDArray[np.float32]

NUMBERS = 1 << 22  # scores of a block of words with all others


def partition(table: Table, ids: Ids, size: int) -> Ids:
    """The number of each word's group: the first word without one leads the next group.

    With it go the size − 1 words without a group that are nearest to it, of equally near
    ones the first; the last group may be smaller. Float32 products only find who may be
    among them and float64 decides, so that the result is the same on any machine.
    """
    group = np.empty(len(ids), dtype=np.int64)
    left, tall, count = np.arange(len(ids)), _tall(table, ids), 0
    while len(left):
        free = np.ones(len(left), dtype=np.bool_)
        for members in _some(table, ids[left], tall, size):
            group[left[members]] = count
            free[members] = False
            count += 1
        left, tall = left[free], tall[free]
    return group


def _some(table: Table, ids: Ids, tall: Float32s, size: int) -> Iterator[Ids]:
    """The first groups of these words, as many as are led by words of one block of scores."""
    wide = tall[: max(1, NUMBERS // len(ids))].copy()
    wide[:, -1] = 1
    scores, left = wide @ tall.T, len(ids)  # largest where nearest
    margin = 4 * (table.dimensions + 8) * 2.0**-24
    for leader, row in enumerate(scores):
        if row[leader] == -inf:
            continue  # taken by a group of this block
        count = min(size, left)
        least = np.partition(row, len(row) - count)[len(row) - count]
        near = np.flatnonzero(row >= least - margin)
        moved = table.vectors[ids[near]].astype(np.float64) - table.vectors[ids[leader]]
        away = np.einsum("nk,nk->n", moved, moved)
        members = near[np.argsort(away, kind="stable")[:count]]
        scores[leader:, members] = -inf
        left -= count
        yield members


def _tall(table: Table, ids: Ids) -> Float32s:
    """Vectors around 0, at most 1 long, and minus half their squared norms as the last column.

    x·y − ‖y‖²/2 is largest for the y nearest to x. In float32 it errs by less than
    1.5·(k + 6)·2⁻²⁴, so two of them compare rightly if they differ by twice that.
    """
    tall = np.empty((len(ids), table.dimensions + 1), dtype=np.float32)
    for start in range(0, len(ids), 1 << 14):
        part = slice(start, start + (1 << 14))
        centred = (table.vectors[ids[part]] - table.centre) / (table.radius or 1.0)
        tall[part, :-1] = centred
        tall[part, -1] = np.einsum("nk,nk->n", centred, centred) / -2
    return tall
