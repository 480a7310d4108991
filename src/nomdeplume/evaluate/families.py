"""The three families of features that attackers look at: style, words, and runs of signs.

All of them look at a text as it is written. Of a released bag only words are left, so that what
the first and third family can still tell is what words alone tell.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sized
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from unicode_segmentation_rs import unicode_words

from nomdeplume.evaluate.richness import richness
from nomdeplume.text import APOSTROPHES, ENDINGS, stop_words

PUNCTUATION = string.punctuation + "“”‘’–—…"
SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n\s*\n")
LONGEST = 15  # signs of a word; longer ones are counted with those
ONE_APOSTROPHE = str.maketrans(dict.fromkeys(f"`{APOSTROPHES}", "'"))


def character_ngrams(text: str, n: int) -> Counter[str]:
    """Every run of `n` signs with its count, blanks and case as they are.

    >>> [run.replace(" ", "_") for run in character_ngrams("There it is", 3)]
    ['The', 'her', 'ere', 're_', 'e_i', '_it', 'it_', 't_i', '_is']
    """
    return Counter(text[start : start + n] for start in range(len(text) - n + 1))


def word_based(text: str) -> Counter[str]:
    """Words with their counts, as Unicode segments them: lower case, contractions and numbers kept.

    `nomdeplume.text.words` takes contractions apart, for bags; but whether somebody writes
    *don't* or *do not* is style.

    >>> word_based("Don't, DON’T panic: 42!")
    Counter({"don't": 2, 'panic': 1, '42': 1})
    """
    return Counter(_segmented(text))


def stylistic(text: str) -> dict[str, float]:
    """Named measures of style, after Writeprints: the same names for every text, in one order.

    Counts are shares of what they count among (signs, words or letters), 0 where there is
    nothing to count; only the lengths grow with the text.
    """
    sentences = [part for part in map(_segmented, SENTENCES.split(text)) if part]
    words = [word for part in sentences for word in part]
    signs, counts = Counter(text), Counter(words)
    return {
        **_lengths(len(text), words, sentences),
        **_classes(text, signs),
        **richness(counts.values()),
        **_shares("word", sorted(_function_words()), counts, len(words)),
        **_endings(counts, len(words)),
        **_letters(signs),
    }


def _segmented(text: str) -> list[str]:
    """The words of a text in order; a lone surrogate is no letter."""
    plain = text.lower().translate(ONE_APOSTROPHE)
    return list(unicode_words(plain.encode("utf-8", "replace").decode()))


def _lengths(signs: int, words: list[str], sentences: list[list[str]]) -> dict[str, float]:
    of_words, of_sentences = _sizes(words), _sizes(sentences)
    histogram = Counter(of_words.clip(max=LONGEST).tolist())
    return {
        "signs": float(signs),
        "words": float(len(words)),
        "sentences": float(len(sentences)),
        **_spread("word length", of_words),
        **_spread("sentence length", of_sentences),
        **_shares("word length", range(1, LONGEST + 1), histogram, len(words)),
    }


def _classes(text: str, signs: Counter[str]) -> dict[str, float]:
    kinds = {
        "letters": str.isalpha,
        "upper case": str.isupper,
        "digits": str.isdigit,
        "blanks": str.isspace,
    }
    found = {
        name: sum(n for sign, n in signs.items() if kind(sign)) for name, kind in kinds.items()
    }
    shares = {name: count / max(len(text), 1) for name, count in found.items()}
    return {**shares, **_shares("sign", PUNCTUATION, signs, len(text))}


def _endings(counts: Counter[str], words: int) -> dict[str, float]:
    """Shares of words with each ending of a contraction."""
    found: Counter[str] = Counter()
    for word, count in counts.items():
        if "'" in word:
            found.update({ending: count for ending in ENDINGS if word.endswith(ending)})
    return _shares("ending", ENDINGS, found, words)


def _letters(signs: Counter[str]) -> dict[str, float]:
    letters: Counter[str] = Counter()
    for sign, count in signs.items():
        letters[sign.lower()] += count * sign.isalpha()
    return _shares("letter", string.ascii_lowercase, letters, letters.total())


def _sizes(things: Iterable[Sized]) -> NDArray[np.int64]:
    return np.fromiter(map(len, things), dtype=np.int64)


def _spread(name: str, sizes: NDArray[np.int64]) -> dict[str, float]:
    mean, spread = (float(sizes.mean()), float(sizes.std())) if len(sizes) else (0.0, 0.0)
    return {f"mean {name}": mean, f"spread of {name}": spread}


def _shares(name: str, things: Iterable[Any], counts: Counter[Any], total: int) -> dict[str, float]:
    return {f"{name} {thing}": counts[thing] / max(total, 1) for thing in things}


@cache
def _function_words() -> frozenset[str]:
    return stop_words("short").words
