"""Marks of texts: by which features know the texts again that they were fitted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.uint64]

DISTINCT = 5  # words that a text must have: shorter ones say the same by chance


def mark(words: Mapping[str, int]) -> int | None:
    """64 bits of a hash of all words of a text with their counts; none for a very short text.

    Of all words, not of those that a table or the features keep: then another table or stop
    list does not hide that a text is the same, and two texts on one subject are not taken
    for one. Case, punctuation, digits and order do not count.
    """
    if len(words) < DISTINCT:
        return None
    lines = "".join(f"{word} {words[word]}\n" for word in sorted(words))
    return int.from_bytes(blake2b(lines.encode(), digest_size=8).digest(), "little")


def marks(found: Iterable[int | None]) -> Marks:
    """Marks in order, each once."""
    return np.array(sorted({each for each in found if each is not None}), dtype=np.uint64)


def among(one: int | None, known: Marks) -> bool:
    """Whether a mark is among known ones."""
    if one is None or not len(known):
        return False
    at = int(np.searchsorted(known, np.uint64(one)))
    return at < len(known) and int(known[at]) == one
