"""A learnt map: a small network, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError
from nomdeplume.mechanism.image.kinds import OfVectors
from nomdeplume.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network(OfVectors):
    """φ(v) = C·v + B·max(0, A·v + a): one hidden layer, learnt on public texts.

    How far it brings words apart is not read off its weights, whose norms bound it loosely,
    but found exactly over all pairs of words (docs/proofs/mean.md).
    """

    straight: Floats  # C, (m, k)
    inner: Floats  # A, (h, k)
    offset: Floats  # a, (h,)
    outer: Floats  # B, (m, h)
    name: str = ""  # where it comes from, if that can be said

    def __post_init__(self) -> None:
        for name in ("straight", "inner", "offset", "outer"):
            object.__setattr__(self, name, _numbers(getattr(self, name)))
        shapes = [each.shape for each in self._weights]
        (m, k), h = (self.straight.shape if self.straight.ndim == 2 else (0, 0)), len(self.offset)
        if shapes != [(m, k), (h, k), (h,), (m, h)] or not m:
            raise InputError(
                f"a network needs weights (m, k), (h, k), (h,) and (m, h), got {shapes}."
            )

    @property
    def settings(self) -> dict[str, float | str]:
        return {"dimensions": len(self.outer), "map": f"learnt, {self.name or self.fingerprint}"}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the weights."""
        found = sha256()
        for each in self._weights:
            found.update(f" {each.shape}".encode() + each.astype("<f8").tobytes())
        return found.hexdigest()

    def __call__(self, vectors: Floats) -> Floats:
        if vectors.shape[1] != self.inner.shape[1]:
            raise InputError(
                f"a network for {self.inner.shape[1]} dimensions got vectors of "
                f"{vectors.shape[1]}; fit it with this table."
            )
        hidden = np.maximum(vectors @ self.inner.T + self.offset, 0)
        return np.asarray(vectors @ self.straight.T + hidden @ self.outer.T)

    def fitted(self, table: Table) -> Self:
        """One of fixed weights, as wide, whose hidden layer bends within the table's reach."""
        rng, k, h = np.random.default_rng(0), table.dimensions, len(self.offset)
        m = min(len(self.outer), k)
        inner = rng.standard_normal((h, k)) / (np.sqrt(k) * (table.radius or 1.0))
        outer = rng.standard_normal((m, h)) * (table.radius or 1.0) / np.sqrt(h)
        return type(self)(np.eye(m, k), inner, np.zeros(h), outer)

    @property
    def _weights(self) -> tuple[Floats, ...]:
        return self.straight, self.inner, self.offset, self.outer


def _numbers(given: ArrayLike) -> Floats:
    found = np.array(given, dtype=np.float64)
    if not np.isfinite(found).all():
        raise InputError("the weights of a network must be finite, got NaN or infinity.")
    return found
