"""What moves where when one bag of words is turned into another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from unicodedata import combining, east_asian_width


@dataclass(frozen=True)
class Move:
    """A share of one text's words that becomes a word of the other."""

    word: str
    becomes: str
    share: Fraction  # of all words of either text
    distance: float

    @property
    def cost(self) -> float:
        """What the move adds to the Word Mover's Distance."""
        return float(self.share) * self.distance


@dataclass(frozen=True, repr=False)
class Flow:
    """A best plan from one bag of words to another, and the distance that it shows."""

    moves: tuple[Move, ...]  # what weighs most first
    distance: float
    metric: str  # Word Mover's Distance or bottleneck distance
    symbol: str  # W₁ or W∞

    @classmethod
    def of(cls, moves: Iterable[Move], distance: float, metric: str, symbol: str) -> Flow:
        """Moves in the order of what they add to W₁; of W∞, of how far they go."""
        flow = cls(tuple(moves), distance, metric, symbol)

        def weight(move: Move) -> tuple[float, float, str, str]:
            cost, goes = -move.cost, -move.distance
            return (*((cost, goes) if flow.adds else (goes, cost)), move.word, move.becomes)

        return replace(flow, moves=tuple(sorted(flow.moves, key=weight)))

    def __repr__(self) -> str:
        return f"<Flow: {len(self.moves)} moves, {self.symbol} = {self.distance:.4f}>"

    def __str__(self) -> str:
        return self.table(20)

    def _repr_html_(self) -> str:
        """The plan as a picture, where a notebook shows it."""
        from nomdeplume.picture import svg

        return svg(self)

    def table(self, most: int | None = None) -> str:
        """The distance, and what moves, as far as it moves: all of it, or the first so many."""
        moving = [move for move in self.moves if move.distance]
        shown = moving[: most or None]
        first, second = (max(map(_wide, column)) for column in _columns(shown))
        lines = [
            f"{self.metric} {self.symbol} = {self.distance:.4f}; "
            f"{100 * float(self.stay):.1f} % of words stay.",
        ]
        if moving:
            head = f"{_padded('word', first)}  {_padded('becomes', second)}     share  distance"
            lines += ["", f"{head}    adds" if self.adds else head]
        for move in shown:
            words = f"{_padded(move.word, first)}  {_padded(move.becomes, second)}"
            figures = f"{_percent(move.share)}  {move.distance:8.3f}"
            lines.append(
                f"{words}  {figures}  {move.cost:6.4f}" if self.adds else f"{words}  {figures}"
            )
        if len(shown) < len(moving):
            lines.append(f"and {len(moving) - len(shown):,} more")
        return "\n".join(lines)

    @property
    def adds(self) -> bool:
        """Whether what the moves cost adds up to the distance: not so for a longest move."""
        return self.symbol == "W₁"

    @property
    def stay(self) -> Fraction:
        """The share of words that stay where they are."""
        return total(move.share for move in self.moves if move.word == move.becomes)


def _columns(moves: Iterable[Move]) -> tuple[list[str], list[str]]:
    return ["word", *(move.word for move in moves)], ["becomes", *(move.becomes for move in moves)]


def _percent(share: Fraction) -> str:
    percents = 100 * float(share)
    return f"{percents:6.1f} %" if percents >= 0.1 else f"{percents:6.1g} %"


def _wide(text: str) -> int:
    """How many columns of a terminal a word takes: signs of East Asia take two, marks none."""
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )


def _padded(text: str, wide: int) -> str:
    return text + " " * (wide - _wide(text))


def total(shares: Iterable[Fraction]) -> Fraction:
    return sum(shares, start=Fraction(0))
