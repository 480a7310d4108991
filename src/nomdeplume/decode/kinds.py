"""What every decoding is: from noisy vectors to words, knowing nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.noise import Noise
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Decode = Callable[[Floats, Generator], Ids]  # noisy vectors alone: post-processing, by its type


class Decoder(Protocol):
    """A way to choose words for noisy vectors, with its settings, all of them public."""

    @property
    def name(self) -> str: ...

    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it, its name included unless it is the paper's, for certificates."""

    @property
    def proofs(self) -> tuple[str, ...]:
        """The proofs that it adds to those of the noise."""

    def over(self, places: Table, outputs: Ids | None, noise: Noise) -> Decode:
        """It among the words of a table, or those with the given ids, for one noise."""

    def again(self, before: Decode, places: Table, outputs: Ids | None, noise: Noise) -> Decode:
        """The decoding `before`, under other noise: what does not depend on noise is shared."""

    def elsewhere(self) -> Decoder:
        """The same for any other table."""
