"""Mechanisms: from the ids of private words to the ids of released ones."""

from typing import TYPE_CHECKING

from nomdeplume.late import late

if TYPE_CHECKING:
    from nomdeplume.mechanism.custext import CusText
    from nomdeplume.mechanism.diffractor import Diffractor
    from nomdeplume.mechanism.exponential import Exponential
    from nomdeplume.mechanism.image import Anchors, Network, Projection, Unit, Values
    from nomdeplume.mechanism.kinds import Finite, Mechanism, Movable
    from nomdeplume.mechanism.menu import MECHANISMS
    from nomdeplume.mechanism.noisy_mean import NoisyMean
    from nomdeplume.mechanism.noisy_nearest import NoisyNearest
    from nomdeplume.mechanism.ranked import Ranked
    from nomdeplume.mechanism.recipe import Recipe
    from nomdeplume.mechanism.santext import SanText
    from nomdeplume.mechanism.syntf import SynTf

__all__ = [
    "MECHANISMS",
    "Anchors",
    "CusText",
    "Diffractor",
    "Exponential",
    "Finite",
    "Mechanism",
    "Movable",
    "Network",
    "NoisyMean",
    "NoisyNearest",
    "Projection",
    "Ranked",
    "Recipe",
    "SanText",
    "SynTf",
    "Unit",
    "Values",
]

__getattr__ = late(
    __name__,
    {
        "custext": ("CusText",),
        "diffractor": ("Diffractor",),
        "exponential": ("Exponential",),
        "image": ("Anchors", "Network", "Projection", "Unit", "Values"),
        "kinds": ("Finite", "Mechanism", "Movable"),
        "menu": ("MECHANISMS",),
        "noisy_mean": ("NoisyMean",),
        "noisy_nearest": ("NoisyNearest",),
        "ranked": ("Ranked",),
        "recipe": ("Recipe",),
        "santext": ("SanText",),
        "syntf": ("SynTf",),
    },
)
