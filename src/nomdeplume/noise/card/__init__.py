"""Secure noise on a graphics card."""

from nomdeplume.noise.card.stream import Stream

__all__ = ["Stream"]
