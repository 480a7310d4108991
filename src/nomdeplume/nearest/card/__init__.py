"""The search on a graphics card."""

from nomdeplume.nearest.card.search import OnCard
from nomdeplume.nearest.card.trial import trusted

__all__ = ["OnCard", "trusted"]
