"""Directions of a table: few, at right angles, on which its words are seen from the side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError, got
from nomdeplume.threads import ONE_THREAD_EACH

if TYPE_CHECKING:
    from nomdeplume.table.table import Table

Floats = NDArray[np.float64]

SLACK = 1e-12  # by which rounding may stretch what does not


def principal_directions(table: Table, m: int) -> Floats:
    """The m directions along which the table's vectors vary most: orthonormal rows, (m, k).

    Eigenvectors of the covariance, the largest first; each with its largest coordinate
    positive, since an eigenvector's sign is nobody's choice.
    """
    return leading(covariance(table), number(m, table.dimensions))


def number(m: Any, dimensions: int) -> int:
    """`m`, if a space of so many dimensions has as many directions."""
    if isinstance(m, bool) or not isinstance(m, int | np.integer) or not 1 <= m <= dimensions:
        raise InputError(
            f"directions must be from 1 to {dimensions}, the dimensions of the table; got {got(m)}."
        )
    return int(m)


def covariance(table: Table) -> Floats:
    """How the table's vectors vary about their centre, (k, k), in some thousand rows at a time."""
    found = np.zeros((table.dimensions, table.dimensions))
    for rows in table.blocks():
        apart = rows - table.centre
        found += apart.T @ apart
    return found / len(table)


def leading(scatter: Floats, m: int) -> Floats:
    """The m leading eigenvectors of a symmetric matrix, as rows."""
    with ONE_THREAD_EACH:  # several take longer for a matrix so small
        _, columns = np.linalg.eigh(scatter)  # ascending
    return signed(columns.T[::-1][:m])


def signed(directions: Floats) -> Floats:
    """Directions, each turned so that its coordinate of largest size is positive."""
    at = np.abs(directions).argmax(axis=1, keepdims=True)
    return np.asarray(directions * np.sign(np.take_along_axis(directions, at, axis=1)))


def contraction(directions: ArrayLike, dimensions: int) -> Floats:
    """`directions` as float64, (m, k), if projecting on them lengthens nothing.

    ‖Px − Py‖ ≤ L·‖x − y‖ with L the largest singular value of P, and no smaller L will do.
    """
    try:
        found = np.array(directions, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "directions must be rows of equally many numbers; these are not."
        ) from None
    if found.ndim != 2 or not len(found) or found.shape[1] != dimensions:
        raise InputError(
            f"directions in {dimensions} dimensions must be of shape (m, {dimensions}), "
            f"got {found.shape}."
        )
    if not np.isfinite(found).all():
        raise InputError("directions must be finite, got NaN or infinity.")
    longest = float(np.linalg.norm(found, ord=2))
    if longest > 1 + SLACK:
        raise InputError(
            f"directions must bring no two words farther apart: their largest singular value is "
            f"{longest:.12g}, above 1; divide by it, or give orthonormal rows."
        )
    return found
