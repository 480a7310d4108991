"""Public libraries: texts of which one is released in place of a private text."""

from nomdeplume.library.library import Library, Passage
from nomdeplume.library.scores import ByTable, Score

__all__ = ["ByTable", "Library", "Passage", "Score"]
