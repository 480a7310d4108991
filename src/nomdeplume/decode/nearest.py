"""The word nearest to a noisy vector, as the paper has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from nomdeplume.decode.kinds import Decode, Ids
from nomdeplume.nearest import Exact
from nomdeplume.noise import Noise
from nomdeplume.table import Table


@dataclass(frozen=True)
class Nearest:
    """The nearest word; the first of equally near ones."""

    name: str = "nearest"

    def over(self, places: Table, outputs: Ids | None, noise: Noise) -> Decode:  # noqa: ARG002
        index = Exact(places, outputs)
        return lambda noisy, _: index.nearest(noisy)

    def elsewhere(self) -> Self:
        return self
