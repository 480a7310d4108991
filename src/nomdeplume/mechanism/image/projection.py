"""Vectors seen along some directions."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.mechanism.image.kinds import OfVectors
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table
from nomdeplume.table.directions import contraction, principal_directions

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Projection(OfVectors):
    """Vectors seen along some directions, rows that bring no two words farther apart.

    So the promise in the metric before it is that of the noise, with less of it: its mean
    length is m/ε for m directions (docs/proofs/contraction.md).
    """

    directions: Floats  # (m, k), with singular values of at most 1
    name: str = ""  # how they are made, if they can be made again

    def __post_init__(self) -> None:
        dimensions = np.shape(self.directions)[-1] if np.ndim(self.directions) else 0
        object.__setattr__(self, "directions", contraction(self.directions, dimensions))

    @property
    def settings(self) -> dict[str, float | str]:
        """How many directions, and which: by name, as no two machines round them alike, or hash."""
        found = sha256(self.directions.astype("<f8").tobytes()).hexdigest()
        return {"dimensions": len(self.directions), "directions": self.name or found}

    def __call__(self, vectors: Floats) -> Floats:
        if vectors.shape[1] != self.directions.shape[1]:
            raise InputError(
                f"directions in {self.directions.shape[1]} dimensions are for vectors of as many, "
                f"got {vectors.shape[1]}; make them for this table."
            )
        return np.asarray(vectors @ self.directions.T)

    def guarantee(self, word: Guarantee) -> Guarantee:
        return word.projected(self.directions)

    def fitted(self, table: Table) -> Self:
        """As many principal directions of the table, or all that it has."""
        count = min(len(self.directions), table.dimensions)
        return type(self)(principal_directions(table, count), "principal")
