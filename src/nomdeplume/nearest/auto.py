"""The exact search by the fastest way that this machine has: on its card, once that pays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from nomdeplume.devices import Card, card, chosen
from nomdeplume.errors import PlumeError
from nomdeplume.nearest.exact import Exact
from nomdeplume.nearest.rows import Floats, Ids
from nomdeplume.table import Table

if TYPE_CHECKING:
    from nomdeplume.nearest.card import OnCard


@dataclass(eq=False)
class Auto:
    """The words of `table`, or those with the given ids. The answer is the same on any device."""

    table: Table
    ids: Ids | None = None
    work: float = field(default=0, init=False, repr=False)  # multiply-adds so far
    failed: bool = field(default=False, init=False, repr=False)  # True if a GPU failed here
    there: tuple[Card, OnCard] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        _ = self.exact  # refuses what cannot be searched

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, as float64 brute force would find it."""
        there = self.on_card(len(queries))
        self.work = self._work(len(queries))
        found = self.tried(partial(there.nearest, queries)) if there else None
        return self.exact.nearest(queries) if found is None else found

    def on_card(self, queries: int) -> OnCard | None:
        """The search on the card, if so many queries more, after all before, are worth it."""
        found = None if self.failed else card(self._work(queries))
        if found is None:
            return None
        from nomdeplume.nearest.card import OnCard

        if self.there is None or self.there[0] != found:
            self.there = found, OnCard(found, self.table, self.ids)
        return self.there[1]

    def tried(self, work: Callable[[], Ids]) -> Ids | None:
        """What a card finds; none, now and later, if it fails and nobody asked for it by name."""
        try:
            return work()
        except PlumeError:
            raise
        except Exception:
            if chosen() != "auto":
                raise
            self.failed, self.there = True, None
            return None

    def _work(self, queries: int) -> float:
        """Multiply-adds of all queries, with so many more."""
        words = len(self.table if self.ids is None else self.ids)
        return self.work + queries * words * self.table.dimensions

    @cached_property
    def exact(self) -> Exact:
        return Exact(self.table, self.ids)

    def __getstate__(self) -> dict[str, Any]:
        """All but what is on a card, which other processes open for themselves."""
        return {**vars(self), "there": None}
