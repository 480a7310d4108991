"""The words that a mechanism is made for: a public vocabulary, beyond which it refuses."""

from __future__ import annotations

from copy import copy
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError, PrivacyError
from nomdeplume.table import Table
from nomdeplume.workers.shared import can_be_shared

Ids = NDArray[np.int64]
M = TypeVar("M")  # a mechanism


def made_of(value: Any) -> dict[str, Any]:
    """The fields of a value, without what it made of them and can make again: to be pickled."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def prepared(value: Any) -> dict[str, Any]:
    """The fields of a value, and what it made of them as far as it can be pickled.

    Processes that are sent a mechanism share its large arrays, and make the rest again.
    """
    named = made_of(value)
    made = {name: each for name, each in vars(value).items() if name not in named}
    return named | {name: each for name, each in made.items() if can_be_shared(each)}


def renewed(mechanism: M, *shared: str, **changes: Any) -> M:
    """The mechanism with other fields, which shares what it has prepared under these names.

    What takes long to prepare, such as features and groups of words, does not depend on ε.
    """
    made: Any = copy(mechanism)
    prepared = {name: value for name, value in vars(mechanism).items() if name in shared}
    made.__dict__.clear()
    made.__dict__.update(made_of(mechanism) | prepared | changes)
    made.__post_init__()
    found: M = made
    return found


def in_order(table: Table, inputs: ArrayLike | None) -> Ids | None:
    """The ids in the table's order, each once; none given, all of the table, stay none."""
    if inputs is None:
        return None
    ids = np.asarray(inputs)
    if ids.dtype.kind not in "iu" or ids.ndim != 1 or not ids.size:
        raise InputError("inputs must be ids of the table, at least one; leave them out for all.")
    ids = np.unique(ids.astype(np.int64))
    if ids[0] < 0 or ids[-1] >= len(table):
        raise InputError(f"inputs must be ids from 0 to {len(table) - 1:,} of the table.")
    ids.flags.writeable = False
    return ids


def all_of(table: Table, ids: Ids | None) -> Ids:
    """The ids, or those of all words of the table if none are given."""
    return np.arange(len(table)) if ids is None else ids


def looked_up(ids: Ids, table: Table, inputs: Ids | None) -> Ids:
    """Their numbers among the inputs. A word without one is not covered, so it is refused."""
    ids, covered = np.asarray(ids, dtype=np.int64), all_of(table, inputs)
    numbers = np.full(len(table), -1, dtype=np.int64)
    numbers[covered] = np.arange(len(covered))
    known = (ids >= 0) & (ids < len(table))
    found = np.where(known, numbers[np.where(known, ids, 0)], -1)
    if (found < 0).any():
        raise PrivacyError(
            "every word must be one that the mechanism was made for, got others; "
            "leave them out, or name them among its inputs."
        )
    return found
