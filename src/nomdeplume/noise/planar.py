"""Laplace noise in the plane, drawn as geo-indistinguishability draws it."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, pi

import numpy as np
from numpy.random import Generator

from nomdeplume.errors import InputError
from nomdeplume.noise.kinds import Floats
from nomdeplume.noise.laplace import Laplace
from nomdeplume.table import Table

SMALL = 1e-6  # chances below which the branch point of W₋₁ costs digits
SERIES = (1, 1 / 3, 11 / 72, 43 / 540, 769 / 17280)  # of −W₋₁ − 1 in √(2p)


@dataclass(frozen=True)
class Planar(Laplace):
    """Laplace noise for two dimensions: an angle that is uniform, and a radius by its inverse law.

    The radius is below r with the chance p = 1 − (1 + εr)·exp(−εr), so it is
    r = −(W₋₁((p − 1)/e) + 1)/ε for a uniform p, W₋₁ the lower branch of Lambert's W.
    """

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        self._check(vectors)
        length = radius(rng.random(len(vectors))) / self.epsilon
        angle = rng.uniform(0, 2 * pi, len(vectors))
        noise = length[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
        return np.asarray(vectors + noise)

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        self._check(vectors)
        return super().log_density(noisy, vectors)

    def fitted(self, table: Table, epsilon: float) -> Laplace:
        """Outside of the plane the same law is drawn in the other way."""
        return self.at(epsilon) if table.dimensions == 2 else Laplace(epsilon)

    def _check(self, vectors: Floats) -> None:
        if vectors.shape[1] != 2:
            raise InputError(
                f"planar noise needs vectors of 2 dimensions, got {vectors.shape[1]}; "
                "take Laplace noise, or project to two dimensions."
            )


def radius(chance: Floats) -> Floats:
    """The radius of planar noise with ε = 1 that is not passed with this chance, in [0, 1).

    Near 0, (p − 1)/e loses the digits of p, and a series in √(2p) has them.
    """
    from scipy.special import lambertw

    by_lambert = -lambertw((np.maximum(chance, SMALL) - 1) / e, k=-1).real - 1
    root = np.sqrt(2 * np.minimum(chance, SMALL))
    by_series = sum(factor * root**power for power, factor in enumerate(SERIES, 1))
    return np.asarray(np.where(chance < SMALL, by_series, by_lambert))
