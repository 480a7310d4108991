"""Values of many words, moved as little as makes them no farther apart than the words are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
Ids = NDArray[np.int64]

BLOCK = 1_024  # words placed together
SHRUNK = 0.997  # of their distances, that values may be apart: what is left of haste is small
NEAR = 1e-4  # squared distances that are this much too far are let be
ROUNDS, PULLS = 8, 200  # of looking who is too near, and of moving away from who is nearest
MOST = 3_000  # words moved away from, at a time


def placed(vectors: Floats, values: Floats, order: Ids) -> Floats:
    """Values that are hardly too far apart, (n, m): words in `order` keep theirs if they can.

    A word may lie wherever it is no farther from each word placed before than the vectors
    are. These balls always have a point in common (Kirszbraun's theorem), and it is found by
    moving into the ball that is missed most, again and again.
    """
    x = vectors[order].astype(np.float32)
    y = values[order].astype(np.float32)
    squares = (x * x).sum(axis=1)
    for start in range(0, len(order), BLOCK):
        stop = min(start + BLOCK, len(order))
        apart = _squared(x[start:stop], x[:stop], squares[start:stop], squares[:stop])
        apart *= np.float32(SHRUNK**2)
        _place(y, apart, start, stop)
    found = np.empty_like(values)
    found[order] = y
    return found


def _place(y: Float32s, apart: Float32s, start: int, stop: int) -> None:
    """Place the words of a block, one after the other; `apart` are squared bounds."""
    sizes = (y[:stop] * y[:stop]).sum(axis=1)
    away = _squared(y[start:stop], y[:stop], sizes[start:stop], sizes)
    too_far: NDArray[np.bool_] = np.greater(away, apart + NEAR)
    too_far[:, start:] &= np.tri(stop - start, k=-1, dtype=bool)  # only words before
    wanting: NDArray[np.bool_] = np.asarray(too_far.any(axis=1))
    moved = np.zeros(stop - start, dtype=bool)
    for i in range(stop - start):
        word, before = start + i, start + np.flatnonzero(moved[:i])
        off = ((y[word] - y[before]) ** 2).sum(axis=1) > apart[i, before] + NEAR
        if wanting[i] or off.any():
            y[word], moved[i] = _inside(y[word], y[:word], apart[i, :word]), True


def _inside(here: Float32s, others: Float32s, bounds: Float32s) -> Float32s:
    """A point near `here` within the squared bounds of the others, or hardly outside."""
    known = np.empty(0, dtype=np.int64)
    for _ in range(ROUNDS):
        over = ((others - here) ** 2).sum(axis=1) - bounds
        missed = np.flatnonzero(over > NEAR)
        if not len(missed):
            break
        if len(missed) > MOST:
            missed = missed[np.argpartition(-over[missed], MOST)[:MOST]]
        known = np.union1d(known, missed)
        places, reach = others[known], np.sqrt(bounds[known])
        for _ in range(PULLS):
            away = here - places
            far = np.sqrt((away * away).sum(axis=1))
            worst = int(np.argmax(far / reach))
            if far[worst] <= reach[worst] * 1.0003:
                break
            here = places[worst] + away[worst] * (reach[worst] / far[worst])
    return here


def _squared(x: Float32s, y: Float32s, of_x: Float32s, of_y: Float32s) -> Float32s:
    """Squared distances of all rows."""
    return np.asarray(np.maximum(of_x[:, None] + of_y - 2 * x @ y.T, 0))
