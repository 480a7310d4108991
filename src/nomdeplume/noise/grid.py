"""The public grid that noisy vectors are rounded to."""

from __future__ import annotations

from nomdeplume.distance.arrays import namespace
from nomdeplume.noise.kinds import Floats


def to_grid(vectors: Floats, step: float) -> Floats:
    """The nearest points whose coordinates are multiples of `step`, a power of two.

    Float noise has gaps that depend on the vector under it; a public grid far
    coarser than the gaps, and far finer than the noise, keeps them from the output.
    """
    return namespace(vectors).round(vectors / step) * step  # type: ignore[no-any-return]
