"""How far a public map brings words apart, at most: exactly, over all pairs of words."""

from __future__ import annotations

from hashlib import sha256
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.mechanism.image import FeatureMap
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.tight import Tell
from nomdeplume.table import Table

Ids = NDArray[np.int64]

DIGITS = 7  # of a stretch, rounded up: the last ones differ from machine to machine


def features_of(table: Table, image: FeatureMap | None) -> Table:
    """The words with their features, as float32; words with one vector have one feature too.

    A product of matrices may round the same row in two ways, by its place in a block.
    """
    if image is None:
        return table
    found = image.over(table)
    rows = np.ascontiguousarray(table.vectors[:] + 0)  # −0 becomes 0
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    if len(first) == len(table):
        return found
    return Table.owning(found.words, found.vectors[first[which]], found.name, found.language)


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
    """
    if features is table:
        return 1.0
    key = key_of(table, features, inputs)
    known = memory.number(key) if memory else None
    if known is None:
        values = features.vectors[inputs].astype(np.float64)
        found = Steepest(Words(table, inputs, values), tell=tell)
        known = _up(float(found.slopes.max(initial=0.0)))
        if memory:
            memory.keep_number(key, known)
    if not known:
        raise InputError("the map gives all kept words the same features, so none can be told.")
    return known


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
