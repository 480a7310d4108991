"""The ways of releasing that the studio offers, and what the ends of their sliders are."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from nomdeplume.mechanism.noisy_mean import MADE_FOR

STEPS = 100  # of a slider
SIZES = (5, 500)  # words of a release
SIZE = 40
HIDES, KEEPS = "hides more, blurs the topic", "keeps more, promises less"
BAG = "What comes out is a list of words in alphabetical order, and no text to read."


@dataclass(frozen=True)
class Way:
    """A mechanism as people choose it; its slider is over E, or over ε for each word."""

    label: str
    about: str
    mechanism: str
    least: float
    most: float
    usual: float
    decode: str = ""
    by_word: bool = True

    @property
    def symbol(self) -> str:
        return "ε" if self.by_word else "E"

    @property
    def made_for(self) -> str:
        """Return the sentences on what a release is fit for, and what it is not fit for."""
        return BAG if self.by_word else f"{BAG} {MADE_FOR}"

    def value(self, step: float) -> float:
        """What a slider stands at, from `least` to `most` in equal ratios, to two digits."""
        share = min(1.0, max(0.0, step / STEPS))
        return float(f"{self.least * (self.most / self.least) ** share:.2g}")

    def step(self, value: float) -> int:
        """The step of the slider that is nearest to a value."""
        share = log(value / self.least) / log(self.most / self.least)
        return round(STEPS * min(1.0, max(0.0, share)))

    def budget(self, value: float, size: int) -> float:
        """What a document spends."""
        return value * size if self.by_word else value

    def fitting(self, value: float, left: float) -> str:
        """A smaller release that has room, in words; nothing if there is none."""
        words = int(left / value * (1 + 1e-9))
        if not self.by_word or words < SIZES[0]:
            return ""
        return f"Up to {words} words fit; the whole text at once needs less."


WAYS = {
    "mean": Way(
        "The whole text at once",
        "Noise on the mean of the text's subjects, once; words are composed from that. It tells "
        "subjects at a fraction of the budget that words one by one need.",
        "mean",
        1.0,
        200.0,
        20.0,
        by_word=False,
    ),
    "laplace": Way(
        "Word by word, as in the paper",
        "Noise on each word's vector, then the nearest word. Budgets of all words add up.",
        "laplace",
        1.0,
        20.0,
        6.0,
    ),
    "rank": Way(
        "Word by word, to nearby words",
        "Words that would come back become near ones. At a small ε most words become far ones.",
        "laplace",
        1.0,
        20.0,
        9.5,
        decode="rank",
    ),
}
