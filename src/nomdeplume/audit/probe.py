"""Probes: questions that each get a share of an audit's time and of its chance to be wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.finding import Finding

T = TypeVar("T", np.int64, np.float64)

BATCH, MOST = 32, 1 << 21  # draws in the first batch, and in all


@dataclass(frozen=True)
class Share:
    """What one probe may use up."""

    alpha: float  # chance that it calls a right mechanism broken
    seconds: float
    rng: Generator

    def samples(
        self, draw: Callable[[int], NDArray[T]], *, first: int = BATCH, most: int = MOST
    ) -> NDArray[T]:
        """Draws until the time is over: how many depends on speed alone, never on what is drawn.

        The `first` batch is drawn even if there is no time.
        Batches grow by what the last one took; if a call is slow by itself, whatever its size,
        they grow further while there is time for one more.
        """
        start, size, parts, total, pace = monotonic(), min(first, most), [], 0, 0.0
        while True:
            before = monotonic()
            parts.append(draw(size))
            now, total = monotonic(), total + size
            left, took = start + self.seconds - now, max(now - before, 1e-9)
            flat = took / size < pace / 2 and left > 2 * took
            growth, pace = 8.0 if flat else min(8.0, 0.9 * left / took), took / size
            size = min(int(size * growth), most - total)
            if size < max(1, total // 16):
                return np.concatenate(parts)


@dataclass(frozen=True)
class Probe:
    """One question about a mechanism; the finding has it too."""

    question: str
    ask: Callable[[Share], Finding]
    weight: float = 1.0  # of its share of the time
