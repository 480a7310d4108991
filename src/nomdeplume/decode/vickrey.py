"""The nearest word or the second nearest, by how near they are (Xu et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import Generator

from nomdeplume.decode.kinds import Decode, Floats, Ids
from nomdeplume.errors import InputError, got
from nomdeplume.nearest import Several
from nomdeplume.noise import Noise
from nomdeplume.table import Table


@dataclass(frozen=True)
class Vickrey:
    """The nearest word with the chance (1−t)·d₂/(t·d₁ + (1−t)·d₂), else the second nearest.

    d₁ and d₂ are their distances from the noisy vector, never from the secret word. Where
    both are 0, or one word alone can come out, it is the nearest.
    """

    t: float = 0.5
    name: str = "vickrey"

    def __post_init__(self) -> None:
        if not 0 <= self.t <= 1:
            raise InputError(f"t must be from 0 to 1, got {got(self.t)}: 0 is the nearest word.")

    @property
    def settings(self) -> dict[str, float | str]:
        return {"decode": self.name, "t": self.t}

    @property
    def proofs(self) -> tuple[str, ...]:
        return ("postprocessing",)

    def over(self, places: Table, outputs: Ids | None, noise: Noise) -> Decode:  # noqa: ARG002
        count = len(places) if outputs is None else len(outputs)
        index = Several(places, outputs, top=min(2, count))

        def decode(noisy: Floats, rng: Generator) -> Ids:
            ids, distances = index.several(noisy)
            first, second = self.t * distances[:, 0], (1 - self.t) * distances[:, -1]
            near = rng.random(len(noisy)) * (first + second) <= second
            return np.where(near, ids[:, 0], ids[:, -1])

        return decode

    def again(self, before: Decode, places: Table, outputs: Ids | None, noise: Noise) -> Decode:  # noqa: ARG002
        """The same decoding: nothing in it depends on the noise."""
        return before

    def elsewhere(self) -> Self:
        return self
