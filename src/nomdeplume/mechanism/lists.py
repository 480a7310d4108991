"""Public lists: orders of words in which neighbours are near.

All numbers here are whole ones, small enough for float64 to add and multiply them without
rounding. So lists are the same on any machine, in whatever order it adds up.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from nomdeplume.table import Table
from nomdeplume.threads import cores, each

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

NUMBERS = 1 << 21  # coordinates of nodes that are split together
POINT, DIRECTION, ALONG = 18, 9, 11  # bits: 18 + 1 + 11 and those of V stay below 53
ROUNDS = 3  # of power iteration


def lists_of(table: Table, ids: Ids, count: int) -> Ids:
    """Several orders of the ids, as indices into them, (count, n)."""

    def one(number: int) -> Ids:
        return _order(_points(table, ids, _coordinates(table.dimensions, number)))

    return np.stack(each(one, range(count), min(count, cores())))


def _coordinates(dimensions: int, number: int) -> Ids:
    """Half of the coordinates, by a public hash: each list sees others."""
    drawn = [sha256(f"list {number}, coordinate {i}".encode()).digest() for i in range(dimensions)]
    return np.array(sorted(range(dimensions), key=drawn.__getitem__)[: -(-dimensions // 2)])


def _points(table: Table, ids: Ids, coordinates: Ids) -> Floats:
    """The vectors in whole numbers."""
    points = np.concatenate(
        [table.vectors[ids[i : i + 4096]][:, coordinates] for i in range(0, len(ids), 4096)]
    ).astype(np.float64)
    return _whole(points.reshape(1, -1), POINT).reshape(points.shape)


def _order(points: Floats) -> Ids:
    """Halve the points along their leading direction, then each half, until each is one point.

    Points of a node stand together, and a node is turned so that its points toward the
    node before it come first: so ends that meet are near.
    """
    n = len(points)
    order = np.arange(n)
    for level in range(n.bit_length()):
        edges = (np.arange(2**level + 1) * n) >> level
        sizes = np.diff(edges)
        means = np.rint(np.add.reduceat(points[order], edges[:-1], axis=0) / sizes[:, None])
        onward = np.concatenate((means[1:], means[-1:])) - np.concatenate((means[:1], means[:-1]))
        for size in range(max(2, n >> level), (n >> level) + 2):
            alike = np.flatnonzero(sizes == size)
            step = max(1, NUMBERS // (size * points.shape[1]))
            for start in range(0, len(alike), step):
                nodes = alike[start : start + step]
                places = edges[nodes, None] + np.arange(size)
                rows = order[places]
                along = _along(points[rows] - means[nodes, None], onward[nodes])
                turned = np.argsort(along, axis=1, kind="stable")
                order[places] = np.take_along_axis(rows, turned, axis=1)
    return order


def _along(x: Floats, onward: Floats) -> Floats:
    """Where the points of each node, (nodes, size, k), are along its leading direction."""
    farthest = np.einsum("msk,msk->ms", x, x).argmax(axis=1)
    direction = x[np.arange(len(x)), farthest]
    for _ in range(ROUNDS):
        along = _whole((x @ _whole(direction, DIRECTION)[:, :, None])[:, :, 0], ALONG)
        direction = (along[:, None, :] @ x)[:, 0]
    direction = _whole(direction, DIRECTION)
    back = (direction * onward).sum(axis=1, keepdims=True) < 0
    return np.asarray((x @ np.where(back, -direction, direction)[:, :, None])[:, :, 0])


def _whole(rows: Floats, bits: int) -> Floats:
    """Rows of whole numbers below 2^bits, in proportion to these."""
    _, exponent = np.frexp(np.abs(rows).max(axis=1, keepdims=True))
    return np.asarray(np.rint(np.ldexp(rows, bits - exponent)))
