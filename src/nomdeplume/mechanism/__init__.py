"""Mechanisms: from the ids of private words to the ids of released ones."""

from typing import TYPE_CHECKING

from nomdeplume.late import late

if TYPE_CHECKING:
    from nomdeplume.mechanism.contract import Declaration, DocumentMechanism, Mechanism, Parameter
    from nomdeplume.mechanism.custext import CusText
    from nomdeplume.mechanism.diffractor import Diffractor
    from nomdeplume.mechanism.exponential import Exponential
    from nomdeplume.mechanism.image import Anchors, Network, Projection, Unit, Values
    from nomdeplume.mechanism.menu import MECHANISMS
    from nomdeplume.mechanism.noisy_mean import NoisyMean
    from nomdeplume.mechanism.noisy_nearest import NoisyNearest
    from nomdeplume.mechanism.ranked import Ranked
    from nomdeplume.mechanism.recipe import SIZE, Recipe
    from nomdeplume.mechanism.santext import SanText
    from nomdeplume.mechanism.syntf import SynTf
    from nomdeplume.mechanism.word_by_word import WordByWord

__all__ = [
    "MECHANISMS",
    "SIZE",
    "Anchors",
    "CusText",
    "Declaration",
    "Diffractor",
    "DocumentMechanism",
    "Exponential",
    "Mechanism",
    "Network",
    "NoisyMean",
    "NoisyNearest",
    "Parameter",
    "Projection",
    "Ranked",
    "Recipe",
    "SanText",
    "SynTf",
    "Unit",
    "Values",
    "WordByWord",
]

__getattr__ = late(
    __name__,
    {
        "contract": ("Declaration", "DocumentMechanism", "Mechanism", "Parameter"),
        "custext": ("CusText",),
        "diffractor": ("Diffractor",),
        "exponential": ("Exponential",),
        "image": ("Anchors", "Network", "Projection", "Unit", "Values"),
        "menu": ("MECHANISMS",),
        "noisy_mean": ("NoisyMean",),
        "noisy_nearest": ("NoisyNearest",),
        "ranked": ("Ranked",),
        "recipe": ("SIZE", "Recipe"),
        "santext": ("SanText",),
        "syntf": ("SynTf",),
        "word_by_word": ("WordByWord",),
    },
)
