"""The paper's mechanism: noise on a word's vector, then the nearest word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.nearest import Exact, Index
from nomdeplume.noise import Noise, to_grid
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Ids = NDArray[np.int64]

WORDS = 1 << 13  # words released together: bounds the memory, whatever is asked for


@dataclass(frozen=True, eq=False)
class NoisyNearest:
    """Add noise to a word's vector, then take the nearest word.

    The nearest word is computed from the noisy vector alone, so it can only
    lose information: the guarantee is that of the noise. `outputs` are the ids
    that may be released, a public choice; all words of the table if none are given.
    """

    table: Table
    noise: Noise
    outputs: Ids | None = None

    def __post_init__(self) -> None:
        least = self.table.dimensions / (2.0**42 * self.table.grid)
        if self.noise.guarantee.epsilon < least:
            raise InputError(
                f"epsilon must be at least {least:.3g} on this table, got "
                f"{self.noise.guarantee.epsilon!r}: below, floats cannot hold the noise."
            )

    @property
    def name(self) -> str:
        return self.noise.name

    @property
    def guarantee(self) -> Guarantee:
        return self.noise.guarantee

    @cached_property
    def index(self) -> Index:
        return Exact(self.table, self.outputs)

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same mechanism on another table, all of whose words may come out."""
        return replace(self, table=table, noise=self.noise.at(epsilon), outputs=None)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        released = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), WORDS):
            vectors = self.table.vectors[ids[start : start + WORDS]].astype(np.float64)
            noisy = self.noise.add(vectors, rng)
            released[start : start + WORDS] = self.index.nearest(to_grid(noisy, self.table.grid))
        return released
