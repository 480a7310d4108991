"""Noise on vectors: one file a noise, and the public grid that noisy vectors are rounded to."""

from typing import TYPE_CHECKING

from nomdeplume.late import late
from nomdeplume.noise.grid import to_grid
from nomdeplume.noise.kinds import Floats, Noise
from nomdeplume.noise.laplace import Laplace

if TYPE_CHECKING:
    from nomdeplume.noise.mahalanobis import Mahalanobis
    from nomdeplume.noise.planar import Planar
    from nomdeplume.noise.polar import PolarLaplace
    from nomdeplume.noise.von_mises_fisher import VonMisesFisher

__all__ = [
    "Floats",
    "Laplace",
    "Mahalanobis",
    "Noise",
    "Planar",
    "PolarLaplace",
    "VonMisesFisher",
    "to_grid",
]

__getattr__ = late(
    __name__,
    {
        "mahalanobis": ("Mahalanobis",),
        "planar": ("Planar",),
        "polar": ("PolarLaplace",),
        "von_mises_fisher": ("VonMisesFisher",),
    },
)
