"""A plan as a picture: what becomes of each word, how much of it and how far."""

from nomdeplume.picture.drawing import svg
from nomdeplume.picture.page import html

__all__ = ["html", "svg"]
