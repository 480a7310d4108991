"""How a bag of any size becomes N words, and what may be promised after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, apportion, sample
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.promise import Promise, state
from nomdeplume.vocabulary import Vocabulary

Ids = NDArray[np.int64]


class Reduction(Protocol):
    """Brings bags to one size; `guarantees` and `promises` put the widest statement last."""

    def reduce(
        self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator
    ) -> Ids: ...
    def guarantees(self, word: Guarantee, size: int) -> tuple[Guarantee, ...]: ...
    def promises(
        self, word: Guarantee, size: int, vocabulary: Vocabulary
    ) -> tuple[Promise, ...]: ...


@dataclass(frozen=True)
class Sample:
    """Words drawn by chance, with replacement, by frequency: the paper's way.

    The chance weakens the promise between texts from W₁ to W∞ (docs/proofs/sampling.md).
    """

    def reduce(self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator) -> Ids:
        return sample(bags, size, rng)

    def guarantees(self, word: Guarantee, size: int) -> tuple[Guarantee, ...]:
        drawn = replace(word.over_bags(size), between=f"two samples of {size} kept words")
        return drawn, word.over_samples(size)

    def promises(self, word: Guarantee, size: int, vocabulary: Vocabulary) -> tuple[Promise, ...]:
        drawn, texts = self.guarantees(word, size)
        return state(drawn, vocabulary), state(texts, vocabulary, of_text=lambda bag: bag)


@dataclass(frozen=True)
class Apportion:
    """Words in proportion to their counts, without chance.

    The promise stays one about W₁, between reduced bags (docs/proofs/bags.md).
    """

    def reduce(self, bags: Sequence[Bag], size: int, vocabulary: Vocabulary, rng: Generator) -> Ids:
        return apportion(bags, size, vocabulary.tie_order)

    def guarantees(self, word: Guarantee, size: int) -> tuple[Guarantee, ...]:
        return (
            replace(word.over_bags(size), between=f"two texts' bags reduced to {size} kept words"),
        )

    def promises(self, word: Guarantee, size: int, vocabulary: Vocabulary) -> tuple[Promise, ...]:
        def of_text(bag: Bag) -> Bag:
            return Bag.from_ids(apportion([bag], size, vocabulary.tie_order)[0])

        return tuple(state(each, vocabulary, of_text) for each in self.guarantees(word, size))


REDUCTIONS: dict[str, Reduction] = {"sample": Sample(), "apportion": Apportion()}
