"""How a bag of any size becomes N words, and what may be promised after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, Item, apportion, sample
from nomdeplume.distance import Cloud, Ground, bottleneck_plan, word_mover_plan
from nomdeplume.errors import InputError, got
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.vocabulary import EUCLIDEAN, Vocabulary

Ids = NDArray[np.int64]

KEPT_BAGS = "bags of kept words"


class Reduction(Protocol):
    """Brings bags to one size.

    Of its guarantees the last is the widest: it is one between two texts. Its account is of
    Laplace noise, given by its ε and its dimensions, and between two texts too.
    """

    @property
    def drawn(self) -> bool:
        """True if words are drawn by chance, so that one word of a text may fill all places."""

    def reduce(
        self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator
    ) -> Ids: ...
    def guarantees(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Guarantee, ...]: ...
    def account(
        self,
        noise: tuple[float, int],
        size: int,
        vocabulary: Vocabulary,
        x: Item,
        y: Item,
    ) -> Account: ...
    def compared(self, size: int) -> str:
        """The bags that the widest guarantee compares; budgets add up between the same ones."""


@dataclass(frozen=True)
class Kept:
    """What a promise between texts is about: the kept words of each."""

    vocabulary: Vocabulary
    ground: Ground = EUCLIDEAN

    def __call__(self, text: Item) -> Cloud:
        return self.vocabulary.cloud(self.vocabulary.filled(text), self.ground)


@dataclass(frozen=True)
class Reduced:
    """The kept words of a text, apportioned to a size."""

    vocabulary: Vocabulary
    size: int
    ground: Ground = EUCLIDEAN

    def __call__(self, text: Item) -> Cloud:
        bag, order = self.vocabulary.filled(text), self.vocabulary.tie_order
        [ids] = apportion([bag], self.size, order)
        return self.vocabulary.cloud(Bag.from_ids(ids), self.ground)


@dataclass(frozen=True)
class Sample:
    """Words drawn by chance, with replacement, by frequency: the paper's way.

    The chance weakens the promise between texts from W₁ to W∞ (docs/proofs/sampling.md).
    """

    drawn: bool = True

    def reduce(self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator) -> Ids:
        return sample(bags, size, rng)

    def guarantees(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Guarantee, ...]:
        drawn = replace(word.over_bags(size), between=f"two samples of {size} kept words")
        bags, ground = word.over_samples(size), word.ground("samples")
        return drawn, bags.prepared(Kept(vocabulary, ground), between=bags.between)

    def account(
        self,
        noise: tuple[float, int],
        size: int,
        vocabulary: Vocabulary,
        x: Item,
        y: Item,
    ) -> Account:
        """By the cheapest plan or by the one with the shortest longest move, whichever is less."""
        kept = Kept(vocabulary)
        clouds = kept(x), kept(y)
        plans = word_mover_plan(*clouds), bottleneck_plan(*clouds)
        moves = [(plan.moved, plan.masses / plan.total) for plan in plans]
        epsilon, dimensions = noise
        return Account.of_draws(epsilon, moves, size, dimensions)

    def compared(self, size: int) -> str:
        return KEPT_BAGS


@dataclass(frozen=True)
class Apportion:
    """Words in proportion to their counts, without chance.

    The promise stays one about W₁, between reduced bags (docs/proofs/kept.md).
    """

    drawn: bool = False

    def reduce(self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator) -> Ids:
        return apportion(bags, size, vocabulary.tie_order)

    def guarantees(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Guarantee, ...]:
        between = f"two texts' bags reduced to {size} kept words"
        reduced = Reduced(vocabulary, size, word.ground("bags"))
        return (word.over_bags(size).prepared(reduced, between=between),)

    def account(
        self,
        noise: tuple[float, int],
        size: int,
        vocabulary: Vocabulary,
        x: Item,
        y: Item,
    ) -> Account:
        """By a cheapest matching of the reduced bags, word by word."""
        reduced = Reduced(vocabulary, size)
        plan = word_mover_plan(reduced(x), reduced(y))
        moves = np.repeat(plan.moved, plan.masses * size // plan.total)
        epsilon, dimensions = noise
        return Account.of_bags(epsilon, moves, dimensions)

    def compared(self, size: int) -> str:
        """Reducing can move two bags farther apart than any of their words, even under W∞."""
        return f"bags reduced to {size} kept words"


REDUCTIONS: dict[str, Reduction] = {"sample": Sample(), "apportion": Apportion()}


def chosen(name: str, able: Sequence[str], mechanism: str) -> str:
    """A reduction by name, if the mechanism is able to use it; without a name, the first of these.

    Some mechanisms bring one of their own.
    """
    found = name or able[0]
    if found not in (*REDUCTIONS, *able):
        raise InputError(f"reduction must be {' or '.join(REDUCTIONS)}, got {got(found)}.")
    if found not in able:
        raise InputError(
            f"{mechanism} has its own way from a text to words: the reduction must be "
            f"{' or '.join(able)}, got {found}."
        )
    return found
