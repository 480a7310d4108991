"""Settings: what a corpus is released under, one cell of an evaluation each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from pathlib import Path

from nomdeplume.errors import InputError, positive
from nomdeplume.library import Library
from nomdeplume.mechanism import Recipe

SIZE = 100


@dataclass(frozen=True, eq=False)
class Setting:
    """A mechanism with its ε, how many words of a text it releases, and how these are taken."""

    recipe: Recipe
    size: int = SIZE
    reduction: str = ""  # what is usual for the mechanism, if none

    @property
    def budget(self) -> float:
        return self.recipe.epsilon * (1 if self.recipe.at_once else self.size)

    @property
    def title(self) -> str:
        """The mechanism in words, without the numbers that vary within an evaluation."""
        return self.recipe.title + (", apportioned" if self.reduction == "apportion" else "")

    @property
    def key(self) -> str:
        """What tells this setting from the others of an evaluation."""
        more = sha256()
        if self.recipe.outputs is not None:
            more.update("\n".join(self.recipe.outputs).encode())
        if self.recipe.weights is not None:
            more.update(self.recipe.weights.tobytes())
        if Path(self.recipe.library).is_file():
            more.update(Path(self.recipe.library).read_bytes())
        lists = more.hexdigest()[:8] if more.digest() != sha256().digest() else ""
        exact = "".join(f" {name}={value!r}" for name, value in self.recipe.settings.items())
        return f"{self.title} ε={self.recipe.epsilon!r} N={self.size}{exact} {lists}".strip()


def grid(
    recipes: Sequence[Recipe],
    *,
    epsilons: Sequence[float] = (),
    budgets: Sequence[float] = (),
    sizes: Sequence[int] = (SIZE,),
    reduction: str = "",
) -> list[Setting]:
    """Every recipe at every ε, or at every budget, and at every size; each setting once.

    A mechanism that releases whole documents has a budget at once, whatever the size, and no ε.
    """
    if not sizes or min(sizes) < 1:
        raise InputError("name at least one size, of 1 word or more.")
    if epsilons and budgets:
        raise InputError("give epsilons or budgets, not both: a budget is ε times the size.")
    found = {each.key: each for each in _grid(recipes, epsilons, budgets, sizes, reduction)}
    return list(found.values())


def usual(language: str) -> tuple[str, ...]:
    """The mechanisms of an evaluation that names none: standin if a library ships, and mean."""
    return ("standin", "mean") if Library.ships_for(language) else ("mean",)


def _grid(
    recipes: Sequence[Recipe],
    epsilons: Sequence[float],
    budgets: Sequence[float],
    sizes: Sequence[int],
    reduction: str,
) -> Iterator[Setting]:
    for recipe, size in product(recipes, sizes):
        if recipe.parameter.option == "odds":
            yield Setting(recipe, sizes[0])  # as it is: it has neither a budget nor a size
            continue
        if recipe.at_once and epsilons:
            raise InputError(f"{recipe.mechanism} has a budget for each document; give budgets.")
        shared = 1 if recipe.at_once else size
        values = [positive("budget", budget) / shared for budget in budgets]
        for epsilon in values or list(epsilons) or [recipe.epsilon]:
            way = "" if recipe.at_once else reduction
            yield Setting(replace(recipe, epsilon=epsilon), size, way)
