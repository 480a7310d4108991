"""A stream of random numbers on a card: ChaCha20 under a key of its own.

A key is for one block of words, fresh from the operating system. No block of the stream is used
twice: every draw takes the numbers of blocks that come next. A stream is never sent, copied or
kept.
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import Any, NoReturn

import numpy as np

from nomdeplume.devices import Card
from nomdeplume.errors import PrivacyError
from nomdeplume.noise.card.chacha import Drawn
from nomdeplume.privacy.random import keystream

Tensor = Any

LANES = 256  # blocks that are made together
KEY, AFTER = 32, 16  # bytes: of a key, and of what block numbers are added to


class Stream:
    """Draws of a key, as a NumPy generator has them, but as tensors on the card.

    The key is fresh from the operating system, and nobody knows it; tests give known ones.
    """

    def __init__(self, card: Card, key: bytes | None = None, *, after: bytes = bytes(16)) -> None:
        key = secrets.token_bytes(KEY) if key is None else key
        if (len(key), len(after)) != (KEY, AFTER):
            raise PrivacyError(f"a key has {KEY} bytes, and what follows it {AFTER}.")
        self._used = 0
        self._state = card.put(np.frombuffer(key + after, dtype="<i4"))
        self._drawn: Any = _drawn(card)

    def standard_normal(self, size: tuple[int, int]) -> Tensor:
        count = size[0] * size[1]
        start = self._take(-(-count // (8 * LANES)) * LANES)
        return self._drawn.normals(self._state, start, count, LANES).view(size)

    def random(self, size: int) -> Tensor:
        """Uniform numbers in (0, 1]."""
        start = self._take(-(-size // (8 * LANES)) * LANES)
        return self._drawn.uniforms(self._state, start, size, LANES)

    def gamma(self, shape: int, scale: float, size: int) -> Tensor:
        """Gamma numbers of a whole shape: sums of so many exponential ones, without rejection."""
        start = self._take(size * -(-shape // 8))
        return self._drawn.gammas(self._state, start, size, shape) * scale

    def keystream(self, blocks: int) -> bytes:
        """The next blocks themselves, to be held against the test vectors of the standard."""
        words = self._drawn.keystream(self._state, self._take(blocks), blocks)
        return bytes(words.cpu().numpy().astype("<u4").tobytes())

    def close(self) -> None:
        """Erase the key on the card, and draw no more."""
        self._state.zero_()
        self._used = 1 << 63

    def _take(self, blocks: int) -> int:
        start = self._used
        if start + blocks >= 1 << 62:
            raise PrivacyError("a stream that was closed, or is used up, must not be drawn from.")
        self._used += blocks
        return start

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse(self, *_: object) -> NoReturn:
        raise PrivacyError("a stream on a card must not be copied or pickled.")

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _refuse


@cache
def _drawn(card: Card) -> Any:
    """Who draws on a card: our kernels if they make the standard's blocks there, else torch."""
    if card.fused:
        from nomdeplume.noise.card.fused import FusedDrawn

        if _right(fused := FusedDrawn(card.torch), card):
            return fused
    if not _right(plain := Drawn(card.torch), card):
        raise PrivacyError("the card does not compute ChaCha20 right; take --device cpu.")
    return plain


def _right(drawn: Any, card: Card) -> bool:
    """Whether blocks are those of the processor, also where their number passes 32 bits."""
    state = card.put(np.frombuffer(bytes(range(KEY)) + bytes(AFTER), dtype="<i4"))
    for start in (0, 2**32 - 3):
        found = drawn.keystream(state, start, 9).cpu().numpy().astype("<u4").tobytes()
        if found != keystream(bytes(range(KEY)), 9, counter=start):
            return False
    return True
