"""How a bag of any size becomes N words, and what may be promised after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, apportion, sample
from nomdeplume.distance import Cloud
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.vocabulary import Vocabulary

Ids = NDArray[np.int64]


class Reduction(Protocol):
    """Brings bags to one size.

    Of its guarantees the last is the widest: it is one between two texts.
    """

    def reduce(
        self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator
    ) -> Ids: ...
    def guarantees(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Guarantee, ...]: ...


@dataclass(frozen=True)
class Sample:
    """Words drawn by chance, with replacement, by frequency: the paper's way.

    The chance weakens the promise between texts from W₁ to W∞ (docs/proofs/sampling.md).
    """

    def reduce(self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator) -> Ids:
        return sample(bags, size, rng)

    def guarantees(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Guarantee, ...]:
        drawn = replace(word.over_bags(size), between=f"two samples of {size} kept words")
        bags = word.over_samples(size)

        def kept(text: str) -> Cloud:
            return vocabulary.cloud(vocabulary.filled(text))

        return drawn, bags.prepared(kept, between=bags.between)


@dataclass(frozen=True)
class Apportion:
    """Words in proportion to their counts, without chance.

    The promise stays one about W₁, between reduced bags (docs/proofs/kept.md).
    """

    def reduce(self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator) -> Ids:
        return apportion(bags, size, vocabulary.tie_order)

    def guarantees(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Guarantee, ...]:
        def reduced(text: str) -> Cloud:
            [ids] = apportion([vocabulary.filled(text)], size, vocabulary.tie_order)
            return vocabulary.cloud(Bag.from_ids(ids))

        between = f"two texts' bags reduced to {size} kept words"
        return (word.over_bags(size).prepared(reduced, between=between),)


REDUCTIONS: dict[str, Reduction] = {"sample": Sample(), "apportion": Apportion()}
