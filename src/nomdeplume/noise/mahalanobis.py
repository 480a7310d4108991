"""Noise of the shape of a table: more of it where words vary more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.random import Generator

from nomdeplume.distance.arrays import beside, namespace
from nomdeplume.distance.cloud import distances
from nomdeplume.errors import InputError
from nomdeplume.noise.kinds import Floats, drawable
from nomdeplume.noise.laplace import Laplace
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table
from nomdeplume.table.directions import covariance

MU = 0.8  # share of the table's own shape


@dataclass(frozen=True, eq=False)
class Mahalanobis:
    """Noise z = R·S^½·U, with density ∝ exp(−ε·√λmin·‖S^(−½)z‖), λmin the least eigenvalue of S.

    S = μΣ̂ + (1 − μ)I, Σ̂ the covariance of a public table scaled to trace k. `epsilon` is the
    promise in Euclidean distance: the ball under the noise has the parameter ε·√λmin, and
    ‖S^(−½)(x − x′)‖ ≤ d/√λmin (docs/proofs/mahalanobis.md). It is not cut back to length R:
    that would leave no finite ε.
    """

    epsilon: float
    root: Floats  # S^½, (k, k)
    mu: float = MU
    name: str = "mahalanobis"
    portable = True

    def __post_init__(self) -> None:
        drawable(self.epsilon)
        root = np.asarray(self.root, dtype=np.float64)
        square = root.ndim == 2 and root.shape[0] == root.shape[1]
        if not square or not np.allclose(root, root.T) or np.linalg.eigvalsh(root)[0] <= 0:
            raise InputError("root must be a symmetric matrix with eigenvalues above 0; use of().")

    @classmethod
    def of(cls, table: Table, epsilon: float, *, mu: float = MU) -> Self:
        """Noise of the shape of the table whose vectors it is added to; `mu` is from 0 to below 1.

        The root of S is computed here, once for all words.
        """
        if not 0 <= mu < 1:
            raise InputError(f"mu must be from 0 to below 1, got {mu!r}: at 1 noise may be flat.")
        found, k = covariance(table), table.dimensions
        shape = mu * k / (np.trace(found) or 1.0) * found + (1 - mu) * np.eye(k)
        values, axes = np.linalg.eigh(shape)
        return cls(epsilon, (axes * np.sqrt(values)) @ axes.T, mu)

    @property
    def settings(self) -> dict[str, float | str]:
        return {"mu": self.mu, "lambda_min": self.lambda_min}

    @cached_property
    def lambda_min(self) -> float:
        """The least eigenvalue of S, at least 1 − μ."""
        return float(np.linalg.eigvalsh(self.root)[0]) ** 2

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, proofs=("mahalanobis",))

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        self._check(vectors)
        noise = self._ball.add(namespace(vectors).zeros_like(vectors), rng)
        noisy: Floats = vectors + noise @ beside(self.root, noise)
        return noisy

    def at(self, epsilon: float) -> Self:
        return replace(self, epsilon=epsilon)

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        return self._ball.epsilon * (noisy - vectors) @ self._inverse

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        self._check(vectors)
        return -self._ball.epsilon * distances(noisy @ self._inverse, vectors @ self._inverse)

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        return table, epsilon

    def fitted(self, table: Table, epsilon: float) -> Self:
        made = self.of(table, epsilon, mu=self.mu)
        return replace(self, epsilon=epsilon, root=made.root)

    @property
    def _ball(self) -> Laplace:
        return Laplace(self.epsilon * self.lambda_min**0.5)

    @cached_property
    def _inverse(self) -> Floats:
        return np.linalg.inv(self.root).astype(np.float64)

    def _check(self, vectors: Floats) -> None:
        if vectors.shape[1] != len(self.root):
            raise InputError(
                f"noise of the shape of {len(self.root)} dimensions needs vectors of as many, "
                f"got {vectors.shape[1]}; make it with of() for this table."
            )
