"""Units: all texts of one author, or of one of anything, released as one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nomdeplume.bag import Bag
from nomdeplume.privacy.ledger.claims import Claim, Name

MANY = 64  # bags of a unit that wait to be added up


@dataclass(eq=False)
class Units:
    """Bags by the value of a field, added up; in memory, a bag for each value.

    Adding bags up is public and without chance: a promise is then one between the words of
    all texts of two units, whatever they are parted into.
    """

    name: str  # of the field
    keep: bool = False  # whether the value comes out
    _bags: dict[str, list[Bag]] = field(default_factory=dict, repr=False)
    _values: dict[str, Any] = field(default_factory=dict, repr=False)
    _claims: dict[str, dict[Name, None]] = field(default_factory=dict, repr=False)

    def add(self, fields: Mapping[str, Any], bag: Bag, claim: Claim = ()) -> bool:
        """Whether the text belongs to a unit; if so it is part of it, and charged with it."""
        value = fields.get(self.name)
        name = "" if value is None else str(value).strip()
        if not name:
            return False
        waiting = self._bags.setdefault(name, [])
        self._values.setdefault(name, value)
        waiting.append(bag)
        self._claims.setdefault(name, {}).update(dict.fromkeys(claim))
        if len(waiting) >= MANY:
            waiting[:] = [added(waiting)]
        return True

    def __len__(self) -> int:
        return len(self._bags)

    def __iter__(self) -> Iterator[tuple[Bag, dict[str, Any], Claim]]:
        """Each unit's bag, what is released beside it (its value if kept), and its claim.

        All texts of a unit lose something with it, so that it is charged to all of them.
        """
        for name, bags in self._bags.items():
            beside = {self.name: self._values[name]} if self.keep else {}
            yield added(bags), beside, tuple(self._claims[name])


def added(bags: list[Bag]) -> Bag:
    """The words of several bags as one."""
    ids, counts = (np.concatenate([getattr(bag, n) for bag in bags]) for n in ("ids", "counts"))
    words, place = np.unique(ids, return_inverse=True)
    totals = np.zeros(len(words), dtype=np.int64)
    np.add.at(totals, place, counts)
    return Bag(words, totals, any(bag.seen for bag in bags))
