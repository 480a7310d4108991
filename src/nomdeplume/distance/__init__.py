"""How far two words, or two bags of words, are apart; and what moves where."""

from nomdeplume.distance.cloud import Cloud
from nomdeplume.distance.metrics import (
    Bottleneck,
    Euclidean,
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
    "Cloud",
    "Euclidean",
    "Metric",
    "Plan",
    "Prepared",
    "Summed",
    "WordMover",
    "bottleneck",
    "bottleneck_plan",
    "transport",
    "word_mover",
    "word_mover_plan",
]
