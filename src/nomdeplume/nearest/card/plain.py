"""The looks at words by torch alone: for cards without our kernels, and what these are held to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nomdeplume.devices import Card
from nomdeplume.distance.arrays import all_bits
from nomdeplume.nearest.card.operands import INT8, TILE, Asked, Kind, Rounded, Tensor, asked

SCORES = 1 << 26  # held at a time
PAIRS = 1 << 9  # of tiles and queries looked at again together


class Plain:
    """All looks, by torch's own products. Numbers of few bits are multiplied as float32."""

    chunk = 1

    def __init__(self, card: Card) -> None:
        self._card, self._torch = card, card.torch

    def asked(
        self, kinds: Sequence[Kind], queries: Tensor, centre: Tensor, scale: float
    ) -> list[Asked]:
        """Queries as numbers of some kinds."""
        centred = (queries - centre) * scale
        made = {kind: asked(self._torch, kind, centred) for kind in dict.fromkeys(kinds)}
        return [made[kind] for kind in kinds]

    def maxima(self, words: Rounded, queries: Asked) -> Tensor:
        """The largest product of each tile with each query, (tiles, n)."""
        torch, n = self._torch, len(queries.numbers)
        wide = _multiplied(words.kind, queries.numbers).T
        found = torch.empty((words.tiles, n), dtype=wide.dtype, device=wide.device)
        some = max(1, SCORES // (TILE * n))
        with all_bits(self._card):
            for first in range(0, words.tiles, some):
                tiles = words.numbers[first * TILE : (first + some) * TILE]
                scores = _multiplied(words.kind, tiles) @ wide
                found[first : first + some] = scores.view(-1, TILE, n).amax(1)
        return found.float()

    def least(self, words: Rounded, queries: Asked, maxima: Tensor) -> Tensor:
        """What the best score of each query is at least."""
        found = [
            (score - doubt).amax(0) for _, score, doubt in self._bounds(words, queries, maxima)
        ]
        return self._torch.stack(found).amax(0)

    def left(
        self, words: Rounded, queries: Asked, maxima: Tensor, least: Tensor, room: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Pairs of a tile and a query whose answer it may hold, up to so many; and how many."""
        torch, found = self._torch, []
        for first, score, doubt in self._bounds(words, queries, maxima):
            found.append(
                torch.nonzero(~(score + doubt < least)) + least.new_tensor((first, 0)).long()
            )
        tile, query = torch.cat(found).T
        return tile[:room], query[:room], torch.tensor(len(tile), device=tile.device)

    def again(
        self, words: Rounded, queries: Asked, least: Tensor, tile: Tensor, query: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Of each pair of a tile and a query the best score, its doubt, its word, how many may win.

        `tile` is that of each chunk of `query`.
        """
        torch, found = self._torch, []
        for some in range(0, len(query), PAIRS):
            of = tile[some : some + PAIRS].clamp(max=words.tiles - 1)
            which = query[some : some + PAIRS].clamp(min=0)
            numbers = words.numbers.view(words.tiles, TILE, -1)[of].float()
            with all_bits(self._card):
                scores = torch.bmm(numbers, queries.numbers[which].float()[:, :, None])[:, :, 0]
            scores = scores - words.half[of][:, None]
            doubt = _doubt(words, queries, of, which)
            best, at = scores.max(1)
            may = (~(scores + doubt[:, None] < least[which][:, None])).sum(1)
            found.append((best, doubt, at, may))
        best, doubt, at, may = (torch.cat(parts) for parts in zip(*found, strict=True))
        return best, doubt, at, may

    def apart(self, queries: Tensor, raw: Tensor, query: Tensor, row: Tensor) -> Tensor:
        """Squared distances of queries and words, pair by pair, in float64."""
        found = [
            (queries[q] - raw[r].double()).square().sum(1)
            for q, r in zip(query.split(1 << 14), row.split(1 << 14), strict=True)
        ]
        return self._torch.cat(found)

    def _bounds(self, words: Rounded, queries: Asked, maxima: Tensor) -> Any:
        """Scores of some tiles, and how far off they may be."""
        some = max(1, SCORES // maxima.shape[1])
        for first in range(0, words.tiles, some):
            part = slice(first, first + some)
            score = maxima[part] * (words.step[part, None] * queries.step) - words.half[part, None]
            doubt = words.norm[part, None] * queries.error
            doubt = doubt + words.error[part, None] * queries.length + words.rest[part, None]
            yield first, score, doubt


def _doubt(words: Rounded, queries: Asked, tile: Tensor, query: Tensor) -> Tensor:
    doubt = queries.error[query] * words.norm[tile] + queries.length[query] * words.error[tile]
    return doubt + words.rest[tile]


def _multiplied(kind: Kind, numbers: Tensor) -> Tensor:
    """Numbers as they are multiplied: sums of whole ones may be too large for float32."""
    return numbers.double() if kind is INT8 else numbers.float()
