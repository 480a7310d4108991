"""Mechanisms: from the ids of private words to the ids of released ones."""

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
