"""Words of a table, and pairs of them, on which a promise is tried."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from nomdeplume.audit.closed import promised
from nomdeplume.errors import InputError
from nomdeplume.mechanism import Mechanism
from nomdeplume.table import Table
from nomdeplume.table.neighbours import nearest

Ids = NDArray[np.int64]

TRIED = 3
SEEN = 300  # of which those come first between which something is promised
REACH = 20_000  # words among which others are sought that something is promised to
SPEED = 2e8  # numbers compared, for every second that an audit may take


@dataclass(frozen=True)
class Pair:
    """Two words by their ids, and what a report calls them."""

    x: int
    y: int
    name: str


def covered(mechanism: Mechanism, kept: Ids) -> Ids:
    """The kept words that something is promised about; all of them if none are named."""
    declared = mechanism.declaration
    named = declared.inputs if declared.covered is None else declared.covered
    words = kept if named is None else kept[np.isin(kept, named)]
    return words if len(words) > 1 else kept


def commonest(mechanism: Mechanism, kept: Ids, most: int) -> Ids:
    """The commonest words that something is promised about.

    Where it is promised to some others only, as within groups, those come along.
    """
    guarantee, table, left = mechanism.guarantee, mechanism.table, covered(mechanism, kept)
    if guarantee.metric.widest(lambda: 2 * table.radius) < inf:
        return left[:most]
    chosen, left = left[:0], left[:REACH]
    while len(left) and len(chosen) < most:
        together = np.isfinite(promised(guarantee, table, left[:1], left)[0])
        chosen, left = np.append(chosen, left[together]), left[~together]
    return np.asarray(chosen[:most])


def named_pairs(mechanism: Mechanism, kept: Ids, which: str, seconds: float) -> list[Pair]:
    """The nearest pairs of common words, which tell most; random ones; or one by its words."""
    table = mechanism.table
    if len(kept) < 2:
        return []
    if which == "near":
        ids = _near(mechanism, kept, seconds)
    elif which == "random":
        ids = np.random.default_rng().permuted(covered(mechanism, kept))[: 2 * TRIED]
        ids = ids[: len(ids) // 2 * 2].reshape(-1, 2)
    else:
        ids = _by_name(table, kept, which)
    words = table.words
    return [Pair(int(x), int(y), f"{words[int(x)]} and {words[int(y)]}") for x, y in ids]


def _near(mechanism: Mechanism, kept: Ids, seconds: float) -> Ids:
    """The nearest pairs that are not at one place, among as many common words as are cheap.

    Those come first between which something is promised.
    """
    table, words = mechanism.table, covered(mechanism, kept)
    affordable = int(np.clip(SPEED * seconds / (len(table) * table.dimensions), 50, 5_000))
    common = words[:affordable]
    found, distances = nearest(table, common, top=5)
    x = np.repeat(common, found.shape[1])
    y, apart = found.ravel(), distances.ravel()
    good = np.isin(y, words) & (apart > 0)
    both = np.sort(np.column_stack((x, y)), axis=1)[good]
    nearest_first = both[apart[good].argsort(kind="stable")]
    _, first = np.unique(nearest_first, axis=0, return_index=True)
    distinct = nearest_first[np.sort(first)]
    guarantee = mechanism.guarantee
    if guarantee.metric.widest(lambda: 2 * table.radius) < inf:
        return np.asarray(distinct[:TRIED])
    some = distinct[:SEEN]
    nothing = [promised(guarantee, table, pair)[0, 1] == inf for pair in some]
    return np.asarray(some[np.argsort(nothing, kind="stable")][:TRIED])


def _by_name(table: Table, kept: Ids, which: str) -> Ids:
    words = [word.strip() for word in which.split(",")]
    if not len(table.ids(words)):
        words = [word.lower() for word in words]
    if len(words) != 2 or not all(words):
        raise InputError("pairs must be near, random, or two words with a comma between them.")
    ids = table.ids(words)
    if len(ids) != 2 or not np.isin(ids, kept).all():
        raise InputError(f"both words must be kept words of table {table.name}.")
    if (table.vectors[ids[:1]] == table.vectors[ids[1:]]).all():
        raise InputError("the two words are at one place: nothing may tell them apart.")
    return ids.reshape(1, 2)
