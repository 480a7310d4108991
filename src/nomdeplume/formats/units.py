"""Units: all texts of one author, or of one of anything, released as one document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nomdeplume.bag import Bag, Item
from nomdeplume.errors import PrivacyError
from nomdeplume.privacy.ledger.claims import Claim, Name, plain

MANY = 64  # texts of a unit that wait to be put together
MOST_READ = 1 << 20  # characters of a unit that are released as a text


def added(bags: list[Bag]) -> Bag:
    """The words of several bags as one."""
    ids, counts = (np.concatenate([getattr(bag, n) for bag in bags]) for n in ("ids", "counts"))
    words, place = np.unique(ids, return_inverse=True)
    totals = np.zeros(len(words), dtype=np.int64)
    np.add.at(totals, place, counts)
    return Bag(words, totals, any(bag.seen for bag in bags))


def joined(texts: list[str]) -> str:
    """Several texts as one, of which the beginning is kept: memory is bounded for each unit."""
    return "\n\n".join(texts)[:MOST_READ]


@dataclass(eq=False)
class Units:
    """Bags by the value of a field, added up, or texts, joined; in memory, one for each value.

    Putting them together is public and without chance: a promise is then one between all texts
    of two units, whatever they are parted into.
    """

    name: str  # of the field
    keep: bool = False  # whether the value comes out
    single: bool = False  # True if a unit with two texts is refused
    put: Callable[[list[Any]], Item] = field(default=added, repr=False)
    _items: dict[str, list[Item]] = field(default_factory=dict, repr=False)
    _values: dict[str, Any] = field(default_factory=dict, repr=False)
    _claims: dict[str, dict[Name, None]] = field(default_factory=dict, repr=False)

    def add(self, fields: Mapping[str, Any], item: Item, claim: Claim = ()) -> bool:
        """Whether the text belongs to a unit; if so it is part of it, and charged with it."""
        value = fields.get(self.name)
        name = "" if value is None else plain(value)  # one for 7, "7" and 7.0, as in a ledger
        if not name:
            return False
        if self.single and name in self._items:
            raise PrivacyError(
                "--shuffle needs one document for each author, and an author has several; release "
                "them as one with --unit-field in place of --author-field."
            )
        waiting = self._items.setdefault(name, [])
        self._values.setdefault(name, value)
        waiting.append(item)
        self._claims.setdefault(name, {}).update(dict.fromkeys(claim))
        if len(waiting) >= MANY:
            waiting[:] = [self.put(waiting)]
        return True

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[tuple[Item, dict[str, Any], Claim]]:
        """Each unit's bag or text, what is released beside it (its value if kept), and its claim.

        All texts of a unit lose something with it, so that it is charged to all of them.
        """
        for name, items in self._items.items():
            beside = {self.name: self._values[name]} if self.keep else {}
            yield self.put(items), beside, tuple(self._claims[name])
