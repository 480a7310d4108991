"""Public maps of vectors before noise is added, and what they do to a guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance import Chord
from nomdeplume.distance.ground import directions
from nomdeplume.errors import InputError
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table
from nomdeplume.table.directions import contraction, principal_directions

Floats = NDArray[np.float64]


class Image(Protocol):
    """A map of vectors that is fixed without looking at private texts."""

    def __call__(self, vectors: Floats) -> Floats: ...

    def guarantee(self, word: Guarantee) -> Guarantee:
        """Of noise on images that promises `word` for them, in terms of what they are of."""

    def fitted(self, table: Table) -> Self:
        """The same map for another table."""


@dataclass(frozen=True, eq=False)
class Projection:
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


@dataclass(frozen=True)
class Unit:
    """Vectors scaled to length 1, for noise on the sphere, whose metric scales them too."""

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


def imaged(table: Table, image: Image | None) -> Table:
    """The table of the images of its words; itself if there is no map."""
    if image is None:
        return table
    vectors = np.concatenate([image(rows).astype(np.float32) for rows in table.blocks()])
    return Table.owning(table.words, vectors, table.name, table.language)
