"""Bags of kept words, and their reduction to a fixed number of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bag:
    """A multiset of kept words: distinct ids, ascending, and how often each occurs."""

    ids: Ids
    counts: Ids
    seen: bool = False  # whether its text is one that the kept words were fitted on

    @classmethod
    def of(cls, counts: Mapping[int, int], *, seen: bool = False) -> Bag:
        ids = np.array(sorted(counts), dtype=np.int64)
        return cls(ids, np.array([counts[i] for i in ids.tolist()], dtype=np.int64), seen)

    @classmethod
    def from_ids(cls, ids: Ids, *, seen: bool = False) -> Bag:
        """The bag of ids in any order, each as often as it is there."""
        line, new = np.sort(ids), np.empty(len(ids), dtype=np.bool_)
        new[:1] = True
        np.not_equal(line[1:], line[:-1], out=new[1:])
        starts = np.append(new.nonzero()[0], len(ids))  # np.unique does the same, in more steps
        return cls(line[starts[:-1]], starts[1:] - starts[:-1], seen)

    def __len__(self) -> int:
        return int(self.counts.sum())


Item = Bag | str  # what is released: a bag, or a text that becomes one


def sample(bags: Sequence[Bag], size: int, rng: Generator) -> Ids:
    """`size` words drawn from each bag with replacement, by frequency: (bags, size) ids.

    All draws at once: a bag owns a stretch of one long line of word
    occurrences, and a draw is a uniform whole number within its stretch.
    """
    ids = np.concatenate([bag.ids for bag in bags])
    ends = np.cumsum(np.concatenate([bag.counts for bag in bags]))
    totals = np.array([len(bag) for bag in bags], dtype=np.int64)
    starts = np.cumsum(totals) - totals
    drawn = rng.integers(0, totals[:, None], size=(len(bags), size)) + starts[:, None]
    return np.asarray(ids[np.searchsorted(ends, drawn, side="right")])


def apportion(bags: Sequence[Bag], size: int, tie_order: Ids) -> Ids:
    """`size` words of each bag in proportion to its counts, without chance: (bags, size) ids.

    Largest remainder: every word gets the whole part of its share size·count/total,
    and the words with the largest remainders one more; equal remainders are
    settled by `tie_order`, which is public.
    """
    return np.stack([_apportion(bag, size, tie_order) for bag in bags])


def _apportion(bag: Bag, size: int, tie_order: Ids) -> Ids:
    seats, remainder = np.divmod(bag.counts * size, len(bag))
    first = np.lexsort((tie_order[bag.ids], -remainder))
    seats[first[: size - int(seats.sum())]] += 1
    return np.repeat(bag.ids, seats)
