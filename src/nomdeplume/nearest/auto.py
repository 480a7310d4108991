"""The exact search by the fastest way that this machine has: on its card, once that pays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nomdeplume.devices import Card, card
from nomdeplume.nearest.exact import Exact
from nomdeplume.nearest.rows import Floats, Ids
from nomdeplume.table import Table

if TYPE_CHECKING:
    from nomdeplume.nearest.card import OnCard


@dataclass(frozen=True, eq=False)
class Auto:
    """The words of `table`, or those with the given ids. The answer is the same on any device."""

    table: Table
    ids: Ids | None = None

    def __post_init__(self) -> None:
        _ = self.exact  # refuses what cannot be searched

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, as float64 brute force would find it."""
        there = self.on_card(len(queries))
        return there.nearest(queries) if there else self.exact.nearest(queries)

    def on_card(self, queries: int) -> OnCard | None:
        """The search on the card, if so many queries more, after all before, are worth it."""
        made = vars(self)
        words = len(self.table if self.ids is None else self.ids)
        made["work"] = made.get("work", 0) + queries * words * self.table.dimensions
        found = card(made["work"])
        return self._made(found) if found else None

    def _made(self, found: Card) -> OnCard:
        from nomdeplume.nearest.card import OnCard

        made = vars(self)
        if "there" not in made or made["there"].card is not found:
            made["there"] = OnCard(found, self.table, self.ids)
        there: OnCard = made["there"]
        return there

    @cached_property
    def exact(self) -> Exact:
        return Exact(self.table, self.ids)

    def __getstate__(self) -> dict[str, Any]:
        """All but what is on a card, which other processes open for themselves."""
        return {name: value for name, value in vars(self).items() if name != "there"}
