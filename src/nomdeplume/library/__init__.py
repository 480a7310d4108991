"""Public libraries: texts of which one is released in place of a private text."""

from nomdeplume.library.library import Library, Passage
from nomdeplume.library.scores import Score, score_of

__all__ = ["Library", "Passage", "Score", "score_of"]
