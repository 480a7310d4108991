"""How far two words, or two bags of words, are apart."""

from nomdeplume.distance.metrics import Bottleneck, Euclidean, Metric, WordMover

__all__ = ["Bottleneck", "Euclidean", "Metric", "WordMover"]
