"""Marks of texts: by which features know the texts again that they were fitted on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from nomdeplume.unspaced import runs

Marks = NDArray[np.uint64]

DISTINCT = 5  # words that a text must have, or
SIGNS = 10  # letters of a script without spaces: shorter texts say the same by chance
HIDDEN: dict[int, str | None] = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
HIDDEN |= {0x2BC: " "}  # an apostrophe that is a letter in Unicode; the others nobody sees
PARTS = re.compile(r".{1,1048576}(?!\S)|\S+", re.DOTALL)  # read at a time, which bounds memory
UNSPACED = (  # Thai, Lao, Burmese, Khmer, kana and Chinese signs
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff"
)
PIECES = re.compile(f"([{UNSPACED}])|([^{UNSPACED}]+)")


def mark(text: str) -> int | None:
    """64 bits of a hash of the words of a text with their counts; none for a very short text.

    A word is a run of letters here, and where a script has no spaces each letter. No table,
    language or stop list has a say in it: another one does not hide that a text is the same,
    and two texts on one subject are not taken for one. Case, punctuation, digits and order
    do not count.
    """
    found: Counter[str] = Counter()
    for part in PARTS.finditer(text):
        found.update(_runs(part[0]))
    words: Counter[str] = Counter()
    signs: Counter[str] = Counter()
    for run, count in found.items():
        for sign, word in PIECES.findall(run):
            (signs if sign else words)[sign or word] += count
    if len(words) < DISTINCT and signs.total() < SIGNS:
        return None
    both = words + signs
    lines = "".join(f"{word} {both[word]}\n" for word in sorted(both))
    return int.from_bytes(blake2b(lines.encode(), digest_size=8).digest(), "little")


def _runs(part: str) -> list[str]:
    """The runs of letters, each letter written in one way."""
    if part.isascii():
        return runs(part.lower())
    plain = normalize("NFKC", part.translate(HIDDEN)).casefold()
    return runs(normalize("NFKC", plain))


def marks(found: Iterable[int | None]) -> Marks:
    """Marks in order, each once."""
    return np.array(sorted({each for each in found if each is not None}), dtype=np.uint64)


def among(one: int | None, known: Marks) -> bool:
    """Whether a mark is among known ones."""
    if one is None or not len(known):
        return False
    at = int(np.searchsorted(known, np.uint64(one)))
    return at < len(known) and int(known[at]) == one
