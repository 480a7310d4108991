"""Noise on vectors, and the public grid that noisy vectors are rounded to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import positive
from nomdeplume.privacy.guarantee import Guarantee

Floats = NDArray[np.float64]


class Noise(Protocol):
    """Something to add to vectors, with what it promises for them."""

    @property
    def name(self) -> str: ...
    @property
    def guarantee(self) -> Guarantee: ...
    def add(self, vectors: Floats, rng: Generator) -> Floats: ...
    def at(self, epsilon: float) -> Self: ...
    def standard(self, noise: Floats) -> Floats: ...


@dataclass(frozen=True)
class Laplace:
    """Noise z on ℝᵏ with density ∝ exp(−ε‖z‖₂).

    The direction is uniform and the length Gamma(k, 1/ε), which averages k/ε:
    at a fixed ε, every added dimension adds noise (docs/proofs/laplace.md).
    """

    epsilon: float
    name: str = "laplace"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, proofs=("laplace",))

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        n, k = vectors.shape
        noise = rng.standard_normal((n, k))
        length = rng.gamma(k, 1 / self.epsilon, size=n)
        noise *= (length / np.sqrt(np.einsum("nk,nk->n", noise, noise)))[:, None]
        noise += vectors
        return noise

    def at(self, epsilon: float) -> Self:
        """The same noise under another ε."""
        return replace(self, epsilon=epsilon)

    def standard(self, noise: Floats) -> Floats:
        """Noise in coordinates where its density is ∝ exp(−‖z‖): what an audit holds it to."""
        return self.epsilon * noise


def to_grid(vectors: Floats, step: float) -> Floats:
    """The nearest points whose coordinates are multiples of `step`, a power of two.

    Float noise has gaps that depend on the vector under it; a public grid far
    coarser than the gaps, and far finer than the noise, keeps them from the output.
    """
    return np.rint(vectors / step) * step
