"""Noise on the directions of words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan2, sqrt
from typing import Self

import numpy as np
from numpy.random import Generator

from nomdeplume.distance import Chord
from nomdeplume.errors import InputError, positive
from nomdeplume.noise.kinds import Floats
from nomdeplume.noise.sphere import around, as_length, below, lift, seen_from, two_or_more
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

SLACK = 1e-6  # by which a length may differ from 1
KAPPA = 4.0  # of small worlds: much more would hide in the middle what the edge would tell


@dataclass(frozen=True)
class VonMisesFisher:
    """Directions u around a unit vector x, with density ∝ exp(κ·u·x), κ = ε.

    Between x and x′ the density changes by exp(κ·u·(x − x′)) at most, so the loss is κ times
    the chord (docs/proofs/vmf.md). It is the whole of a vector's direction, none of its length.
    """

    epsilon: float
    name: str = "vmf"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def settings(self) -> dict[str, float | str]:
        return {}

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, Chord(), proofs=("vmf",))

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        two_or_more(vectors.shape[1])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if (np.abs(lengths - 1) > SLACK).any():
            raise InputError("this noise is for vectors of length 1; give image=Unit().")
        away = versines(self.epsilon, vectors.shape[1], len(vectors), rng)
        return around(vectors / lengths, 1 - away, np.sqrt(away * (2 - away)), rng)

    def at(self, epsilon: float) -> Self:
        return replace(self, epsilon=epsilon)

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        """To the side that it went, as far as its angle is rare: k − 1 coordinates."""
        k, kappa = vectors.shape[1], self.epsilon
        angle, beside = seen_from(vectors, noisy)
        ratio = (k - 1) / (2 * kappa)
        cosine = 1 / (ratio + sqrt(ratio**2 + 1))
        mode = atan2(sqrt(2 * ratio * cosine), cosine)
        chance = below(angle, k, lambda theta: -2 * kappa * np.sin(theta / 2) ** 2, mode)
        return as_length(chance, k - 1)[:, None] * beside

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        two_or_more(vectors.shape[1])
        return self.epsilon * (noisy @ vectors.T)

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        return lift(table, KAPPA / epsilon), KAPPA

    def fitted(self, table: Table, epsilon: float) -> Self:  # noqa: ARG002 - the same for all
        return self.at(epsilon)


def versines(kappa: float, k: int, n: int, rng: Generator) -> Floats:
    """1 − cos θ of n angles, drawn by Ulrich's rejection as Wood put it right (1994).

    W = (1 − (1 + b)Z)/(1 − (1 − b)Z) with Z ~ Beta((k−1)/2, (k−1)/2) has a density that is
    nowhere far above the due one; two draws of three are taken, or more. All is written in
    1 − W, which keeps its digits where κ is large and W nearly 1.
    """
    b = (k - 1) / 4 / (kappa / 2 + np.hypot(kappa / 2, (k - 1) / 4))  # floats hold all of it
    least = 2 * b / (1 + b)  # 1 − x₀, x₀ the cosine at which the envelope touches
    found, missing = np.empty(n), np.arange(n)
    while len(missing):
        z = rng.beta((k - 1) / 2, (k - 1) / 2, len(missing))
        away = 2 * b * z / (1 - z + b * z)  # 1 − W
        ratio = (away + (1 - away) * least) / (least * (2 - least))  # (1 − x₀W)/(1 − x₀²)
        log_chance = kappa * (least - away) + (k - 1) * np.log(ratio)
        taken = np.log1p(-rng.random(len(missing))) <= log_chance
        found[missing[taken]] = away[taken]
        missing = missing[~taken]
    return found
