"""Vectors scaled to length 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance import Chord
from nomdeplume.distance.ground import directions
from nomdeplume.errors import InputError
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Unit:
    """Vectors scaled to length 1, for noise on the sphere, whose metric scales them too."""

    @property
    def settings(self) -> dict[str, float | str]:
        return {}

    def __call__(self, vectors: Floats) -> Floats:
        return directions(vectors)

    def guarantee(self, word: Guarantee) -> Guarantee:
        if not isinstance(word.metric, Chord):
            raise InputError(
                f"unit vectors are for noise on the sphere, got noise under {word.metric.name}; "
                "take VonMisesFisher, or leave the image out."
            )
        return word

    def fitted(self, table: Table) -> Self:  # noqa: ARG002 - the same for all
        return self
