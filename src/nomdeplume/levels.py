"""Levels: from bags to released words, word by word or a document at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, Item
from nomdeplume.devices import possible
from nomdeplume.distance.cloud import distances
from nomdeplume.distance.metrics import Means
from nomdeplume.errors import InputError
from nomdeplume.mechanism import Mechanism, NoisyMean, NoisyNearest, Projection
from nomdeplume.noise import Laplace, Planar
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.promise import OneWord, Promise, state
from nomdeplume.privacy.random import seeded
from nomdeplume.reduction import KEPT_BAGS, REDUCTIONS, Kept
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Released = tuple[Ids, Floats | None]  # (n, size) words and, at the document level, (n, m) means

MANY = 1 << 18  # words released together where there may be a card
TRIED = 400  # words on which it is measured how many stay
WORK = 1e10  # operations that this may take, about
COMMON, SOME = 5_000, 1_000  # words whose usual distance is stated; those that are compared


class Level(Protocol):
    """How bags become released words, and what is promised between two texts then."""

    @property
    def mechanism(self) -> Mechanism: ...

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What is promised about each document, the widest statement last."""

    @property
    def at_once(self) -> bool:
        """Whether a document is released at once, by a mean that can be released too."""

    @property
    def symbol(self) -> str:
        """Of what the mechanism's parameter is: ε for a word, E for a document."""

    @property
    def of_texts(self) -> int:
        """How many of the guarantees, the last ones, are between texts."""

    @property
    def compared(self) -> str:
        """The bags that the widest guarantee compares; budgets add up between the same ones."""

    @property
    def agreement(self) -> float | None:
        """Share of noisy words whose nearest word is found, where the search may miss it."""

    @property
    def unchanged(self) -> float | None:
        """Share of common kept words that stay as they are, where words are released one by one."""

    @property
    def batch(self) -> int:
        """Documents released together: what a seed draws depends on it, so it never changes."""

    @property
    def many(self) -> int:
        """The same where nobody must be able to draw again: more where there may be a card."""

    def release(self, bags: Sequence[Bag], rng: Generator) -> Released: ...

    def account(self, x: Item, y: Item) -> Account | None:
        """What is lost between two texts, purely and up to a δ, where its law is known."""

    def any_two(self) -> Account | None:
        """The same between texts that are as far apart as texts can be."""

    def one_word(self) -> OneWord | None:
        """Return the most that one changed word of a text can cost; None if nothing bounds it."""


@dataclass(frozen=True, eq=False)
class WordLevel:
    """Each word by itself, after a bag is reduced to `size` words."""

    mechanism: Mechanism
    vocabulary: Vocabulary
    size: int
    reduction: str  # a name in REDUCTIONS
    at_once: bool = False
    symbol: str = "ε"
    of_texts: int = 1

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        word = self.mechanism.guarantee
        return REDUCTIONS[self.reduction].guarantees(word, self.size, self.vocabulary)

    @property
    def compared(self) -> str:
        return REDUCTIONS[self.reduction].compared(self.size)

    @property
    def unchanged(self) -> float:
        """Measured on public words under a public stream, so it tells nothing about any text.

        Each of them several times where the table is small enough for that to be quick.
        """
        table = self.vocabulary.table
        draws = int(np.clip(WORK / (2 * len(table) * table.dimensions), TRIED, 5 * TRIED))
        ids = np.resize(self.vocabulary.ids[:TRIED], draws)
        return float((self.mechanism.release(ids, seeded(0)) == ids).mean())

    @property
    def agreement(self) -> float | None:
        """Share of noisy words whose nearest word a compressed search finds; none if it is exact.

        Measured like the share that stays.
        """
        if not isinstance(self.mechanism, NoisyNearest):
            return None
        ids = np.resize(self.vocabulary.ids[: 10 * TRIED], 10 * TRIED)
        return self.mechanism.agreement(ids, seeded(0))

    @property
    def batch(self) -> int:
        """Enough words for a few large matrix products."""
        return max(1, (8192 if isinstance(self.mechanism, NoisyNearest) else 131072) // self.size)

    @property
    def many(self) -> int:
        return max(self.batch, MANY // self.size) if possible() else self.batch

    def release(self, bags: Sequence[Bag], rng: Generator) -> Released:
        reduce = REDUCTIONS[self.reduction].reduce
        reduced = reduce(bags, self.size, self.vocabulary, rng)  # (n, size)
        return self.mechanism.release(reduced.ravel(), rng).reshape(reduced.shape), None

    def account(self, x: Item, y: Item) -> Account | None:
        noise, way = self._laplace, REDUCTIONS[self.reduction]
        if noise is None:
            return None
        return way.account((noise, self._dimensions), self.size, self.vocabulary, x, y)

    def any_two(self) -> Account | None:
        noise, vocabulary = self._laplace, self.vocabulary
        if noise is None:
            return None
        one = Account.of_bags(noise, [vocabulary.diameter], self._dimensions)
        return one.over_releases(self.size)

    def one_word(self) -> OneWord | None:
        """ε·d for each word that a text is reduced to, whatever the others are."""
        guarantee, vocabulary = self.mechanism.guarantee, self.vocabulary
        metric, ids = guarantee.ground("words"), _common(vocabulary)
        farthest = metric.widest(vocabulary.diameter)
        if not isfinite(farthest):
            return None
        places = metric.places(vocabulary.table.vectors[ids].astype(np.float64), ids)
        usual = guarantee.epsilon * _median(metric.apart(places, places))
        drawn = REDUCTIONS[self.reduction].drawn
        return OneWord.of(guarantee.epsilon * farthest, usual, size=self.size, drawn=drawn)

    @property
    def _laplace(self) -> float | None:
        """ε, if it is Laplace noise on vectors or a projection of them, however decoded.

        A subclass may do anything with the noise, and another image with the vectors.
        """
        mechanism = self.mechanism
        if type(mechanism) is not NoisyNearest or type(mechanism.noise) not in (Laplace, Planar):
            return None
        plain = mechanism.image is None or type(mechanism.image) is Projection
        return mechanism.guarantee.epsilon if plain else None

    @property
    def _dimensions(self) -> int:
        """Those that noise lives in. Images are no farther apart, and less is lost when nearer."""
        places: Table = getattr(self.mechanism, "places", self.vocabulary.table)
        return places.dimensions


@dataclass(frozen=True, eq=False)
class DocumentLevel:
    """A whole document by the mean of its features, from which `size` words are composed."""

    mechanism: NoisyMean
    vocabulary: Vocabulary
    size: int
    at_once: bool = True
    symbol: str = "E"
    of_texts: int = 2
    compared: str = KEPT_BAGS
    unchanged: None = None
    agreement: None = None
    batch: int = 1024
    many: int = 1024

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """Between two texts by their mean features, and by W₁, which these never exceed."""
        noise, kept = self.mechanism.guarantee, Kept(self.vocabulary)
        means = Means(diameter=self.mechanism.diameter)
        nearer = Guarantee(noise.epsilon, means, (*noise.proofs, "mean"))
        bags = noise.over_means()
        return (
            nearer.prepared(self._mean, between="two texts' mean features"),
            bags.prepared(kept, between="two texts' bags of kept words, of any lengths"),
        )

    def release(self, bags: Sequence[Bag], rng: Generator) -> Released:
        noisy = self.mechanism.noisy(bags, rng)
        return self.mechanism.compose(noisy, self.size, rng), noisy

    def account(self, x: Item, y: Item) -> Account | None:
        apart = float(np.linalg.norm(self._mean(x) - self._mean(y)))
        return self._of(apart)

    def any_two(self) -> Account | None:
        return self._of(self.mechanism.diameter)

    def one_word(self) -> OneWord:
        """E·‖φ(v) − φ(w)‖/m: one word of m moves their mean by an m-th of its own way."""
        mechanism, ids = self.mechanism, _common(self.vocabulary)
        epsilon = mechanism.guarantee.epsilon
        places = mechanism.features.vectors[ids].astype(np.float64) / mechanism.stretch
        usual = epsilon * _median(distances(places, places))
        return OneWord.of(epsilon * mechanism.diameter, usual)

    def _of(self, apart: float) -> Account | None:
        mechanism = self.mechanism
        if type(mechanism) is not NoisyMean or type(mechanism.noise) is not Laplace:
            return None
        return Account.of_bags(mechanism.noise.epsilon, [apart], mechanism.dimensions)

    def _mean(self, text: Item) -> Floats:
        """The mean features of a text or a bag; no words count as the public bag."""
        [mean] = self.mechanism.means([self.vocabulary.filled(text)])
        return np.asarray(mean)


def _common(vocabulary: Vocabulary) -> Ids:
    """Common kept words, evenly thinned: a table has its words in order of frequency."""
    ids = vocabulary.ids[:COMMON]
    return ids[:: max(1, len(ids) // SOME)]


def _median(away: Floats) -> float:
    """Median of the distances of all pairs, from a square of them; 0 if there is one word."""
    pairs = away[np.triu_indices(len(away), 1)]
    return float(np.median(pairs)) if len(pairs) else 0.0


def stated(level: Level, vocabulary: Vocabulary, *, tolerance: float) -> tuple[Promise, ...]:
    """The promises of a level, in words and as odds between public texts."""
    one = partial(
        state,
        vocabulary=vocabulary,
        any_two=level.any_two(),
        tolerance=tolerance,
        covers=getattr(level.mechanism, "covers", ""),
    )
    *others, widest = level.guarantees
    one_word = level.one_word()
    last = one(widest, of_texts=True, account=level.account, one_word=None if others else one_word)
    told = level.of_texts > 1 and len(last.odds) > 1  # if near texts are near here
    account = level.account if told else None
    first = [one_word] + [None] * len(others)
    return (
        *(
            one(guarantee, of_texts=told, nearer=told, account=account, one_word=said)
            for guarantee, said in zip(others, first, strict=False)
        ),
        last,
    )


def level(mechanism: Mechanism, vocabulary: Vocabulary, size: int, reduction: str) -> Level:
    """The level that a mechanism works at."""
    if isinstance(mechanism, NoisyMean):
        return DocumentLevel(mechanism, vocabulary, size)
    return WordLevel(mechanism, vocabulary, size, reduction)


def fits(mechanism: Mechanism, vocabulary: Vocabulary) -> None:
    """Refuse a mechanism that is not made for all kept words, or may release others."""
    if mechanism.table is not vocabulary.table:
        raise InputError("the mechanism and the vocabulary must have the same table.")
    covered = getattr(mechanism, "inputs", None)
    if covered is not None and not np.isin(vocabulary.ids, covered).all():
        raise InputError(
            "the mechanism is not made for all kept words, so that it would refuse some texts; "
            "give it inputs=vocabulary.ids."
        )
    if not vocabulary.holds(mechanism.outputs):
        raise InputError(
            "the mechanism may release words outside the kept vocabulary; "
            "give it outputs=vocabulary.ids."
        )
