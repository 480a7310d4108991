"""What ids look like, by which rows of a broken CSV file are told from pieces of its texts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

DIGITS = 19  # from which on an id is no number that is counted on
MANY = 20  # ids of one shape after which another shape is a sign that something broke


@dataclass
class Ids:
    """What the ids of sound rows look like, so that a row can be told from a piece of a text.

    An id tells if all have had one shape, with more in it than letters, and, where all
    were numbers that grew, if it grows on.
    """

    shapes: set[str] = field(default_factory=set)
    last: int | None = -1  # the largest number so far; None where they do not grow
    count: int = 0

    @classmethod
    def seen(cls, texts: list[str]) -> Ids:
        """What most of some ids have in common, if they are many; else nothing is known yet."""
        shapes = Counter(map(_shape, texts))
        for shape, count in shapes.most_common(1):
            found = cls({shape}, count=count)
            if found.tell and count >= max(MANY, 0.8 * len(texts)):
                return found
        return cls()

    def add(self, text: str) -> None:
        self.shapes.add(_shape(text))
        self.count += 1
        number = int(text) if text.isdecimal() and len(text) < DIGITS else None
        growing = number is not None and self.last is not None and number > self.last
        self.last = number if growing else None

    @property
    def tell(self) -> bool:
        return len(self.shapes) == 1 and bool(min(self.shapes).replace("a", "").strip())

    def unlike(self, text: str) -> bool:
        """Whether this is no id: empty where none was, or of another shape than many before it."""
        shape = _shape(text)
        known = self.count >= MANY and self.tell
        return shape not in self.shapes and (known or (not shape and bool(self.shapes)))

    def like(self, text: str) -> bool:
        """Whether this can be the id of a row that comes after those seen."""
        if not self.tell or _shape(text) not in self.shapes:
            return False
        if self.last is None or not text.isdecimal():
            return True
        return len(text) >= DIGITS or int(text) > self.last


def _shape(text: str) -> str:
    """A text with each run of digits as 0 and each run of letters as a."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text))
