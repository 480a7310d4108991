"""A word near the nearest one, by its rank: what is near comes out, however many dimensions.

Noise in many dimensions is decoded to the secret word or to one that has nothing to do with
it. The nearest word is released already, so another step by chance costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from threading import Lock
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.decode.kinds import Decode, Floats, Ids
from nomdeplume.decode.nearest import Search
from nomdeplume.errors import positive
from nomdeplume.nearest import Several, checked, index
from nomdeplume.noise import Noise
from nomdeplume.table import Table

MOST = 1000  # ranks
TAIL = 1e-9  # chance of all ranks beyond, which are left out
MEMORY = 1 << 26  # bytes that lists of near words may take: 64 MiB
TOGETHER = 1024  # words whose lists are made together


@dataclass(frozen=True)
class Rank:
    """The nearest word w, then the word of rank r from it with P ∝ exp(−c·ε·r), r = 0, 1, ….

    Rank r is the r-th nearest of the words that may come out, 0 is w itself. The list of
    ranks ends at 1,000, or where less than 10⁻⁹ is left.
    """

    c: float = 0.02
    name: str = "rank"
    index: str = "auto"  # by which w is found

    def __post_init__(self) -> None:
        positive("c", self.c)
        checked(self.index)

    @property
    def settings(self) -> dict[str, float | str]:
        found: dict[str, float | str] = {"decode": self.name, "c": self.c}
        return found | ({"index": self.index} if self.index == "scan" else {})

    @property
    def proofs(self) -> tuple[str, ...]:
        return ("postprocessing",)

    def over(self, places: Table, outputs: Ids | None, noise: Noise) -> Decode:
        steps = self.around(places, outputs, noise.guarantee.epsilon)
        return SearchAndStep(index(self.index, places, outputs), steps)

    def again(self, before: Decode, places: Table, outputs: Ids | None, noise: Noise) -> Decode:
        """Other steps, with the index that is there."""
        steps = self.around(places, outputs, noise.guarantee.epsilon)
        found = before.index if isinstance(before, Search) else index(self.index, places, outputs)
        return SearchAndStep(found, steps)

    def around(self, places: Table, outputs: Ids | None, epsilon: float) -> Steps:
        """The same from words that were released already, under a promise of ε."""
        decay = self.c * epsilon
        count = len(places) if outputs is None else len(outputs)
        top = min(count, MOST, ceil(-log(TAIL) / max(decay, 1e-3)))
        return Steps(Several(places, outputs, top=top), decay)

    def elsewhere(self) -> Self:
        return self


@dataclass(frozen=True, eq=False)
class SearchAndStep(Search):
    """The nearest word, then a step from it."""

    steps: Steps

    def after(self, nearest: Ids, rng: Generator) -> Ids:
        return self.steps(nearest, rng)


def drawn(decay: float, top: int, n: int, rng: Generator) -> Ids:
    """n ranks below `top` with P ∝ exp(−decay·r), by the inverse of their law."""
    ranks = -np.log1p(rng.random(n) * np.expm1(-decay * top)) / decay
    return np.asarray(np.minimum(ranks.astype(np.int64), top - 1))


class Steps:
    """From each word to one of some rank from it, by chance."""

    def __init__(self, index: Several, decay: float) -> None:
        self._lists, self._decay, self._top = Lists(index), decay, index.top
        self._words = len(index.table)

    def __call__(self, words: Ids, rng: Generator) -> Ids:
        return self._lists.at(words, drawn(self._decay, self._top, len(words), rng))

    def chances(self, words: Ids) -> Floats:
        """The chances of all words of the table from each of these, (n, V)."""
        law = np.exp(-self._decay * np.arange(self._top))
        near = [self._lists.at(words, np.full(len(words), rank)) for rank in range(self._top)]
        chances = np.zeros((len(words), self._words))
        np.put_along_axis(chances, np.column_stack(near), law / law.sum(), axis=1)
        return chances


class Lists:
    """Lists of the words nearest to a word, itself first: made once, as far as memory allows.

    When it is full all are forgotten, so lists never take more than 64 MiB, or one block.
    """

    def __init__(self, index: Several) -> None:
        self._index, self._lock = index, Lock()
        count = len(index.table if index.ids is None else index.ids)
        rows = min(count, max(TOGETHER, MEMORY // (4 * index.top)))
        self._kept = np.empty((rows, index.top), dtype=np.int32)
        self._slot = np.full(len(index.table), -1, dtype=np.int64)  # where a word's list is
        self._used = 0

    def at(self, words: Ids, ranks: Ids) -> Ids:
        """The word of each rank from each word."""
        found = words.copy()
        moved = np.flatnonzero(ranks)
        for start in range(0, len(moved), TOGETHER):
            some = moved[start : start + TOGETHER]
            with self._lock:
                self._make(np.unique(words[some]))
                found[some] = self._kept[self._slot[words[some]], ranks[some]]
        return found

    def _make(self, words: Ids) -> None:
        """Have the lists of these words, which are no more than a block."""
        missing = words[self._slot[words] < 0]
        if self._used + len(missing) > len(self._kept):
            self._slot.fill(-1)
            self._used, missing = 0, words
        if len(missing):
            at = np.arange(self._used, self._used + len(missing))
            self._kept[at], self._slot[missing] = self._lists(missing), at
            self._used += len(missing)

    def _lists(self, words: Ids) -> NDArray[np.int32]:
        """The nearest words of each; it comes first itself, also among words at one place."""
        near, _ = self._index.several(self._index.table.vectors[words].astype(np.float64))
        order = np.argsort(near != words[:, None], axis=1, kind="stable")
        lists = np.take_along_axis(near, order, axis=1)
        lists[:, 0] = words
        return lists.astype(np.int32)
