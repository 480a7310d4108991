"""A small network from vectors to values, and how it learns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

HIDDEN = 128
HEAD = 10.0  # times the steps of the rest, of what tells topics from means


@dataclass(eq=False)
class Network:
    """φ(v) = C·v + B·max(0, A·v + a) + c, and a head that tells topics from means of it.

    It starts as the directions that tell topics apart, and learns what to bend.
    """

    vectors: Floats  # (words, k), of the words that it is learnt on
    straight: Floats  # C, (m, k)
    inner: Floats  # A, (h, k)
    offset: Floats  # a, (h,)
    outer: Floats  # B, (m, h)
    shift: Floats  # c, (m,)
    head: Floats  # (topics, m)
    lean: Floats  # (topics,)
    _moments: list[tuple[Floats, Floats]] = field(init=False)

    def __post_init__(self) -> None:
        self._moments = [(np.zeros_like(each), np.zeros_like(each)) for each in self._parts]

    @classmethod
    def start(
        cls, vectors: Floats, directions: Floats, shares: Any, topic: Ids, budget: float
    ) -> Network:
        """One that tells topics by the nearest centre, along some directions."""
        rng, (m, k) = np.random.default_rng(1), directions.shape
        means = shares @ (vectors @ directions.T)
        centre = means.mean(axis=0)
        centres = np.stack([means[topic == each].mean(axis=0) for each in np.unique(topic)])
        head = (centres - centre) * min(budget, 5) / 3
        return cls(
            vectors,
            directions.copy(),
            rng.standard_normal((HIDDEN, k)) / np.sqrt(k),
            np.full(HIDDEN, -0.5),
            0.02 * rng.standard_normal((m, HIDDEN)),
            -centre,
            head,
            -0.5 * (head * (centres - centre)).sum(axis=1),
        )

    @property
    def _parts(self) -> list[Floats]:
        return [
            self.straight,
            self.inner,
            self.offset,
            self.outer,
            self.shift,
            self.head,
            self.lean,
        ]

    def forward(self, rows: Ids) -> tuple[Floats, Floats]:
        """The values of some words, (n, m), and the hidden layer behind them."""
        vectors = self.vectors[rows]
        hidden = np.maximum(vectors @ self.inner.T + self.offset, 0)
        return vectors @ self.straight.T + self.shift + hidden @ self.outer.T, hidden

    def told(self, means: Floats) -> Floats:
        """The chances of topics, (n, topics), given means."""
        logs = means @ self.head.T + self.lean
        logs -= logs.max(axis=1, keepdims=True)
        chances = np.exp(logs)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def back(self, rows: Ids, wanted: Floats, hidden: Floats) -> list[Floats]:
        """Slopes in the values of some words, (n, m), as slopes in the weights of the map."""
        vectors, inside = self.vectors[rows], (wanted @ self.outer) * (hidden > 0)
        return [
            wanted.T @ vectors,
            inside.T @ vectors,
            inside.sum(axis=0),
            wanted.T @ hidden,
            wanted.sum(axis=0),
        ]

    def learn(self, slopes: list[Floats], number: int, rate: float) -> None:
        """One step of Adam against the slopes."""
        for place, (part, slope) in enumerate(zip(self._parts, slopes, strict=True)):
            first, second = self._moments[place]
            first += 0.1 * (slope - first)
            second += 0.01 * (slope * slope - second)
            size = rate * (HEAD if place > 4 else 1)
            root = np.sqrt(second / (1 - 0.99**number)) + 1e-8
            np.subtract(part, size * first / (1 - 0.9**number) / root, out=part)
