"""The word nearest to a noisy vector, as the paper has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from numpy.random import Generator

from nomdeplume.decode.kinds import Decode, Floats, Ids
from nomdeplume.nearest import Index, checked, index
from nomdeplume.noise import Noise
from nomdeplume.table import Table


@dataclass(frozen=True)
class Nearest:
    """The nearest word; the first of equally near ones. It is found by an index of that name."""

    name: str = "nearest"
    index: str = "auto"

    def __post_init__(self) -> None:
        checked(self.index)

    @property
    def settings(self) -> dict[str, float | str]:
        return {"index": self.index} if self.index == "scan" else {}

    @property
    def proofs(self) -> tuple[str, ...]:
        return ()

    def over(self, places: Table, outputs: Ids | None, noise: Noise) -> Decode:  # noqa: ARG002
        return Search(index(self.index, places, outputs))

    def again(self, before: Decode, places: Table, outputs: Ids | None, noise: Noise) -> Decode:  # noqa: ARG002
        """The same decoding: nothing in it depends on the noise."""
        return before

    def elsewhere(self) -> Self:
        return self


@dataclass(frozen=True, eq=False)
class Search:
    """The search itself, once there are words to find."""

    index: Index

    def __call__(self, noisy: Floats, rng: Generator) -> Ids:
        return self.after(self.index.nearest(noisy), rng)

    def after(self, nearest: Ids, rng: Generator) -> Ids:  # noqa: ARG002
        """What becomes of the nearest words."""
        return nearest
