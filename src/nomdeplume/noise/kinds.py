"""What every noise is."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import InputError, positive
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]


LEAST = 1e-290  # an ε below which floats cannot hold noise of 1/ε, in however many dimensions


def drawable(epsilon: float) -> None:
    """Refuse an ε that there is no noise for."""
    if positive("epsilon", epsilon) < LEAST:
        raise InputError(
            f"epsilon must be at least {LEAST:g}, got {epsilon!r}: below, floats cannot hold the "
            "noise."
        )


class Noise(Protocol):
    """Something to add to vectors, with its law and what it promises for them.

    A class that is `portable` can be drawn on a card too: its `add` takes tensors and a stream
    there. Classes made of it may do otherwise, and must say so for themselves.
    """

    @property
    def name(self) -> str: ...
    @property
    def guarantee(self) -> Guarantee: ...
    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it beside its name and ε, for certificates."""

    def add(self, vectors: Floats, rng: Generator) -> Floats: ...

    def at(self, epsilon: float) -> Self:
        """The same noise under another ε."""

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        """The noise in coordinates where its density is ∝ exp(−‖z‖): what an audit holds it to.

        There may be fewer of them than dimensions. What cannot be told is NaN.
        """

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        """How likely each noisy vector is from each vector, (n, V), up to a constant per row."""

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        """A small world as this noise needs words to lie, and the ε there that costs ε here."""

    def fitted(self, table: Table, epsilon: float) -> Noise:
        """The same kind of noise for another table."""
