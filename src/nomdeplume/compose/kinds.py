"""What every composer is: from noisy means to words that fit them, knowing nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Compose = Callable[[Floats, int, Generator], Ids]  # (n, m) means, however many → (n, size)


class Composer(Protocol):
    """A way to compose words for noisy means, with its settings, all of them public."""

    @property
    def name(self) -> str: ...

    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it: for a certificate."""

    def over(self, places: Floats, ids: Ids, weights: Floats | None = None) -> Compose:
        """It among words with these features, (Y, m), ids, and public weights, (Y,)."""

    def elsewhere(self) -> Composer:
        """The same for any other table."""


def framed(places: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Places around their centre and about 1 long, whatever the table, and targets likewise."""
    centre = places.mean(axis=0)
    scale = 1 / (float(np.sqrt(((places - centre) ** 2).sum(axis=1).mean())) or 1.0)
    return (places - centre) * scale, lambda target: (target - centre) * scale
