"""Weights of answers, q(y)·exp(−a·s(x, y)), and their sums: here, or on a card.

On a card blocks are larger, for it does more at a time; what is done with them is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nomdeplume.devices import Card
from nomdeplume.distance.arrays import Array, back, namespace, put
from nomdeplume.distance.cloud import rooted
from nomdeplume.mechanism.scores import Score
from nomdeplume.threads import each

Floats = NDArray[np.float64]
T = TypeVar("T")

TILE = 64  # answers whose weights are summed up
NUMBERS, MANY = 1 << 20, 1 << 25  # of a block of rows: here, and on a card
BLOCK, LARGE = 512, 4096  # answers whose distances to as many are taken at a time
NEAR = 1e-3  # of the largest squared norms: nearer pairs are computed directly


@dataclass(frozen=True, eq=False)
class Weights:
    """Answers by their vectors, and what makes weights of distances to them.

    Words are asked for by (−2x, ‖x‖², 1) and answers are (y, 1, ‖y‖²): the product of the two
    is ‖x − y‖².
    """

    tall: Array  # (answers, k + 2)
    score: Score
    a: float
    log_q: Array | None
    threads: int
    card: Card | None = None

    def on(self, card: Card) -> Weights:
        """The same on a card, that one thread waits for."""
        log_q = None if self.log_q is None else put(self.log_q, card)
        return replace(self, tall=put(self.tall, card), log_q=log_q, threads=1, card=card)

    def wide(self, tall: Floats) -> Array:
        """Words, given as answers are, made ready to be asked about."""
        return turned(put(tall, self.card))

    def apart(self, wide: Array, answers: Array = slice(None)) -> Array:
        """Distances of words to some answers; to each its own, where these are rows of them.

        The product loses digits where it is small, so these pairs, which are few, are
        computed directly.
        """
        tall = self.tall[answers]
        own = tall.ndim == 3  # (n, some, k + 2)
        squares = (tall @ wide[:, :, None])[:, :, 0] if own else wide @ tall.T
        if not len(wide):
            return squares
        xp = namespace(squares)
        limit = NEAR * (xp.amax(wide[:, -2]) + xp.amax(tall[..., -1]))
        return rooted(
            squares,
            limit,
            lambda i, j: wide[i, :-2] / -2 - (tall[i, j, :-2] if own else tall[j, :-2]),
        )

    def logs(self, wide: Array, answers: Array = slice(None)) -> Array:
        """ln q(y) − a·s(x, y)."""
        logs = self.score.of(self.apart(wide, answers))
        logs *= -self.a
        if self.log_q is not None:
            logs += self.log_q[answers]
        return logs

    def tiles(self, wide: Array) -> Array:
        """Logarithms of the sums of weights in each tile, (n, tiles)."""
        logs = self.logs(wide)
        n, whole = len(logs), logs.shape[1] // TILE
        parts = logs[:, : whole * TILE].reshape(n, whole, TILE), logs[:, None, whole * TILE :]
        sums = [log_sums(part) for part in parts if part.shape[1] * part.shape[2]]
        return namespace(logs).concatenate(sums, axis=1)

    def log_totals(self, tell: Callable[[int], None] | None) -> Floats:
        """ln Z of each answer: a distance is one both ways, so each is taken once.

        A word is an answer to itself, with a score of 0: Z is at least its weight.
        """
        q, count, side = self._q, len(self.tall), LARGE if self.card else BLOCK

        def from_block(start: int) -> Floats:
            totals, mine = namespace(q).zeros_like(q), slice(start, min(start + side, count))
            wide = turned(self.tall[mine])
            for other in range(start, count, side):
                theirs = slice(other, min(other + side, count))
                kernel = self._kernel(wide, theirs)
                totals[mine] += _dotted(kernel, q[theirs])
                if other > start:
                    totals[theirs] += _dotted(kernel.T, q[mine])
            found = back(totals)
            if tell:
                tell(mine.stop - start)
            return found

        parts = each(from_block, range(0, count, side), self.threads)
        shift = 0.0 if self.log_q is None else float(self.log_q.max())
        return np.asarray(np.log(np.sum(parts, axis=0)) + shift)

    def in_blocks(self, work: Callable[[slice], T], count: int) -> list[T]:
        """What is made of so many words, of as many at a time as memory allows."""
        return each(
            lambda i: work(slice(i, i + self.block)), range(0, count, self.block), self.threads
        )

    @property
    def block(self) -> int:
        """Words whose rows are made together."""
        return max(1, (MANY if self.card else NUMBERS) // len(self.tall))

    @cached_property
    def _q(self) -> Array:
        xp = namespace(self.tall)
        if self.log_q is None:
            return xp.ones_like(self.tall[:, 0])
        return xp.exp(self.log_q - self.log_q.max())

    def _kernel(self, wide: Array, answers: slice) -> Array:
        """exp(−a·s(x, y))."""
        kernel = self.score.of(self.apart(wide, answers))
        kernel *= -self.a
        return namespace(kernel).exp(kernel, out=kernel)


def turned(tall: Array) -> Array:
    """Rows (y, 1, ‖y‖²) as (−2y, ‖y‖², 1)."""
    return namespace(tall).column_stack((-2 * tall[:, :-2], tall[:, -1], tall[:, -2]))


def log_sums(logs: Array) -> Array:
    """Logarithms of the sums of what these are the logarithms of, along the last axis."""
    xp = namespace(logs)
    top = xp.amax(logs, axis=-1, keepdims=True)
    logs -= top
    return top[..., 0] + xp.log(xp.exp(logs, out=logs).sum(axis=-1))


def _dotted(kernel: Array, q: Array) -> Array:
    """kernel·q, no more than BLOCK terms in one sum: on this the bound on rounding relies."""
    return sum(kernel[:, i : i + BLOCK] @ q[i : i + BLOCK] for i in range(0, len(q), BLOCK))
