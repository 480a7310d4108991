"""A mechanism that nothing in src knows: it releases one of two public texts.

The text that fits better comes out `exp(ε)` times as often as the other, so no one's odds
between any two private texts shift by more than exp(ε) to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Item
from nomdeplume.distance.metrics import AnyTwo
from nomdeplume.mechanism.contract import Parameter, PublicTexts, Released
from nomdeplume.mechanism.menu import Kind
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]

TEXTS = ("The ferry left the harbour early.", "The dough must rest for an hour.")
BUDGET = Parameter("ε", "budget", per_word=False)


@dataclass(frozen=True)
class TwoTexts:
    """P(fitting text) = e^ε/(1 + e^ε), whatever the private text is."""

    value: float
    name: str = "two-texts"
    parameter: Parameter = BUDGET
    form: PublicTexts = PublicTexts(TEXTS)  # noqa: RUF009 - frozen
    of_texts: int = 1
    distance: str = "any two texts"
    metric: str = "1 between any two texts that differ"
    reduction: str = ""
    covers: str = ""
    advice: str = ""
    exact: bool = False
    kept_words: bool = False
    agreement: None = None
    by_ticket: None = None
    unchanged: None = None
    words: None = None
    read_as: None = None
    at: None = None
    batch: int = 256
    many: int = 256
    per_worker: int = 256

    @property
    def settings(self) -> dict[str, float | str]:
        return {}

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return (Guarantee(self.value, AnyTwo(), between="any two texts"),)

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> "TwoTexts":
        return self

    def item(self, text: str) -> str:
        return text

    def release(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        fits = [int("dough" in str(item)) for item in items]
        fitting = rng.random(len(items)) * (1 + exp(-self.value)) < 1
        return [
            Released(TEXTS[fit if ok else 1 - fit]) for fit, ok in zip(fits, fitting, strict=True)
        ]

    def log_chances(self, released: Sequence[Released], items: Sequence[Item]) -> Floats:
        fits = np.array([TEXTS["dough" in str(item)] for item in items])
        return self.value * (np.array([[each.text] for each in released]) == fits)

    def account(self, x: Item, y: Item) -> None:
        return None

    def any_two(self) -> None:
        return None

    def one_word(self) -> None:
        return None


KIND = Kind(lambda recipe, kitchen: TwoTexts(recipe.epsilon), 1.5, BUDGET)
