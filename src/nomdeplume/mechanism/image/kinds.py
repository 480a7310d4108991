"""What every image is: a public map of vectors, and what it does to a guarantee."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]


class FeatureMap(Protocol):
    """A map of vectors that is fixed without looking at private texts.

    How much farther apart it brings words is found on the words themselves.
    """

    def __call__(self, vectors: Floats) -> Floats: ...

    def fitted(self, table: Table) -> Self:
        """The same map for another table."""


class Image(FeatureMap, Protocol):
    """One of which it is known for any two vectors."""

    def guarantee(self, word: Guarantee) -> Guarantee:
        """Of noise on images that promises `word` for them, in terms of what they are of."""


def imaged(table: Table, image: FeatureMap | None) -> Table:
    """The table of the images of its words; itself if there is no map."""
    if image is None:
        return table
    vectors = np.concatenate([image(rows).astype(np.float32) for rows in table.blocks()])
    return Table.owning(table.words, vectors, table.name, table.language)
