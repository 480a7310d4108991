"""Words that are on a card, and the looks at them, each at what the one before has left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from nomdeplume.devices import Card
from nomdeplume.errors import InputError
from nomdeplume.nearest.card.operands import (
    BFLOAT16,
    INT8,
    TILE,
    Asked,
    Kind,
    Tensor,
    Words,
)
from nomdeplume.nearest.card.plain import Plain
from nomdeplume.nearest.decision import Best
from nomdeplume.nearest.rows import FAR
from nomdeplume.table import Table

LEAST = 256  # queries of a block; blocks are multiples of it
ROOM = 1 << 22  # pairs of tiles and queries that are looked at again together
WORDS = 1 << 22  # words of whole tiles, each for a query, that are compared together
USELESS = 1 / 8  # of all tiles: bounds that leave more are given up
EVEN = 2.0**-40  # of a squared distance: what is nearer to it is decided without the card


@dataclass
class Tally:
    """How much was looked at, and again."""

    queries: int = 0
    tiles: int = 0  # all tiles, for all queries
    again: int = 0  # of these, looked at again
    decided: int = 0  # distances in float64

    def add(self, **more: int) -> None:
        """Count some more; blocks of queries are answered in several threads."""
        with _LOCK:
            for name, value in more.items():
                setattr(self, name, getattr(self, name) + value)

    @property
    def share(self) -> float:
        """Share of tiles that were looked at again."""
        return self.again / self.tiles if self.tiles else 0.0


class Found(NamedTuple):
    """The nearest words so far: their squared distances, in float64, and their ids."""

    squared: Tensor
    ids: Tensor


class Pairs(NamedTuple):
    """Queries and tiles that may hold their answers, as the second look leaves them."""

    query: Tensor
    tile: Tensor
    at: Tensor  # the best word of the tile
    may: Tensor  # how many of its words may be nearest


class Part:
    """Words that are on the card, ready to be searched.

    `kinds` are the numbers of the first look and of the second. Parts of one search share them:
    what does not tell words apart in one is given up in all.
    """

    def __init__(self, words: Words, table: Table, kinds: list[Kind]) -> None:
        self.words, self._table, self._kinds = words, table, kinds
        self._torch, self._looks = words.card.torch, looks(words.card)
        self._rounded = {kind: words.rounded(kind) for kind in {*kinds}}
        self._even = max(EVEN, 4 * words.raw.shape[1] * 2.0**-53)

    def nearer(self, queries: Tensor, before: Found | None, tally: Tally) -> Found:
        """The nearest of what was found before and of these words."""
        words, kinds = self.words, list(self._kinds)
        asked = self._looks.asked(kinds, queries, words.centre, words.scale)
        first, looks = self._rounded[kinds[0]], self._looks
        maxima = looks.maxima(first, asked[0])
        least = looks.least(first, asked[0], maxima)
        if before is not None:
            least = self._torch.maximum(least, self._known(queries, before))
        room = max(ROOM, LEAST * words.tiles) if len(queries) == LEAST else ROOM
        tile, query, count = looks.left(first, asked[0], maxima, least, room)
        left = self._counted(count, asked[0])
        del maxima
        if kinds[0] is INT8 and left > USELESS * words.tiles * len(queries):
            self._kinds[0] = BFLOAT16  # whole numbers do not tell the words of this table apart
            return self.nearer(queries, before, tally)
        if left > room:
            return self._in_halves(queries, before, tally)
        found = self._again(kinds[1], asked[1], least, tile[:left], query[:left])
        tally.add(tiles=words.tiles * len(queries), again=left)
        return self._decided(queries, before, tally, found)

    def _counted(self, count: Tensor, asked: Asked) -> int:
        """How many pairs are left. The card is waited for here, so bad queries are refused here."""
        bad = (~(asked.length + asked.error <= FAR)).sum()  # NaN is not either
        left, wrong = self._torch.stack((count, bad)).tolist()
        if wrong:
            raise InputError(f"queries must be numbers up to {FAR:.0e} times the table's radius.")
        return int(left)

    def _again(self, kind: Kind, asked: Asked, least: Tensor, tile: Tensor, query: Tensor) -> Pairs:
        """The second look at pairs of tiles and queries; what it leaves of them."""
        tile, query = tile.long(), query.long()
        best, doubt, at, may = self._looked(kind, asked, least, tile, query)
        least = least.scatter_reduce(0, query, best - doubt, "amax")
        kept = self._torch.nonzero(~(best + doubt < least[query]))[:, 0]
        return Pairs(query[kept], tile[kept], at[kept].long(), may[kept])

    def _looked(
        self, kind: Kind, asked: Asked, least: Tensor, tile: Tensor, query: Tensor
    ) -> list[Tensor]:
        """The second look itself. Queries of one tile share it in chunks."""
        torch, size, tiles = self._torch, self._looks.chunk, self.words.tiles
        ordered, order = tile.sort()
        counts = torch.bincount(ordered, minlength=tiles)
        chunks = -(-counts // size)
        ends = chunks.cumsum(0)
        rank = torch.arange(len(tile), device=tile.device) - (counts.cumsum(0) - counts)[ordered]
        many = len(tile) // size + tiles  # no less than there are, and nobody has to wait to know
        every = torch.arange(many, device=tile.device)
        of = torch.searchsorted(ends, every, right=True)  # the tile of each chunk
        place = torch.empty_like(order)
        place[order] = (ends - chunks)[ordered] * size + rank
        listing = torch.full((many * size,), -1, dtype=torch.int32, device=tile.device)
        listing[place] = query.to(torch.int32)
        return [
            each[place]
            for each in self._looks.again(self._rounded[kind], asked, least, of, listing)
        ]

    def _decided(self, queries: Tensor, before: Found | None, tally: Tally, left: Pairs) -> Found:
        """The words that may be nearest, by their distances in float64; the first of equal ones.

        Where more than one word of a tile may be, all of the tile are compared.
        """
        torch, n = self._torch, len(queries)
        found = before or Found(
            torch.full((n,), torch.inf, dtype=torch.float64, device=queries.device),
            torch.full((n,), NOBODY, dtype=torch.int64, device=queries.device),
        )
        row = left.tile * TILE + left.at
        found = self._taken(queries, found, tally, left.query, row)
        whole = torch.nonzero(left.may > 1)[:, 0]
        for some in whole.split(WORDS // TILE) if len(whole) else ():
            row = left.tile[some, None] * TILE + torch.arange(TILE, device=queries.device)
            query = left.query[some].repeat_interleave(TILE)
            found = self._taken(queries, found, tally, query, row.reshape(-1))
        return found

    def _taken(
        self, queries: Tensor, before: Found, tally: Tally, query: Tensor, row: Tensor
    ) -> Found:
        """The nearest of what was found before and of some words, each for one query."""
        torch, words = self._torch, self.words
        row = row.clamp(max=len(words) - 1)  # the last word stands in where a tile is not full
        ids, away = words.ids[row], self._looks.apart(queries, words.raw, query, row)
        tally.add(decided=len(query))
        squared = before.squared.scatter_reduce(0, query, away, "amin")
        first = torch.where(before.squared == squared, before.ids, NOBODY)
        mine = torch.where(away == squared[query], ids, NOBODY)
        found = Found(squared, first.scatter_reduce(0, query, mine, "amin"))
        even = squared * (1 + self._even)
        close = (before.squared <= even) & (before.ids != found.ids) & (before.ids != NOBODY)
        near = away <= even[query]
        others = (near & (ids != found.ids[query])).to(torch.uint8)
        close = close.to(torch.uint8).scatter_reduce(0, query, others, "amax").bool()
        if bool(close.any()):
            near &= close[query]
            old = torch.nonzero(close & (before.squared <= even))[:, 0]
            query, ids = torch.cat((query[near], old)), torch.cat((ids[near], before.ids[old]))
            self._close(queries, query, ids, found)
        return found

    def _close(self, queries: Tensor, query: Tensor, ids: Tensor, found: Found) -> None:
        """Decide between words that float64 hardly tells apart, as it is done without a card."""
        torch = self._torch
        asked, which = np.unique(query.cpu().numpy(), return_inverse=True)
        at = torch.as_tensor(asked, device=queries.device)
        best = Best(queries[at].cpu().numpy(), self._table)
        best.consider(which, ids.cpu().numpy())
        found.ids[at] = torch.as_tensor(best.decided(), device=queries.device)

    def _known(self, queries: Tensor, before: Found) -> Tensor:
        """The score of what was found before, or a little less: other words must reach it."""
        words = self.words
        long = ((queries - words.centre) * words.scale).square().sum(1)
        score = (long - before.squared * words.scale**2) / 2
        return (score - self._even * long - 2.0**-22 * score.abs()).float()

    def _in_halves(self, queries: Tensor, before: Found | None, tally: Tally) -> Found:
        middle = len(queries) // 2 // LEAST * LEAST
        found = [
            self.nearer(queries[part], before and Found(*(of[part] for of in before)), tally)
            for part in (slice(None, middle), slice(middle, None))
        ]
        return Found(*(self._torch.cat(both) for both in zip(*found, strict=True)))

    @cached_property
    def rows(self) -> Tensor:
        """Where each word of the table is among these; −1 if it is not."""
        torch, ids = self._torch, self.words.ids
        rows = torch.full((len(self._table),), -1, dtype=torch.int64, device=ids.device)
        rows[ids] = torch.arange(len(ids), device=ids.device)
        return rows


_LOCK = Lock()
NOBODY = np.iinfo(np.int64).max  # no word has this id


@cache
def looks(card: Card) -> Any:
    """Who looks at words on a card."""
    if not card.fused:
        return Plain(card)
    from nomdeplume.nearest.card.fused import Fused

    return Fused(card)
