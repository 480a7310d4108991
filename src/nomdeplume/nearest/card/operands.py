"""Words and queries in few bits, and how far products of them can be from the true scores.

A score is q·t − ‖t‖²/2. With t ≈ a·t̂ and q ≈ b·q̂ it is ab·q̂·t̂ less half norms, and off by at
most A·N + B·E + F: A = ‖q − bq̂‖ and B = ‖bq̂‖ are known for each query, N, the largest norm,
E, the largest ‖t − at̂‖ with what sums lose, and F, what half norms lose, for each tile of words
(docs/proofs/nearest.md). All are computed in float64 from what was rounded, and rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nomdeplume.devices import Card

Tensor = Any

TILE = 128  # words whose best score is kept
STEP = 64  # columns come in multiples of it
FOLDED = 3  # columns that a half norm is folded into, as three numbers of 8 bits each
MOST = 127  # the largest whole number of 8 bits, on both sides of 0
TINY = 2.0**-100  # below it a vector is as good as 0, and errs by its own length
UP = 1 + 2.0**-18  # more than float32 loses on the way to a bound
SLACK = 2.0**-21  # of scores: more than float32 loses when they are put together
PART = 1 << 14  # words that are rounded together


@dataclass(frozen=True)
class Kind:
    """Numbers that products are made of."""

    name: str
    bytes: int
    lost: float  # of the size of its terms, for each of them: by the sum of a product
    whole: bool = False  # scaled to whole numbers; else half norms stand in columns beside them

    def width(self, k: int) -> int:
        """Columns of k dimensions, and of a half norm."""
        return -(-(k + (0 if self.whole else FOLDED)) // STEP) * STEP


FLOAT32 = Kind("float32", 4, 2.0**-23)
BFLOAT16 = Kind("bfloat16", 2, 2.0**-21)  # tensor cores cut sums off: seen up to 2⁻²⁰ of all terms
INT8 = Kind("int8", 1, 0.0, whole=True)


@dataclass(frozen=True, eq=False)
class Rounded:
    """Words of one kind of numbers, in tiles; what is known of each tile is in float32."""

    kind: Kind
    numbers: Tensor  # (tiles · TILE, width)
    step: Tensor  # a
    half: Tensor  # what is to be taken off a score beside the columns
    norm: Tensor  # N
    error: Tensor  # E
    rest: Tensor  # F

    @property
    def tiles(self) -> int:
        return len(self.step)


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries of one kind of numbers; what is known of each is in float32."""

    numbers: Tensor  # (n, width)
    step: Tensor  # b
    error: Tensor  # A
    length: Tensor  # B


@dataclass(frozen=True, eq=False)
class Words:
    """Words on a card, shortest vectors first; the last one stands in where a tile is not full."""

    card: Card
    ids: Tensor  # (V,)
    raw: Tensor  # (V, k) as the table has them
    halves: Tensor  # (V,) half the squared norms, in float64
    centre: Tensor
    scale: float

    @classmethod
    def of(cls, card: Card, ids: Tensor, raw: Tensor, centre: Tensor, scale: float) -> Words:
        torch = card.torch
        halves = torch.cat(
            [((some.double() - centre) * scale).square().sum(1) / 2 for some in raw.split(PART)]
        )
        order = torch.argsort(halves, stable=True)
        return cls(card, ids[order], raw[order], halves[order], centre, scale)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def tiles(self) -> int:
        return -(-len(self) // TILE)

    def rounded(self, kind: Kind) -> Rounded:
        """All words as such numbers."""
        torch, tiles, k = self.card.torch, self.tiles, self.raw.shape[1]
        dtype = getattr(torch, kind.name)
        numbers = torch.zeros(tiles * TILE, kind.width(k), dtype=dtype, device=self.card.at)
        known = []
        for first in range(0, tiles, PART // TILE):
            last = min(first + PART // TILE, tiles)
            rows = torch.arange(first * TILE, last * TILE, device=self.card.at)
            rows.clamp_(max=len(self) - 1)
            exact = (self.raw[rows].double() - self.centre) * self.scale
            halves = self.halves[rows].view(-1, TILE)
            into = numbers[first * TILE : last * TILE]
            if kind.whole:
                known.append(_whole(torch, exact, halves, into))
            else:
                known.append(_folded(torch, kind, exact, halves, into))
        step, half, norm, error, rest = (
            torch.cat(parts).float() for parts in zip(*known, strict=True)
        )
        return Rounded(kind, numbers, step, half, norm * UP, error * UP, rest * UP)


def _folded(torch: Any, kind: Kind, exact: Tensor, halves: Tensor, into: Tensor) -> list[Tensor]:
    """Vectors, and by how much their half norms are less than the last of the tile, in columns."""
    k, top = exact.shape[1], halves[:, -1]
    into[:, :k] = exact.to(into.dtype)
    error = _lengths(exact - into[:, :k].double()).view(-1, TILE).amax(1)
    rest = (top[:, None] - halves).view(-1)
    for column in range(k, k + FOLDED):
        into[:, column] = rest.to(into.dtype)
        rest = rest - into[:, column].double()
    norm, terms = (2 * top).sqrt(), into.shape[1] + 8
    lost = terms * kind.lost
    spread = top - halves[:, 0]
    error = error + lost * (norm + error) + SLACK * norm
    left = rest.abs().view(-1, TILE).amax(1)
    return [torch.ones_like(top), top, norm, error, left + 2 * lost * spread + SLACK * top + TINY]


def _whole(torch: Any, exact: Tensor, halves: Tensor, into: Tensor) -> list[Tensor]:
    """Vectors in steps of 1/127 of the most in their tile; half norms lie about their middle."""
    k = exact.shape[1]
    most = exact.abs().view(len(halves), -1).amax(1)
    step = (torch.where(most > TINY, most, 1.0) / MOST).float().double()
    each = step.repeat_interleave(TILE)[:, None]
    into[:, :k] = (exact / each).round().clamp_(-MOST, MOST).to(into.dtype)
    error = _lengths(exact - each * into[:, :k].double()).view(-1, TILE).amax(1)
    first, last = halves[:, 0], halves[:, -1]
    norm = (2 * last).sqrt()
    rest = (last - first) / 2 + SLACK * last + TINY
    return [step, (first + last) / 2, norm, error + SLACK * norm, rest]


def asked(torch: Any, kind: Kind, centred: Tensor) -> Asked:
    """Centred queries, in float64, as such numbers."""
    n, k = centred.shape
    dtype = getattr(torch, kind.name)
    numbers = torch.zeros(n, kind.width(k), dtype=dtype, device=centred.device)
    step = torch.ones(n, dtype=torch.float64, device=centred.device)
    if kind.whole:
        most = centred.abs().amax(1)
        step = (torch.where(most > TINY, most, 1.0) / MOST).float().double()
        numbers[:, :k] = (centred / step[:, None]).round().clamp_(-MOST, MOST).to(dtype)
    else:
        numbers[:, :k] = centred.to(dtype)
        numbers[:, k : k + FOLDED] = 1
    close = step[:, None] * numbers[:, :k].double()
    error, length = _lengths(centred - close), _lengths(close)
    return Asked(numbers, step.float(), error.float() * UP, length.float() * UP)


def _lengths(rows: Tensor) -> Tensor:
    return rows.square().sum(1).sqrt()
