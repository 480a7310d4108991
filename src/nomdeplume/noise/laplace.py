"""The paper's noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from numpy.random import Generator

from nomdeplume.distance.arrays import namespace
from nomdeplume.distance.cloud import distances
from nomdeplume.noise.kinds import Floats, drawable
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table


@dataclass(frozen=True)
class Laplace:
    """Noise z on ℝᵏ with density ∝ exp(−ε‖z‖₂).

    The direction is uniform and the length Gamma(k, 1/ε), which averages k/ε:
    at a fixed ε, every added dimension adds noise (docs/proofs/laplace.md).
    """

    epsilon: float
    name: str = "laplace"
    portable = True

    def __post_init__(self) -> None:
        drawable(self.epsilon)

    @property
    def settings(self) -> dict[str, float | str]:
        return {}

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, proofs=("laplace",))

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        xp, (n, k) = namespace(vectors), vectors.shape
        noise = rng.standard_normal((n, k))
        length = rng.gamma(k, 1 / self.epsilon, size=n)
        noise *= (length / xp.sqrt(xp.einsum("nk,nk->n", noise, noise)))[:, None]
        noise += vectors
        return noise

    def at(self, epsilon: float) -> Self:
        return replace(self, epsilon=epsilon)

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        return self.epsilon * (noisy - vectors)

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        return -self.epsilon * distances(noisy, vectors)

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        return table, epsilon

    def fitted(self, table: Table, epsilon: float) -> Laplace:  # noqa: ARG002 - the same for all
        return self.at(epsilon)
