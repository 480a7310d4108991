"""What every image is: a public map of vectors, and what it does to a guarantee."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

Floats = NDArray[np.float64]


class FeatureMap(Protocol):
    """A public map of words, fixed without looking at private texts.

    How much farther apart it brings words is found on the words themselves.
    """

    @property
    def settings(self) -> dict[str, float | str]: ...

    def over(self, table: Table) -> Table:
        """The words of a table with what they are mapped to."""

    def fitted(self, table: Table) -> FeatureMap:
        """The same map for another table."""


class Image(Protocol):
    """A public map of vectors, of which it is known how far it brings any two of them apart."""

    @property
    def settings(self) -> dict[str, float | str]: ...

    def __call__(self, vectors: Floats) -> Floats: ...

    def guarantee(self, word: Guarantee) -> Guarantee:
        """Of noise on images that promises `word` for them, in terms of what they are of."""

    def fitted(self, table: Table) -> Self:
        """The same map for another table."""


class OfVectors:
    """Maps words by their vectors."""

    def over(self: Any, table: Table) -> Table:
        return imaged(table, self)


def imaged(table: Table, image: Callable[[Floats], Floats] | None) -> Table:
    """The table of the images of its words; itself if there is no map."""
    if image is None:
        return table

    def some(start: int) -> NDArray[np.float32]:
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused
            return image(table.block(start)).astype(np.float32)

    return table.with_vectors(np.concatenate(each(some, table.starts, cores())))
