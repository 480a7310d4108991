"""Public vocabularies with one vector per word: the space in which words are near or far."""

from nomdeplume.table.table import Table, Vectors

__all__ = ["Table", "Vectors"]
