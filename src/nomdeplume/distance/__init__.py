"""How far two words, or two bags of words, are apart."""

from nomdeplume.distance.metrics import Bottleneck, Euclidean, Metric, WordMover
from nomdeplume.distance.word_mover import bottleneck, word_mover

__all__ = ["Bottleneck", "Euclidean", "Metric", "WordMover", "bottleneck", "word_mover"]
