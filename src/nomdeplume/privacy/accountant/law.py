"""The law of the loss of Laplace noise between two points: what one release really tells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance.cloud import Floats, numbers
from nomdeplume.errors import positive, whole
from nomdeplume.privacy.accountant.angles import Angles, gauss, haversine

PANELS, CHANCE_NODES = 64, 16


@dataclass(frozen=True)
class LossLaw:
    """The exact law of the loss in k dimensions between points of pure loss s = ε·distance.

    z has a density ∝ exp(−‖z‖) and L = ‖z − y‖ − ‖z‖ with ‖y‖ = s. For k ≥ 2 the density is

        f(ℓ) ∝ e^(ℓ/2) · (s² − ℓ²)^((k−3)/2) · (s² − ℓ² + κ) on (−s, s),

    κ = 2(k−1)·s·K_{k/2}(s/2)/K_{k/2−1}(s/2). For k = 1 it is ¼e^((ℓ−s)/2), and L is s with a
    chance of ½ and −s with one of ½e^(−s) (docs/proofs/loss-law.md). It is there to be looked
    at: accounts add up many such laws, on a grid.

    >>> law = LossLaw(dimensions=100, loss=10.0)
    >>> round(float(law.above(5.0)), 9)  # of a pure loss of 10
    5.88e-07
    """

    dimensions: int
    loss: float

    def __post_init__(self) -> None:
        whole("dimensions", self.dimensions)
        positive("loss", self.loss)

    @cached_property
    def _angles(self) -> Angles:
        return Angles(self.dimensions, np.array([float(self.loss)]))

    def density(self, losses: ArrayLike) -> Floats:
        """f at some losses; where an end has a chance of its own, that is not in it."""
        at = numbers(losses)
        inside = np.abs(at) < self.loss
        hav = np.where(inside, (self.loss - at) / (2 * self.loss), 0.5)
        sine = np.sqrt(4 * hav * (1 - hav))
        logs = self._angles.log_density(hav.reshape(1, -1), 0.0).reshape(at.shape)
        return np.where(inside, np.exp(logs) / (self.loss * sine), 0.0)

    def above(self, losses: ArrayLike) -> Floats:
        """The chance of a loss of more than each of these."""
        at = numbers(losses)
        share = np.clip((self.loss - at) / (2 * self.loss), 0, 1).ravel()
        end = np.minimum(2 * np.arcsin(np.sqrt(share)), self._angles.span(0.0)[1])
        edges = np.linspace(0 * end, end, PANELS + 1)  # (panels + 1, losses)
        theta, weights = gauss(edges[:-1], edges[1:], CHANCE_NODES)
        logs = self._angles.log_density(haversine(theta)[None], 0.0)[0]
        first, last = np.exp(self._angles.atoms(0.0)[0])
        ends = first * (at < self.loss) + last * (at < -self.loss)
        return np.asarray((np.exp(logs) * weights).sum(axis=(0, 2)).reshape(at.shape) + ends)

    def log_moment(self, order: float) -> float:
        """log E e^(order·L); f(−ℓ) = e^(−ℓ)·f(ℓ), so that orders are the same around −½."""
        tilt = max(order, -1 - order)
        return float(self._angles.moments(tilt)[0][0])
