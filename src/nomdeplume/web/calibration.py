"""An ε or a budget for what people say they want, found on public words or speeches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nomdeplume.calibrate import Dial, Wanted, choose, curve
from nomdeplume.calibrate.drawing import panels
from nomdeplume.calibrate.report import Report
from nomdeplume.errors import InputError
from nomdeplume.mechanism import Recipe
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.attack import Asked, attack, largest_under, named_correctly
from nomdeplume.web.pictures.paper import share
from nomdeplume.web.pictures.trade import trade
from nomdeplume.web.ways import WAYS

Tell = Callable[[float, str], None]

LOOKS = 30  # at which an answer is found, about
BUDGETS = (2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)  # that attackers are tried at
AUTHOR = "author"
LARGEST = "That is the largest budget that was tried: a larger one may do, too, and promises less."


@dataclass(frozen=True)
class Kind:
    """Something that can be wanted: how its number is asked for, and within which bounds."""

    label: str
    least: float
    most: float
    whole: float = 1.0  # what the number is a part of

    def checked(self, given: float | None) -> float:
        """A number that was given, as a share if it is one."""
        if given is None or not self.least <= given <= self.most:
            raise InputError(
                f"the number must be from {self.least:g} to {self.most:,.9g}; take such a one."
            )
        return given / self.whole


@dataclass(frozen=True)
class Phrase:
    """A wish in words, with a number to begin with."""

    label: str
    name: str  # of a kind
    value: float


KINDS = {
    "unchanged": Kind("Words in a hundred that stay", 0.5, 99, 100),
    "support": Kind("Words that a word is spread over", 2, 10_000),
    AUTHOR: Kind("Authors in a hundred who are named correctly from one text, at most", 1, 99, 100),
}
PHRASES = {
    "tenth": Phrase("About one word in ten stays", "unchanged", 10),
    "quarter": Phrase("About one word in four stays", "unchanged", 25),
    "half": Phrase("About every other word stays", "unchanged", 50),
    "fifty": Phrase("A word may come out as any of about fifty", "support", 50),
    "many": Phrase("A word may come out as any of about five hundred", "support", 500),
    "author-half": Phrase(
        "From one text, authors are named less than half of the time", AUTHOR, 50
    ),
    "author-quarter": Phrase(
        "From one text, authors are named in one case of four at most", AUTHOR, 25
    ),
}


@dataclass(frozen=True)
class Answer:
    """A way, its value and a size, in words, with what it rests on and pictures."""

    way: str
    value: float
    size: int
    headline: str
    sentences: tuple[str, ...]
    basis: str
    pictures: tuple[str, ...]


def calibrated(
    wish: tuple[str, float], way: str, vocabulary: Vocabulary, size: int, tell: Tell
) -> Answer:
    """The answer to a wish, a kind and how much of it.

    What becomes of words is a question to any way word by word, what attackers tell one to
    whole texts at once.
    """
    name, value = wish
    if name == AUTHOR:
        return _by_attack(value, vocabulary, size, tell)
    return _by_words(Wanted(name, value), way, vocabulary, size, tell)


def _by_words(wanted: Wanted, way: str, vocabulary: Vocabulary, size: int, tell: Tell) -> Answer:
    chosen, looks = WAYS[way], 0
    if not chosen.by_word:
        raise InputError("words stay or go only where they are released one by one; take such.")

    def watch(said: str) -> None:
        nonlocal looks
        looks += 1
        tell(min(0.97, looks / LOOKS), said)

    recipe = replace(Recipe.usually(chosen.mechanism), decode=chosen.decode)
    dial = Dial.of(recipe, vocabulary, watch=watch)
    found = curve(dial)
    answer = choose(dial, wanted, found)
    made = dial.mechanism(answer.value)
    report = Report(dial, found.through(answer), answer, size=size, mechanism=made)
    epsilon = float(answer.epsilon or answer.value)
    return Answer(
        way,
        epsilon,
        size,
        f"ε = {epsilon:g} for each word",
        tuple(report.sentences()),
        report.basis,
        panels(report),
    )


def _by_attack(most: float, vocabulary: Vocabulary, size: int, tell: Tell) -> Answer:
    asked = Asked(budgets=BUDGETS, chosen=BUDGETS[3], size=size, vocabulary=vocabulary)
    found = attack(asked, tell)
    results = found.results
    place = largest_under(results, most)
    if place is None:
        raise InputError(
            f"even at E = {BUDGETS[0]:g} the best attacker names more authors of the speeches "
            "correctly than that; nothing less was tried."
        )
    cell, budget = results.cells[place], asked.grid[place]
    return Answer(
        "mean",
        budget,
        size,
        f"E = {budget:g} for a text",
        (
            f"So many of {len(results.authors)} presidents the best attacker names "
            f"correctly, before and after a release of {size} words: "
            f"{named_correctly(results.clean, cell)} By chance it would be "
            f"{share(results.chance or 0.0)}.",
            *((LARGEST,) if budget == BUDGETS[-1] else ()),
            "That is what was seen on public speeches. It is no promise about other texts, other "
            "authors or better attackers; the promise is E. Your own texts are tried under Attack "
            "yourself.",
        ),
        f"It is the largest of the budgets {', '.join(f'{b:g}' for b in BUDGETS)} at which it "
        f"is right at most {share(most)} of the time from one text.",
        (trade(results, place),),
    )
