"""How far a public map brings words apart, at most: exactly, over all pairs of words."""

from __future__ import annotations

from hashlib import sha256
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.mechanism.image import FeatureMap
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.table import Table

if TYPE_CHECKING:
    from nomdeplume.mechanism.tight import Tell

Ids = NDArray[np.int64]

SOME = 1 << 13  # pairs that what is remembered is held against
DIGITS = 7  # of a stretch, rounded up: the last ones differ from machine to machine


def features_of(table: Table, image: FeatureMap | None, inputs: Ids) -> Table:
    """The words with their features, as float32; inputs with one vector have one feature too.

    A product of matrices may round the same row in two ways, by its place in a block.
    """
    if image is None:
        return table
    found = image.over(table)
    rows = np.ascontiguousarray(table.vectors[inputs] + 0)  # −0 becomes 0
    alike = _repeated(rows[:, :2])  # few begin alike, and only those can be one vector
    _, first, which = np.unique(_whole(rows[alike]), return_index=True, return_inverse=True)
    if len(first) == len(alike):
        return found
    vectors, twins = np.array(found.vectors[:], dtype=np.float32), inputs[alike]
    vectors[twins] = vectors[twins[first[which]]]
    return found.with_vectors(vectors)


def _repeated(rows: NDArray[np.float32]) -> Ids:
    """Which rows are there more than once."""
    _, which, times = np.unique(_whole(rows), return_inverse=True, return_counts=True)
    return np.flatnonzero(times[which] > 1)


def _whole(rows: NDArray[np.float32]) -> NDArray[Any]:
    """Rows as one value each, by their bytes: a number where it is one of eight bytes."""
    size = rows.dtype.itemsize * rows.shape[1]
    kind = np.dtype(np.uint64) if size == 8 else np.dtype((np.void, size))
    return np.ascontiguousarray(rows).view(kind).ravel()


def stretch(
    table: Table,
    features: Table,
    inputs: Ids,
    *,
    memory: Memory | None = None,
    tell: Tell | None = None,
) -> float:
    """L = max ‖φ(v) − φ(w)‖ / ‖v − w‖ over all pairs of the input words, rounded up.

    Dividing φ by it certifies any φ, whatever it was made by: no pair is sampled or left out.
    One that is remembered must not be below that of some pairs.
    """
    if features is table:
        return 1.0
    words = Words(table, inputs, features.vectors[inputs].astype(np.float64))
    key = key_of(table, features, inputs)
    known = memory.number(key) if memory else None
    if known is None or known < _of_some(words):
        known = _up(float(Steepest(words, tell=tell).slopes.max(initial=0.0)))
        if memory and known:
            memory.keep_number(key, known)
    if known:
        return known
    if np.ptp(table.vectors[inputs], axis=0).any():
        raise InputError(
            "the map gives all kept words the same features, so none can be told; take "
            "--map vectors."
        )
    return 1.0  # there is one place only


def _of_some(words: Words) -> float:
    """The largest slope of some thousand pairs."""
    n = len(words.ids)
    pairs = np.random.default_rng(0).integers(0, n, (SOME, 2))
    return float(words.slopes(pairs).max(initial=0.0))


def key_of(table: Table, features: Table, inputs: Ids) -> str:
    """What a stretch depends on, hashed."""
    named = f"stretch {table.fingerprint} {features.fingerprint} "
    return sha256(named.encode() + inputs.astype("<i8").tobytes()).hexdigest()


def _up(value: float) -> float:
    """A number with some digits, and more than it by at least what float64 lost on the way."""
    if not value:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) + 1 - DIGITS)
    return float(f"{np.ceil(value * (1 + 1e-12) / unit) * unit:.{DIGITS}g}")
