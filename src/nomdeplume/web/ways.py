"""The ways of releasing that the studio offers, and what the ends of their sliders are."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

from nomdeplume.mechanism.contract import Parameter
from nomdeplume.mechanism.menu import MECHANISMS

STEPS = 100  # of a slider
SIZES = (5, 500)  # words of a release
SIZE = 40
HIDES, KEEPS = "hides more, tells less of the topic", "keeps more, promises less"
ENOUGH = 1 + 1e-9  # of what is left: sums are rounded


@dataclass(frozen=True)
class Way:
    """A mechanism as people choose it; its slider is over its parameter: odds, E, or ε of words."""

    label: str
    about: str
    mechanism: str
    least: float
    most: float
    usual: float
    decode: str = ""

    @property
    def parameter(self) -> Parameter:
        return MECHANISMS[self.mechanism].parameter

    @property
    def by_word(self) -> bool:
        return self.parameter.per_word

    @property
    def by_odds(self) -> bool:
        """True if a release is a text of a library, which has no number of words to choose."""
        return self.parameter.option == "odds"

    def value(self, step: float) -> float:
        """The value at a step of the slider: equal ratios from `least` to `most`, two digits."""
        share = min(1.0, max(0.0, step / STEPS))
        return self.near(float(f"{self.least * (self.most / self.least) ** share:.2g}"))

    def near(self, value: float) -> float:
        """The value itself; the nearest whole odds, of at least 2 to 1."""
        return max(2.0, float(round(value))) if self.by_odds else value

    def step(self, value: float) -> int:
        """The step of the slider that is nearest to a value."""
        share = log(value / self.least) / log(self.most / self.least)
        return round(STEPS * min(1.0, max(0.0, share)))

    def budget(self, value: float, size: int) -> float:
        """The budget that a document spends."""
        if self.by_odds:
            return log(value)
        return value * size if self.by_word else value

    def stated(self, value: float) -> str:
        """A value of the slider in words."""
        if self.by_odds:
            return f"odds of {value:,.0f} to 1"
        return f"{self.parameter.symbol} = {value:g}" + " for each word" * self.by_word

    def price(self, budget: float) -> str:
        """The budget of a document, with the symbol that it has there."""
        return f"{'ε' if self.by_odds else 'E'} = {amount(budget)}"

    def fitting(self, value: float, left: float) -> str:
        """A smaller release that has room, in words; nothing if there is none."""
        if self.by_odds:
            odds = int(exp(min(left, log(self.most))) * ENOUGH)
            return f"Odds of up to {odds} to 1 fit." if odds >= self.least else ""
        words = int(left / value * ENOUGH)
        if not self.by_word or words < SIZES[0]:
            return ""
        return f"Up to {words} words fit; the whole text at once needs less."


def amount(budget: float) -> str:
    """A budget, to two places."""
    return f"{budget:,.2f}".rstrip("0").rstrip(".")


WAYS = {
    "standin": Way(
        "A public text in place of yours",
        "One of the passages that ship with this program is released in place of your text, more "
        "likely one that fits its subject. It can be read, and nothing of your text is in it.",
        "standin",
        2.0,
        1000.0,
        100.0,
    ),
    "mean": Way(
        "Words of the whole text at once",
        "Noise on the mean of the text's subjects, once; words are composed from that. It tells "
        "subjects at a fraction of the budget that words one by one need.",
        "mean",
        1.0,
        200.0,
        20.0,
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
