"""Words, numbers and colours as a picture shows them."""

from __future__ import annotations

import hashlib
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from fractions import Fraction
from html import escape

from nomdeplume.flow import Move

LIGHT = ("#cdd9e4", "#90b4d8", "#9288c9", "#ab569f", "#9c2152", "#5a0a20")  # calm to strong,
DARK = ("#32465b", "#4a6c9b", "#8a74c4", "#d275ad", "#ff8f7a", "#ffd28a")  # on either ground
TURNS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
MARKS = 3  # on one letter; more would climb into the lines around


def clean(text: str) -> str:
    """`text` without what XML forbids, what turns the writing around it, and towers of marks."""
    shown, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MARKS:
            shown.append("\ufffd" if _unfit(char) else char)
    return "".join(shown)


def safe(text: str) -> str:
    return escape(clean(text))


def _unfit(char: str) -> bool:
    return (
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(char) in TURNS
        or ord(char) & 0xFFFE == 0xFFFE  # no characters, in any plane
    )


def fit(word: str, room: float) -> str:
    """As much of `word` as about `room` ems hold; an ellipsis says that there is more."""
    letters = clean(word)
    for i, char in enumerate(letters):
        room -= _ems(char)
        if room < -1e-9:  # what fits exactly fits, however sums are rounded
            return f"{letters[:i]}…{_turn(char)}"
    return letters


def _turn(char: str) -> str:
    """A mark that keeps what stands before it to the left, if `char` is written to the left."""
    return "\u200f" if unicodedata.bidirectional(char) in ("R", "AL") else ""


def ems(word: str) -> float:
    """How wide a word is, in sizes of its letters and at a guess."""
    return sum(map(_ems, clean(word)))


def _ems(char: str) -> float:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 1.0
    if char in "mwMW":
        return 1.0
    return 0.58 if char.isascii() and not char.isupper() else 0.75


def number(value: float, digits: int) -> str:
    """`value` to so many significant digits."""
    return f"{value:#.{digits}g}".rstrip(".") if value else "0"


def added(move: Move) -> str:
    return f"{move.cost:.3f}" if move.cost >= 0.1 else number(move.cost, 2)


def percent(share: Fraction) -> str:
    value = 100 * float(share)
    return f"{value:.3g} %" if value >= 10 else f"{value:.2g} %"


def told(move: Move) -> str:
    """A move in words, clean but not escaped."""
    return (
        f"{apart(move.word)} → {apart(move.becomes)}: {percent(move.share)} of words, "
        f"distance {number(move.distance, 3)}, adds {added(move)}"
    )


def apart(word: str) -> str:
    """`word`, clean; one that may be written to the left does not turn what follows it."""
    return word if (word := clean(word)).isascii() else f"\u2068{word}\u2069"


def shade(strength: float, stops: Sequence[str] = LIGHT) -> str:
    """The colour at `strength` between 0 and 1 of the way through evenly spaced stops."""
    place = strength * (len(stops) - 1)
    i = min(int(place), len(stops) - 2)
    pairs = ((int(stops[i][k : k + 2], 16), int(stops[i + 1][k : k + 2], 16)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(one + (place - i) * (other - one)):02x}" for one, other in pairs)


def hashed(text: str) -> str:
    """What a Content-Security-Policy calls a piece of style or script."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
