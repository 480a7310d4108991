"""A word and what is near it on a map of two dimensions, and where its releases land."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.distance.cloud import squared
from nomdeplume.errors import InputError, whole
from nomdeplume.evaluate.figures import proportion
from nomdeplume.mechanism import Mechanism
from nomdeplume.table import Table
from nomdeplume.threads import ONE_THREAD_EACH
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

NEAR = 60  # words of a map
ROWS = 2048  # of a table, looked at together
SPARE = 16  # words more that are looked at, as float32 may mistake their order
DRAWS = 500
TOP = 10  # commonest words that are told


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The kept words nearest to a word, and their places on a map that has it at the origin.

    The two axes are those along which the near words differ most (PCA). A map of two
    dimensions does not keep distances: `told` says how much of the spread it shows.
    """

    vocabulary: Vocabulary
    id: int
    ids: Ids  # (n,), nearest first
    distances: Floats  # (n,), in all dimensions
    axes: Floats  # (2, d)
    told: float  # share of the spread

    @classmethod
    def of(cls, vocabulary: Vocabulary, word: str, *, near: int = NEAR) -> Self:
        if word not in vocabulary:
            raise InputError(_missing(vocabulary, word))
        centre = int(vocabulary.table.ids([word])[0])
        ids, distances = _nearest(vocabulary, centre, whole("near", near))
        axes, told = _axes(_from(vocabulary, centre, ids))
        return cls(vocabulary, centre, ids, distances, axes, told)

    @property
    def word(self) -> str:
        return self.vocabulary.table.words[self.id]

    @property
    def places(self) -> Floats:
        """Where the near words are, (n, 2)."""
        return self.placed(self.ids)

    def placed(self, ids: Ids) -> Floats:
        """Where any words of the table are on this map, (m, 2)."""
        return np.asarray(_from(self.vocabulary, self.id, ids) @ self.axes.T)


def _missing(vocabulary: Vocabulary, word: str) -> str:
    """Why a word has no place on a map; it may be private, and is not said."""
    name = f"table {vocabulary.table.name}"
    if len(word.split()) != 1:
        return "one word must be given, without blanks."
    if len(vocabulary.table.ids([word])):
        return f"{name} has this word, but it is a stop word or no topic word; try another."
    return f"{name} does not have this word; try another, of language {vocabulary.table.language}."


def _from(vocabulary: Vocabulary, centre: int, ids: Ids) -> Floats:
    """The ways from one word to others."""
    vectors = vocabulary.table.vectors
    ways: Floats = vectors[ids].astype(np.float64)
    ways -= vectors[centre]
    return ways


def _nearest(vocabulary: Vocabulary, centre: int, near: int) -> tuple[Ids, Floats]:
    """The nearest other kept words: found in float32, put in order in float64."""
    kept = vocabulary.ids
    rough = _rough(vocabulary.table, centre)[kept]
    rough[kept == centre] = np.inf
    near = min(near, len(kept) - 1)
    some = min(near + SPARE, len(kept) - 1)
    found = kept[np.argpartition(rough, some)[:some]]
    exact = np.sqrt(squared(_from(vocabulary, centre, found)))
    first = np.lexsort((found, exact))[:near]
    return found[first], exact[first]


def _rough(table: Table, centre: int) -> NDArray[np.float32]:
    """Squared distances of all words from one, about, some rows at a time."""
    found, here = np.empty(len(table), dtype=np.float32), table.vectors[centre]
    for start in range(0, len(table), ROWS):
        ways = table.vectors[start : start + ROWS] - here
        np.einsum("nd,nd->n", ways, ways, out=found[start : start + ROWS])
    return found


def _axes(ways: Floats) -> tuple[Floats, float]:
    """The two directions in which points spread most, and the share of the spread they show."""
    axes = np.zeros((2, ways.shape[1]))
    if not len(ways):
        return axes, 1.0
    with ONE_THREAD_EACH:  # so small that several would only wait for each other
        _, spread, directions = np.linalg.svd(ways - ways.mean(axis=0), full_matrices=False)
    found = directions[:2]
    largest = np.abs(found).argmax(axis=1)
    axes[: len(found)] = found * np.sign(found[np.arange(len(found)), largest])[:, None]
    total = float(spread @ spread)
    return axes, float(spread[:2] @ spread[:2]) / total if total else 1.0


@dataclass(frozen=True, eq=False)
class Landing:
    """Where releases of a word landed: on it, on a near word, or elsewhere.

    Ids and counts are of draws. Shares are of draws too, or chances where a mechanism knows
    them; they sum to 1. Substitutes is the effective number of words that come out, 1/Σp².
    """

    ids: Ids  # that came out, commonest first
    counts: Ids
    draws: int
    exact: bool  # whether shares are chances
    stays: float
    interval: tuple[float, float]  # of `stays`, Wilson's at 95 %
    near: float  # share that becomes a near word
    elsewhere: float
    missed: int  # draws that landed elsewhere
    substitutes: float
    repeats: int  # pairs of draws that were alike; of none, substitutes are more than they tell
    commonest: tuple[tuple[str, float], ...]  # words and their shares

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        neighbourhood: Neighbourhood,
        rng: Generator,
        *,
        draws: int = DRAWS,
    ) -> Self:
        if not mechanism.declaration.parameter.per_word:
            raise InputError(
                f"{mechanism.name} releases documents, not words, so there is no word to look at."
            )
        here, whole_draws = neighbourhood.id, whole("draws", draws, least=2)
        ids, counts = _drawn(mechanism, here, whole_draws, rng)
        told = mechanism.declaration.channel
        seen = counts / whole_draws
        known = told(np.array([here]))[0] if told else _spread(ids, seen, mechanism)
        stays, near = float(known[here]), float(known[neighbourhood.ids].sum())
        on_map = np.isin(ids, neighbourhood.ids) | (ids == here)
        alike = float(known @ known) if told else _alike(counts, whole_draws)
        least = 0.0 if told else 2 / (whole_draws * (whole_draws - 1))
        return cls(
            ids=ids,
            counts=counts,
            draws=whole_draws,
            exact=told is not None,
            stays=stays,
            interval=(stays, stays) if told else wilson(stays, whole_draws),
            near=near,
            elsewhere=max(0.0, 1 - stays - near),
            missed=int(counts[~on_map].sum()),
            substitutes=min(1 / max(alike, least), float(_outputs(mechanism))),
            repeats=int((counts * (counts - 1)).sum()) // 2,
            commonest=_commonest(known, mechanism),
        )


def _drawn(mechanism: Mechanism, word: int, draws: int, rng: Generator) -> tuple[Ids, Ids]:
    """What came out and how often, commonest first."""
    released = mechanism.release(np.full(draws, word, dtype=np.int64), rng)
    ids, counts = np.unique(released, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return ids[order], counts[order].astype(np.int64)


def _spread(ids: Ids, shares: Floats, mechanism: Mechanism) -> Floats:
    """Shares of some words as those of all words of the table."""
    found = np.zeros(len(mechanism.table))
    found[ids] = shares
    return found


def _alike(counts: Ids, draws: int) -> float:
    """The chance that two draws are the same, Σp², told by their pairs without bias."""
    return float((counts * (counts - 1)).sum()) / (draws * (draws - 1))


def _outputs(mechanism: Mechanism) -> int:
    return len(mechanism.table) if mechanism.outputs is None else len(mechanism.outputs)


def _commonest(known: Floats, mechanism: Mechanism) -> tuple[tuple[str, float], ...]:
    best = np.argsort(-known, kind="stable")[:TOP]
    return tuple((mechanism.table.words[i], float(known[i])) for i in best if known[i] > 0)


def wilson(share: float, count: int) -> tuple[float, float]:
    """The interval of a share of independent trials, by Wilson's score at 95 %."""
    found = proportion(share * count, count)
    return found.low, found.high
