"""Runs of signs (character n-grams) of many texts at once, without a loop over signs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ids = NDArray[np.int64]
BITS = 21  # of a Unicode code point


@dataclass(frozen=True, eq=False)
class Signs:
    """Texts laid end to end."""

    code: Ids  # (signs,) Unicode code points
    text: Ids  # (signs,) which text each one is of
    texts: int

    @classmethod
    def of(cls, texts: Sequence[str]) -> Signs:
        whole = "".join(texts).encode("utf-32-le", "surrogatepass")
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        text = np.repeat(np.arange(len(texts)), lengths)
        return cls(np.frombuffer(whole, dtype="<u4").astype(np.int64), text, len(texts))

    def starts(self, length: int) -> NDArray[np.bool_]:
        """At which signs a run of that length begins, all of it within one text."""
        last = len(self.text) - length + 1
        return np.asarray(self.text[: max(last, 0)] == self.text[length - 1 :])


@dataclass(frozen=True, eq=False)
class Runs:
    """All runs of up to some length that texts contain, as a tree.

    A run is the one without its last sign (its context) and that sign: its key is the
    context's id with the sign's code point behind it, and its id the key's place among those of
    its length. So keys fit 64 bits for every script and every length.
    """

    keys: tuple[Ids, ...]  # of length 1, 2, …: each sorted

    @classmethod
    def grown(cls, signs: Signs, longest: int) -> tuple[Runs, list[Ids]]:
        """The tree of the texts' runs, and `ids` of the same texts."""
        keys, found = [], []
        before = np.zeros(len(signs.code), dtype=np.int64)
        for length in range(1, longest + 1):
            begun = signs.starts(length)
            known, ids = np.unique(_keys(signs, before, begun, length), return_inverse=True)
            before = np.full(len(signs.code), -1, dtype=np.int64)
            before[: len(begun)][begun] = ids
            keys.append(known)
            found.append(before)
        return cls(tuple(keys)), found

    def ids(self, signs: Signs) -> list[Ids]:
        """For each length, the run that begins at each sign; −1 where it is not in the tree."""
        return list(self._ids(signs))

    def _ids(self, signs: Signs) -> Iterator[Ids]:
        before = np.zeros(len(signs.code), dtype=np.int64)
        for length, known in enumerate(self.keys, start=1):
            begun = signs.starts(length) & (before[: max(len(before) - length + 1, 0)] >= 0)
            keys = _keys(signs, before, begun, length)
            before = np.full(len(signs.code), -1, dtype=np.int64)
            before[: len(begun)][begun] = _places(known, keys)
            yield before

    def contexts(self, length: int) -> Ids:
        """For each run of that length, the id of its context."""
        return self.keys[length - 1] >> BITS


def counted(rows: Ids, columns: Ids, shape: tuple[int, int]) -> Any:
    """How often each row and column are met together, as a sparse matrix; those of −1 are not."""
    here = (rows >= 0) & (columns >= 0)
    place = rows[here].astype(np.int32), columns[here].astype(np.int32)  # scikit-learn's kind
    found = csr_array((np.ones(len(place[0])), place), shape=shape)
    found.sum_duplicates()
    return found


def _keys(signs: Signs, before: Ids, begun: NDArray[np.bool_], length: int) -> Ids:
    return (before[: len(begun)][begun] << BITS) | signs.code[length - 1 :][begun]


def _places(known: Ids, keys: Ids) -> Ids:
    """Where each key stands in a sorted list, or −1."""
    if not len(known):
        return np.full(len(keys), -1, dtype=np.int64)
    place = np.searchsorted(known, keys).clip(max=len(known) - 1)
    return np.where(known[place] == keys, place, -1)
