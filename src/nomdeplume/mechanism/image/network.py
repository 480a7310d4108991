"""A learnt map: a small network, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError
from nomdeplume.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """φ(v) = B·tanh(A·v + a): one hidden layer, learnt on public texts.

    How far it brings words apart is not read off its weights, whose norms bound it loosely,
    but found exactly over all pairs of words (docs/proofs/mean.md).
    """

    inner: Floats  # A, (h, k)
    offset: Floats  # a, (h,)
    outer: Floats  # B, (m, h)
    name: str = ""  # where it comes from, if that can be said

    def __post_init__(self) -> None:
        for name in ("inner", "offset", "outer"):
            object.__setattr__(self, name, _numbers(getattr(self, name)))
        hidden = self.offset.shape
        fits = self.inner.ndim == self.outer.ndim == 2
        if not fits or (self.inner.shape[0],) != hidden or (self.outer.shape[1],) != hidden:
            raise InputError(
                "a network needs weights (h, k), (h,) and (m, h), got "
                f"{self.inner.shape}, {self.offset.shape} and {self.outer.shape}."
            )

    @property
    def settings(self) -> dict[str, float | str]:
        return {"dimensions": len(self.outer), "map": f"learnt, {self.name or self.fingerprint}"}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the weights."""
        found = sha256()
        for each in (self.inner, self.offset, self.outer):
            found.update(f" {each.shape}".encode() + each.astype("<f8").tobytes())
        return found.hexdigest()

    def __call__(self, vectors: Floats) -> Floats:
        if vectors.shape[1] != self.inner.shape[1]:
            raise InputError(
                f"a network for {self.inner.shape[1]} dimensions got vectors of "
                f"{vectors.shape[1]}; fit it with this table."
            )
        return np.asarray(np.tanh(vectors @ self.inner.T + self.offset) @ self.outer.T)

    def fitted(self, table: Table) -> Self:
        """One of fixed weights, as wide, whose hidden layer bends within the table's reach."""
        rng, k = np.random.default_rng(0), table.dimensions
        inner = rng.standard_normal((len(self.offset), k)) / (np.sqrt(k) * (table.radius or 1.0))
        outer = rng.standard_normal((min(len(self.outer), k), len(self.offset)))
        return type(self)(inner, np.zeros(len(self.offset)), outer)


def _numbers(given: ArrayLike) -> Floats:
    found = np.array(given, dtype=np.float64)
    if not np.isfinite(found).all():
        raise InputError("the weights of a network must be finite, got NaN or infinity.")
    return found
