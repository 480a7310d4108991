"""A recipe whose ε is still open: mechanisms along it, what they do and what they promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Self

import numpy as np

from nomdeplume.calibrate.effect import Effect, effect, usual_draws
from nomdeplume.calibrate.panel import SAMPLE, Panel
from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism import Exponential, Mechanism, Recipe
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.tight import Tell, Tight, tight
from nomdeplume.privacy.loss import up
from nomdeplume.vocabulary import Vocabulary

LEAST, MOST = 1e-3, 1e4  # between which ε is looked for
DIGITS = 4  # of an answer
FEW = 5_000  # kept words, up to which every promise along a curve is found exactly
BY_A = ("exponential", "tem", "santext+")  # that promise what must be solved for


@dataclass(frozen=True)
class Known(Memory):
    """A memory of one calibration, which is its answer whatever it is asked."""

    a: float = 1.0
    found: Tight | None = None

    def recall(self, key: str) -> tuple[float, Tight] | None:  # noqa: ARG002
        return None if self.found is None else (self.a, self.found)

    def keep(self, key: str, a: float, found: Tight) -> None: ...


def textbook(a: float) -> Known:
    """What holds for any table: 2a."""
    return Known(Path(), a, Tight(2 * a, 2 * a, exact=False, pairs=np.empty((0, 2), np.int64)))


@dataclass(frozen=True)
class Point:
    """A place of the dial: what is promised there, and what it does to words."""

    value: float  # ε, or the a of a mechanism whose ε is solved for
    bound: float  # a promise that holds for any table: ε itself, or 2a
    epsilon: float | None  # what is promised; none where it was not gone through all pairs
    effect: Effect


@dataclass(frozen=True, eq=False)
class Dial:
    """From a number to a mechanism, its promise and its effect on a panel of public words.

    The number is ε. Where ε would have to be solved for, which takes a minute on a large
    table, it is the mechanism's a: what it promises is found where that is asked for.
    """

    recipe: Recipe
    vocabulary: Vocabulary
    panel: Panel
    draws: int | None = None
    memory: Memory | None = None
    tell: Tell | None = None
    watch: Callable[[str], None] | None = None  # is told before something is looked at
    looked: dict[float, Effect] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        vocabulary: Vocabulary,
        *,
        sample: int = SAMPLE,
        common: bool = False,
        draws: int | None = None,
        memory: Memory | None = None,
        tell: Tell | None = None,
        watch: Callable[[str], None] | None = None,
    ) -> Self:
        """The dial of a recipe, whatever its own ε, over a panel of kept words."""
        if recipe.at_once:
            raise InputError(
                f"{recipe.mechanism} releases documents, not words, so there is no word to look "
                "at; choose its budget by nomdeplume evaluate."
            )
        made = uncalibrated(recipe, vocabulary, recipe.epsilon)
        panel = Panel.over(vocabulary, outputs=made.outputs, sample=sample, common=common)
        return cls(recipe, vocabulary, panel, draws, memory, tell, watch)

    @property
    def by_a(self) -> bool:
        """Whether the number is an a."""
        return self.recipe.mechanism in BY_A

    @property
    def symbol(self) -> str:
        return "a" if self.by_a else "ε"

    @property
    def quick(self) -> bool:
        """Whether what is promised takes no time to find."""
        return not self.by_a or len(self.vocabulary) <= FEW

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least number that there is noise for, and the most."""
        self.mechanism(MOST)
        for value in (LEAST, 1e-2, 1e-1, 1.0, 10.0, 1e2, 1e3):
            try:
                self.mechanism(value)
            except InputError:
                continue  # floats cannot hold so much noise
            return value, MOST
        return MOST, MOST

    @cached_property
    def rough(self) -> Dial:
        """The same with a quarter of the words, and as many draws of each, for a first look."""
        draws = self.draws or usual_draws(self.panel, self.mechanism(MOST))
        return replace(self, panel=self.panel.thinned(4), draws=draws, looked={})

    def mechanism(self, value: float) -> Mechanism:
        """The mechanism at a number; one of an a promises at least what the textbook does."""
        positive(self.symbol, value)
        if not self.by_a:
            return self._renewed(value)
        if self.recipe.decoding != "rank":
            return self._at(2 * value, textbook(value))
        found = self._tight(value)  # on which the steps after it depend
        return self._at(found.epsilon, Known(Path(), value, found))

    def effect(self, value: float) -> Effect:
        """What it does to the panel there; looked at once."""
        if value not in self.looked:
            if self.watch:
                self.watch(f"looking at {len(self.panel)} words, {self.symbol} = {value:.4g}")
            self.looked[value] = effect(self.mechanism(value), self.panel, draws=self.draws)
        return self.looked[value]

    def promise(self, value: float) -> float:
        """The ε that holds at a number: of an a by going through all pairs of words."""
        return self._tight(value).epsilon if self.by_a else value

    def point(self, value: float, *, exact: bool | None = None) -> Point:
        """What is there; with what is promised if that is quick to find, or asked for."""
        wanted = self.quick if exact is None else exact
        epsilon = self.promise(value) if wanted else None
        return Point(value, 2 * value if self.by_a else value, epsilon, self.effect(value))

    def answer(self, value: float) -> Point:
        """A place to stay: its ε has few digits, and what is promised there is no more than it."""
        if not self.by_a:
            return self.point(float(f"{value:.{DIGITS}g}"))
        return replace(self.point(value), epsilon=float(up(self.promise(value), DIGITS)))

    def at_epsilon(self, epsilon: float) -> Point:
        """The place of an ε, which for an a has to be solved for."""
        if not self.by_a:
            return self.point(epsilon)
        made = self._at(epsilon, self.memory)
        return replace(self.point(exponential(made).a, exact=False), epsilon=epsilon)

    def _at(self, epsilon: float, memory: Memory | None = None) -> Mechanism:
        named = replace(self.recipe, epsilon=epsilon)
        return named.words(self.vocabulary, memory=memory, tell=self.tell)

    @cached_property
    def _first(self) -> Mechanism:
        return self._at(1.0)

    def _renewed(self, epsilon: float) -> Mechanism:
        """At another ε; an index, groups or lists take long to make and do not depend on it."""
        at = self._first.declaration.at
        return at(epsilon) if at else self._at(epsilon)

    def _tight(self, a: float) -> Tight:
        """The least ε that holds for an a, between all pairs; remembered, as it takes long."""
        plain = replace(self.recipe, decode="", epsilon=2 * a, settings=self._own)
        found = exponential(plain.words(self.vocabulary, memory=textbook(a)))
        key = sha256(f"promise of a\n{found.key(a)}".encode()).hexdigest()
        known = self.memory.recall(key) if self.memory else None
        if known:
            return known[1]
        least = tight(found.choice, found.covered, self.tell)
        if self.memory:
            self.memory.keep(key, a, least)
        return least

    @property
    def _own(self) -> dict[str, float]:
        """The settings that are not those of a decoding."""
        return {name: value for name, value in self.recipe.settings.items() if name != "c"}


def uncalibrated(recipe: Recipe, vocabulary: Vocabulary, epsilon: float) -> Mechanism:
    """The mechanism that promises ε on any table: no less is known than what the textbook says."""
    if recipe.mechanism in BY_A and recipe.given("a"):
        raise InputError("a is what is looked for; leave the setting out.")
    memory = textbook(epsilon / 2) if recipe.mechanism in BY_A else None
    return replace(recipe, epsilon=epsilon).words(vocabulary, memory=memory)


def exponential(mechanism: Mechanism) -> Exponential:
    """The exponential mechanism within one that is made of it."""
    found = mechanism.declaration.exponential
    if found is None:
        raise InputError(f"{mechanism.name} has no exponential mechanism within.")
    return found
