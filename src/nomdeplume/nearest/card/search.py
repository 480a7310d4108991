"""Nearest words on a card, certified to be those of float64 brute force.

A first look, by products of 8 bits where they tell words apart, leaves a few tiles of words for
each query; a second look at these, by bfloat16, leaves a few words; float64 decides. What float64
cannot tell is decided where all is decided without a card, so that the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from math import floor, log2
from threading import RLock
from typing import Any

import numpy as np

from nomdeplume.devices import Card
from nomdeplume.errors import InputError
from nomdeplume.nearest.card.operands import (
    BFLOAT16,
    FLOAT32,
    INT8,
    TILE,
    Kind,
    Tensor,
    Words,
)
from nomdeplume.nearest.card.part import LEAST, Found, Part, Tally
from nomdeplume.nearest.card.trial import trusted
from nomdeplume.nearest.rows import Floats, Ids
from nomdeplume.table import Table

BOUNDS = 1 << 28  # of tiles for queries, that are held at a time
QUERIES = 4096  # together, where a card does not say how many processors it has
WIDEST = 1 << 17  # dimensions whose products of 8 bits have a sum of 32
SHARE = 0.5  # of a card's free memory that words may take

_MAKING = RLock()


@dataclass(eq=False)
class OnCard:
    """The words of a table, or those with the given ids, searched on a card.

    They stay on the card where they fit into `memory` bytes; else they go there part by part,
    for every block of queries. `coarse` says whether the first look may be by 8 bits. Kernels
    that fail a trial on this card are not used.
    """

    card: Card
    table: Table
    ids: Ids | None = None
    memory: int | None = None
    coarse: bool = True
    tally: Tally = field(default_factory=Tally, init=False)
    made: Part | None = field(default=None, init=False, repr=False)  # all words

    def __post_init__(self) -> None:
        self.card = trusted(self.card)
        if self.ids is not None and not len(self.ids):
            raise InputError("at least one word must be left to search among, got none.")

    def nearest(self, queries: Floats) -> Ids:
        """Id of the word nearest to each query, as float64 brute force would find it."""

        def some(start: int) -> Tensor:
            return self.card.put(np.ascontiguousarray(queries[start : start + self.block]))

        return self.in_turns(lambda start: self.found(some(start)), len(queries))

    def in_turns(self, work: Callable[[int], Tensor], count: int) -> Ids:
        """The ids that `work` finds from each start of a block, two blocks at a time.

        While one waits for the card, the other keeps it busy. The first is alone: it makes
        what the others share.
        """
        starts = range(0, count, self.block)
        found = [np.empty(0, dtype=np.int64), *(work(start).cpu().numpy() for start in starts[:1])]
        if self.card.at.type != "cuda" or len(starts) < 3 or not self._resident:
            found += [work(start).cpu().numpy() for start in starts[1:]]
            return np.concatenate(found)
        with ThreadPoolExecutor(2, initializer=self._take_stream, initargs=([0, 1],)) as pool:
            found += pool.map(lambda start: work(start).cpu().numpy(), starts[1:])
        return np.concatenate(found)

    def _take_stream(self, left: list[int]) -> None:
        """Have a thread use one of two streams, whose kernels go before the long ones."""
        cuda = self.card.torch.cuda
        cuda.set_device(self.card.at)
        cuda.set_stream(self._streams[left.pop()])

    @cached_property
    def _streams(self) -> list[Any]:
        return [self.card.torch.cuda.Stream(self.card.at, priority=-1) for _ in range(2)]

    def found(self, queries: Tensor) -> Tensor:
        """The same for a block of queries that are on the card, where the ids stay too."""
        torch, n = self.card.torch, len(queries)
        queries = queries.contiguous()
        if short := -n % LEAST:
            queries = torch.cat((queries, queries[-1:].expand(short, -1)))
        best: Found | None = None
        for part in self._parts():
            best = part.nearer(queries, best, self.tally)
            del part  # before the next one takes its place
        self.tally.add(queries=n)
        return best.ids[:n] if best else None  # there is always a part

    def vectors(self, ids: Ids) -> Tensor:
        """Vectors of words of the table, from the card itself if all of them are there."""
        if self._resident:
            part = self._whole
            rows = part.rows[self.card.put(ids)]
            if bool((rows >= 0).all()):
                return part.words.raw[rows]
        return self.card.put(np.ascontiguousarray(self.table.vectors[ids], dtype=np.float32))

    @cached_property
    def block(self) -> int:
        """Queries that are answered together: two blocks of them for each processor of the card."""
        tiles, cuda = -(-self._room // TILE), self.card.torch.cuda
        usual = QUERIES
        if self.card.at.type == "cuda":
            usual = 2 * LEAST * cuda.get_device_properties(self.card.at).multi_processor_count
        return int(min(max(LEAST, BOUNDS // tiles // LEAST * LEAST), usual))

    @property
    def _resident(self) -> bool:
        """Whether all words stay on the card."""
        return self._room >= self._count

    def _parts(self) -> Iterable[Part]:
        if self._resident:
            return (self._whole,)
        return (self._part(start) for start in range(0, self._count, self._room))

    @property
    def _whole(self) -> Part:
        """All words, made once, and there for all threads and streams as soon as it is said."""
        with _MAKING:
            if self.made is None:
                made = self._part(0)
                _ = made.rows
                if self.card.at.type == "cuda":
                    self.card.torch.cuda.synchronize(self.card.at)
                self.made = made
            return self.made

    def _part(self, start: int) -> Part:
        torch, table = self.card.torch, self.table
        end = min(start + self._room, self._count)
        ids = np.arange(start, end) if self.ids is None else self.ids[start:end]
        some = slice(start, end) if self.ids is None else ids
        raw = self.card.put(np.ascontiguousarray(table.vectors[some], dtype=np.float32))
        scale = 2.0 ** -floor(log2(table.radius or 1.0))
        centre = torch.as_tensor(table.centre, dtype=torch.float64, device=self.card.at)
        words = Words.of(self.card, self.card.put(ids), raw, centre, scale)
        return Part(words, table, self._kinds)

    @cached_property
    def _kinds(self) -> list[Kind]:
        """Of the first look and of the second; parts give up what does not tell words apart."""
        if not self.card.fused:
            return [FLOAT32, FLOAT32]
        coarse = self.coarse and self.table.dimensions <= WIDEST
        return [INT8, BFLOAT16] if coarse else [BFLOAT16, BFLOAT16]

    @property
    def _count(self) -> int:
        return len(self.table) if self.ids is None else len(self.ids)

    @cached_property
    def _room(self) -> int:
        """Words that are on the card at a time, in whole tiles; half as much again is scratch."""
        k, cuda = self.table.dimensions, self.card.torch.cuda
        each = 8 * k + sum(kind.width(k) * kind.bytes for kind in {*self._kinds})
        most = float("inf") if self.memory is None else self.memory
        if self.card.at.type == "cuda":
            most = min(most, cuda.mem_get_info(self.card.at)[0] * SHARE)
        return int(min(max(TILE, most / each // TILE * TILE), self._count))
