"""Bags of words to try a document level with: of all lengths, near, far, and told many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance.cloud import distances
from nomdeplume.table import Table

Ids = NDArray[np.int64]
Pair = tuple[str, Ids, Ids]  # what is tried, and two bags

LENGTHS = (1, 2, 3, 60)
LONG = (1_000, 5_000)
ROUNDS = 8
APART = "the two words that are brought apart most"
COMMON = 2_000  # words among which near and far ones are looked for


@dataclass(frozen=True, eq=False)
class Words:
    """Kept words to make bags of, and two of them that a map brings apart most, if known."""

    table: Table
    kept: Ids
    steep: Ids = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @cached_property
    def some(self) -> Ids:
        return self.kept[:COMMON]

    @cached_property
    def near(self) -> Ids:
        """Of each of some words the nearest that is not at its place."""
        apart = np.where(self._apart > 0, self._apart, np.inf)
        return np.asarray(self.some[apart.argmin(axis=1)])

    @cached_property
    def far(self) -> Ids:
        return np.asarray(self.some[self._apart.argmax(axis=1)])

    @cached_property
    def _apart(self) -> NDArray[np.float64]:
        vectors = self.table.vectors[self.some].astype(np.float64)
        return distances(vectors, vectors)


def some_bags(words: Words) -> list[Ids]:
    """Bags of any words, of all lengths, with words once and many times."""
    rng, made = np.random.default_rng(1), []
    for _ in range(ROUNDS):
        made += [rng.choice(words.kept, length) for length in (*LENGTHS, 20)]
        one, two = rng.choice(words.kept, 2)
        made += [np.repeat([one, two], [19, 1]), np.repeat([one, two], [1, 3])]
        made.append(np.repeat(rng.choice(words.kept, 5), 7))
    return [*made, *(rng.choice(words.kept, length) for length in LONG)]


def bags_of(words: Words, released: Sequence[tuple[str, ...]]) -> list[Ids]:
    """Bags of the kept ones of released words; of the first word where none is kept."""
    found = [words.table.ids(row) for row in released]
    kept = (ids[np.isin(ids, words.kept)] for ids in found)
    return [ids if len(ids) else words.kept[:1] for ids in kept]


def pairs_of_bags(words: Words) -> list[Pair]:
    """Pairs of bags between which a wrong mean is farther from one than words are moved."""
    rng, made = np.random.default_rng(2), []
    for _ in range(ROUNDS):
        made += _any(words, rng)
        at = int(rng.integers(len(words.some)))
        made += _far(words.some[at], words.far[at], "one far word")
        made += _far(words.some[at], words.near[at], "one near word")
        made += _multiples(rng.choice(words.kept, 3))
    if len(words.steep) == 2:
        one, two = words.steep.tolist()
        made += _far(one, two, APART) + _far(two, one, APART)
    few = rng.choice(words.kept, (2, 20))  # distinct words, so that W₁ is soon found
    one, two = (np.resize(ids, length) for ids, length in zip(few, LONG, strict=True))
    return [*made, ("1,000 words against 5,000", one, two), ("60 against 5,000", one[:60], two)]


def _any(words: Words, rng: np.random.Generator) -> list[Pair]:
    """Any words against any others, near ones, and of all lengths."""
    made: list[Pair] = []
    for length in LENGTHS:
        at, other = rng.integers(len(words.some), size=(2, length))
        bag = words.some[at]
        made += [
            (f"any {length} words", bag, words.some[other]),
            (f"{length} words and near ones", bag, words.near[at]),
            (f"{length} words against 60", bag, rng.choice(words.kept, 60)),
        ]
    return made


def _far(one: int, two: int, what: str) -> list[Pair]:
    """Two words: alone, told often, and one of them once in a text of the other."""
    x, y = (np.array([each], dtype=np.int64) for each in (one, two))
    return [
        (what, x, y),
        (f"{what}, 3 times against 60", np.repeat(x, 3), np.repeat(y, 60)),
        (f"{what} in twenty", np.append(np.repeat(x, 19), y), np.repeat(x, 20)),
        (f"{what}, once and twice", np.append(x, y), np.append(np.repeat(x, 2), y)),
    ]


def _multiples(bag: Ids) -> list[Pair]:
    """The same words told more often: no word moves."""
    return [
        ("a text and ten times itself", bag, np.tile(bag, 10)),
        ("a text and fifty times itself", bag, np.tile(bag, 50)),
        ("a word and ten times itself", bag[:1], np.tile(bag[:1], 10)),
    ]
