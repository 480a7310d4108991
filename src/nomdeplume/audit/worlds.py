"""Small worlds: tables of one to three dimensions, in which samples prove almost all of a loss.

Lengths are in units of 1/ε, so words at distance 3 have a promise of 3 nats whatever ε is.
Words lie densely around the pairs that are tried, so that little of what noise tells is lost
in the nearest word, and a few far away, where tails are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from nomdeplume.table import Table

Floats = NDArray[np.float64]

WORLDS = {1: "line", 2: "plane", 3: "space"}
PAIRS = (3.0, 1.0, 0.1)  # nats between the first word and each of the next three
LONE = 9.0  # and the one after them
ALONG = (-6, -3, -1.5, -0.7, -0.3, 0, 1.5, 2, 2.5, 3, 3.3, 3.7, 4.5, 6, 9, 16, 22, 28, 40)
BESIDE = (-3, -1, 0, 1, 3)


def _word(number: int) -> str:
    """A word of three letters, so that texts can be made of it."""
    return "".join(ascii_lowercase[number // 26**place % 26] for place in (2, 1, 0))


@dataclass(frozen=True)
class World:
    """Words around two places, and pairs of them that are tried against each other."""

    dimensions: int
    epsilon: float
    crowd: int = 0  # words far away in place of those around: tails weigh as in large tables

    @property
    def name(self) -> str:
        return "crowd" if self.crowd else WORLDS[self.dimensions]

    @cached_property
    def table(self) -> Table:
        first = np.zeros((2 + len(PAIRS), self.dimensions))
        first[1:, 0] = *PAIRS, LONE
        places = np.vstack((first, self._far if self.crowd else self._around)) / self.epsilon
        return Table([_word(i) for i in range(len(places))], places, name=self.name)

    @property
    def pairs(self) -> list[tuple[int, int, float]]:
        """Ids of the words of each pair, and the nats between them."""
        return [(0, other, apart) for other, apart in enumerate(PAIRS, 1)]

    @property
    def bags(self) -> tuple[list[int], list[int]]:
        """Two bags of three words, whose promise is three times that of one."""
        return [0, 0, 0], [2, 2, 2]

    @property
    def texts(self) -> dict[str, tuple[str, str]]:
        """Pairs of texts: near ones, and two of twenty words, of which one may be far away."""
        here, _, near, _, lone, *_ = self.table.words
        return {
            "two texts of one word": (here, near),
            "two texts of 60 words": (f"{here} " * 60, f"{near} " * 60),
            "one word in twenty is far away": (f"{here} " * 19 + lone, f"{here} " * 20),
        }

    @property
    def crossed(self) -> tuple[str, str]:
        """Two texts of two words, of which the first is near the second of the other text.

        First and second are by id, as words stand in a bag.
        """
        here, far, _, near, *_ = self.table.words
        return f"{here} {self._at(1.1)}", f"{far} {near}"

    @property
    def documents(self) -> dict[str, tuple[str, str]]:
        """Pairs of texts that whole documents may not tell apart better than their words move.

        Of any lengths; of the same words, told once and ten times; and of other words around
        the same mean.
        """
        here, far, near, _, lone, *_ = self.table.words
        middle = self._at(0.5)
        return self.texts | {
            "one word against three": (here, f"{here} {here} {far}"),
            "2 words against 60": (f"{here} {near}", f"{near} " * 60),
            "a text and ten times itself": (f"{here} {far} {far}", f"{here} {far} {far} " * 10),
            "a word and ten times itself": (lone, f"{lone} " * 10),
            "other words around one mean": (f"{here} {far}", middle),
        }

    def _at(self, share: float) -> str:
        """The word nearest to a share of the way from the first word to the second."""
        vectors = self.table.vectors[:].astype(np.float64)
        return self.table.words[int(np.linalg.norm(vectors - share * vectors[1], axis=1).argmin())]

    @property
    def _far(self) -> Floats:
        places = np.zeros((self.crowd, self.dimensions))
        places[:, 0] = np.linspace(60, 100, self.crowd)
        return places

    @property
    def _around(self) -> Floats:
        places = np.array(list(product(ALONG, *[BESIDE] * (self.dimensions - 1))), dtype=float)
        on_axis = ~places[:, 1:].any(axis=1)
        return places[~(on_axis & np.isin(places[:, 0], (0, *PAIRS, LONE)))]
