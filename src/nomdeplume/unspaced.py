"""Languages that are written without spaces between words: words are those of a dictionary.

Unicode's rules part such text into single signs. Here a run of letters is read from
its start, each time taking the longest word that the dictionary has; a sign that begins
none is skipped. The dictionary is public, so the bag of a text is still a public function of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LANGUAGES = frozenset(("ja", "km", "lo", "my", "th", "wuu", "yue", "zh"))
LATIN = re.compile(r"[a-zß-ɏ]+|[^a-zß-ɏ]+")
LONGEST = 16  # signs of a word; longer ones are titles and sentences
COMPOSED = {"\u0e4d\u0e32": "\u0e33", "\u0ecd\u0eb2": "\u0eb3"}  # Thai and Lao am, as all write it


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Words by which text without spaces is parted."""

    words: frozenset[str]

    @classmethod
    def of(cls, words: Iterable[str]) -> Dictionary:
        return cls(frozenset(word for word in words if len(word) <= LONGEST))

    def parted(self, run: str) -> Iterator[str]:
        """The words of a run of letters; one in Latin letters is a word as it is."""
        for part in LATIN.findall(run):
            if part[0] < "\u0250":
                yield part
            else:
                yield from self._longest(part)

    def _longest(self, part: str) -> Iterator[str]:
        start = 0
        while start < len(part):
            sizes = range(min(LONGEST, len(part) - start), 0, -1)
            size = next((n for n in sizes if part[start : start + n] in self.words), 0)
            if size:
                yield part[start : start + size]
            start += size or 1


def runs(text: str) -> list[str]:
    """The runs of letters, with the marks on them, in a text."""
    for apart, together in COMPOSED.items():
        text = text.replace(apart, together)
    return text.translate(_LETTERS).split()


class _Letters(dict[int, int]):
    """Letters and marks as they are, every other sign as a space."""

    def __missing__(self, code: int) -> int:
        self[code] = code if unicodedata.category(chr(code))[0] in "LM" else 32
        return self[code]


_LETTERS = _Letters()
