"""Permanent draws: tickets that follow from a secret key, so that a release can be repeated."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from itertools import count

WORD = 8  # bytes


def ticket(seed: bytes, below: int) -> int:
    """A ticket from 0 to below − 1, the same whenever the seed is.

    Tickets of different secret seeds cannot be told from independent uniform ones, as long as
    HMAC-SHA-256 cannot be told from a random function.
    """
    return uniform(words(seed), below, size=1 << (8 * WORD))


def uniform(numbers: Iterable[int], below: int, *, size: int) -> int:
    """A uniform number from 0 to below − 1 by rejection, from uniform ones below `size`."""
    most = size - size % below  # the largest multiple of `below`
    return next(number for number in numbers if number < most) % below


def words(seed: bytes) -> Iterator[int]:
    """Numbers of 64 bits: HMAC-SHA-256 of 0, 1, 2 … under the seed."""
    for counter in count():
        block = hmac.digest(seed, counter.to_bytes(WORD, "big"), "sha256")
        for start in range(0, len(block), WORD):
            yield int.from_bytes(block[start : start + WORD], "big")
