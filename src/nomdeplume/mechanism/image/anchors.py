"""How near a word is to each of some subjects, fading out with distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance.cloud import distances
from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism.image.kinds import OfVectors
from nomdeplume.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Anchors(OfVectors):
    """φⱼ(v) = max(0, r − d(v, Sⱼ)), Sⱼ the anchors of subject j, d the distance to the nearest.

    A distance to a set changes by no more than its point moves, and so does each coordinate.
    Words far from all subjects become 0: they fade out without being deleted, so that a
    promise about means of φ is one about all words (docs/proofs/mean.md).
    """

    sets: tuple[Floats, ...]  # (anchors of a subject, k) each
    radius: float
    name: str = ""  # where they come from, if that can be said

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        sets = tuple(np.array(each, dtype=np.float64) for each in self.sets)
        if not sets or any(each.ndim != 2 or not len(each) for each in sets):
            raise InputError("every subject needs at least one anchor, (n, k) numbers.")
        if len({each.shape[1] for each in sets}) > 1:
            raise InputError("all anchors must be vectors of one table.")
        object.__setattr__(self, "sets", sets)

    @classmethod
    def fading(cls, sets: Sequence[Floats], common: Floats, name: str = "") -> Anchors:
        """Anchors from which half of some common words are too far away to count."""
        nearest = np.min([distances(common, each).min(axis=1) for each in sets], axis=0)
        return cls(tuple(sets), float(f"{np.median(nearest):.6g}") or 1.0, name)

    @property
    def settings(self) -> dict[str, float | str]:
        return {
            "dimensions": len(self.sets),
            "map": f"anchors, {self.name or self.fingerprint}",
            "radius": self.radius,
        }

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the anchors' vectors and the radius."""
        found = sha256(repr(self.radius).encode())
        for each in self.sets:
            found.update(f" {each.shape}".encode() + each.astype("<f8").tobytes())
        return found.hexdigest()

    def __call__(self, vectors: Floats) -> Floats:
        if vectors.shape[1] != self.sets[0].shape[1]:
            raise InputError(
                f"anchors in {self.sets[0].shape[1]} dimensions are for vectors of as many, "
                f"got {vectors.shape[1]}."
            )
        nearest = [distances(vectors, anchors).min(axis=1) for anchors in self.sets]
        return np.asarray(np.maximum(0, self.radius - np.column_stack(nearest)))

    def fitted(self, table: Table) -> Self:
        """As many subjects of one word each, the first of the table, that reach all words."""
        count = min(len(self.sets), table.dimensions)  # more would only add noise
        first = table.vectors[:count].astype(np.float64)
        return type(self)(tuple(first[:, None, :]), max(3 * table.radius, 1e-9))
