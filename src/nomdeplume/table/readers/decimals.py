"""Decimal numbers in bulk: text → float32, eight digits in one machine word at a time.

Most numbers of a table look like -0.38194: a sign, some digits, a dot, some digits.
Those are parsed together, with whole-array arithmetic on words of eight characters;
whatever looks otherwise goes through `float`, one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Places = NDArray[np.int64]

PIECE = 1 << 17  # characters parsed together: their arrays stay in the cache
PAD = b"0" * 8
ZEROS = np.uint64(0x3030303030303030)
POWERS = 10.0 ** np.arange(9)
LIMIT = 10**7  # whole parts below it: with eight decimals the number stays below 2⁵³


def decimals(text: bytes) -> NDArray[np.float32]:
    """The numbers in `text`, which has one space between each two; ValueError if one is none.

    Each is rounded once to float64 and once to float32, as `np.float32(float(number))` is.
    """
    found = []
    start = 0
    while start < len(text):
        end = text.find(b" ", start + PIECE)
        end = len(text) if end < 0 else end
        found.append(_parsed(text[start:end]))
        start = end + 1
    return np.concatenate(found) if found else np.empty(0, dtype=np.float32)


def _parsed(text: bytes) -> NDArray[np.float32]:
    """(whole·10ᶠ + fraction) / 10ᶠ: both sides are exact in float64, so it is rounded once."""
    padded = np.frombuffer(PAD + text + b" ", dtype=np.uint8)
    ends = np.flatnonzero(padded == 32)
    starts = np.concatenate(([len(PAD)], ends[:-1] + 1))
    dots = _dots(padded, starts, ends)
    negative = padded[starts] == 45
    first = starts + negative
    windows = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))  # eight bytes from each
    decimal_places = np.clip(ends - dots - 1, 0, 8)
    whole_places = np.minimum(dots - first, 8)
    last = padded[dots - 1] - np.uint8(48)  # what is no digit wraps around beyond 9
    whole, whole_fits = last.astype(np.float64), last <= 9
    longer = np.flatnonzero(whole_places != 1)
    whole[longer], whole_fits[longer] = _digits(windows[dots[longer] - 8], whole_places[longer])
    fraction, fraction_fits = _digits(windows[ends - 8], decimal_places)
    power = POWERS[decimal_places]
    values = (whole * power + fraction) / power
    values[negative] *= -1
    plain = whole_fits & fraction_fits & (whole < LIMIT) & (whole_places + decimal_places > 0)
    plain &= (ends - dots <= 9) & (dots - first <= 8)
    for i in np.flatnonzero(~plain):
        values[i] = decimal(padded[starts[i] : ends[i]].tobytes())
    with np.errstate(over="ignore"):  # a number beyond float32 is infinite, which is refused later
        return np.asarray(values, dtype=np.float32)


def _dots(padded: NDArray[np.uint8], starts: Places, ends: Places) -> Places:
    """Where each number has its dot; its end, where it does not have exactly one."""
    dots = np.flatnonzero(padded == 46)
    if len(dots) == len(ends) and (dots >= starts).all() and (dots < ends).all():
        return dots
    before = np.searchsorted(dots, starts)
    single = np.searchsorted(dots, ends) - before == 1
    places = ends.copy()
    places[single] = dots[before[single]]
    return places


def _digits(words: Words, count: Places) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The last `count` characters of each word as a number, and whether all are digits.

    A word holds its last character in its highest byte. Neighbouring digits are joined to
    pairs, pairs to fours, fours to eights: three multiplications for eight digits.
    """
    unused = (8 * (8 - count)).astype(np.uint64)
    used = np.where(count > 0, ~np.uint64(0) << np.minimum(unused, 63), 0).astype(np.uint64)
    x = (words & used) | (ZEROS & ~used)
    digits = x - ZEROS
    fits = ((x + np.uint64(0x4646464646464646)) | digits) & np.uint64(0x8080808080808080) == 0
    x = digits * np.uint64(10) + (digits >> np.uint64(8))
    x &= np.uint64(0x00FF00FF00FF00FF)
    x = x * np.uint64(100) + (x >> np.uint64(16))
    x &= np.uint64(0x0000FFFF0000FFFF)
    x = x * np.uint64(10000) + (x >> np.uint64(32))
    return (x & np.uint64(0xFFFFFFFF)).astype(np.float64), fits


def decimal(number: bytes) -> float:
    """One number by itself; ValueError if it is none."""
    if b"_" in number or number != number.strip():
        raise ValueError("not a number")  # Python reads 1_000 as a number; no table means that
    return float(number)
