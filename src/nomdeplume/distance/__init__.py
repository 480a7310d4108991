"""How far two words, or two bags of words, are apart; and what moves where."""

from nomdeplume.distance.cloud import Cloud
from nomdeplume.distance.diameter import diameter
from nomdeplume.distance.ground import (
    Capped,
    Chord,
    Covered,
    Discrete,
    Euclidean,
    Ground,
    Grouped,
    Listed,
    Polar,
)
from nomdeplume.distance.metrics import (
    Bottleneck,
    Metric,
    Prepared,
    Summed,
    WordMover,
)
from nomdeplume.distance.plan import Plan
from nomdeplume.distance.word_mover import (
    bottleneck,
    bottleneck_plan,
    transport,
    word_mover,
    word_mover_plan,
)

__all__ = [
    "Bottleneck",
    "Capped",
    "Chord",
    "Cloud",
    "Covered",
    "Discrete",
    "Euclidean",
    "Ground",
    "Grouped",
    "Listed",
    "Metric",
    "Plan",
    "Polar",
    "Prepared",
    "Summed",
    "WordMover",
    "bottleneck",
    "bottleneck_plan",
    "diameter",
    "transport",
    "word_mover",
    "word_mover_plan",
]
