"""What moves where when one bag of words is turned into another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Move:
    """A share of one text's words that becomes a word of the other."""

    word: str
    to: str
    share: Fraction  # of all words of either text
    distance: float

    @property
    def cost(self) -> float:
        """What the move adds to the Word Mover's Distance."""
        return float(self.share) * self.distance


@dataclass(frozen=True)
class Flow:
    """A best plan from one bag of words to another, and the distance that it shows."""

    moves: tuple[Move, ...]  # what weighs most first
    distance: float
    metric: str  # Word Mover's Distance or bottleneck distance
    symbol: str  # W₁ or W∞

    @classmethod
    def of(cls, moves: Iterable[Move], distance: float, metric: str, symbol: str) -> Flow:
        """Moves in the order of what they add to W₁; of W∞, of how far they go."""
        of_cost = symbol == "W₁"

        def weight(move: Move) -> tuple[float, float, str, str]:
            adds, goes = -move.cost, -move.distance
            return (*((adds, goes) if of_cost else (goes, adds)), move.word, move.to)

        return cls(tuple(sorted(moves, key=weight)), distance, metric, symbol)

    @property
    def kept(self) -> Fraction:
        """The share of words that stay where they are."""
        return total(move.share for move in self.moves if move.word == move.to)


def total(shares: Iterable[Fraction]) -> Fraction:
    return sum(shares, start=Fraction(0))
