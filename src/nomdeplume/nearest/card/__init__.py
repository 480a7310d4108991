"""The search on a graphics card."""

from nomdeplume.nearest.card.search import OnCard

__all__ = ["OnCard"]
