"""Words as bytes: what a list of strings would need ten times the memory for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError

PIECE = 1 << 16  # bytes
SMALL = 1 << 16  # words, that are kept as strings
SPACES = frozenset(" \n")


def usable(word: object) -> bool:
    """Whether a table can hold `word`: a string in Unicode, not empty, without spaces."""
    if not isinstance(word, str) or not word or SPACES & set(word):
        return False
    return word.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in word)


@dataclass(frozen=True, eq=False)
class Packed(Sequence[str]):
    """Words in UTF-8, joined by line feeds, in memory or in a file; decoded when asked for."""

    joined: NDArray[np.uint8]
    size: int

    @classmethod
    def of(cls, words: Sequence[str]) -> Packed:
        if isinstance(words, Packed):
            return words
        return cls(np.frombuffer("\n".join(words).encode(), dtype=np.uint8), len(words))

    def __len__(self) -> int:
        return self.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(x == y for x, y in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[str, ...]: ...
    def __getitem__(self, i: int | slice) -> str | tuple[str, ...]:
        return self._words[i]

    def __iter__(self) -> Iterator[str]:
        """Every word in turn; those of a small table are decoded once."""
        return iter(self._words) if self.size <= SMALL else self._decoded()

    def _decoded(self) -> Iterator[str]:
        """Some thousand decoded together."""
        data, start = self._data, 0
        while start <= len(data):
            end = data.find(b"\n", start + PIECE)
            end = len(data) if end < 0 else end
            yield from _decoded(data[start:end]).split("\n")
            start = end + 1

    @property
    def usable(self) -> bool:
        """Whether a table can hold every word: seen on all at once, as they are stored."""
        framed = b"\n" + self._data + b"\n"  # an empty word is between two line feeds
        return b"\n\n" not in framed and b" " not in framed

    @property
    def _data(self) -> bytes:
        data = self.joined.tobytes()
        if (found := data.count(b"\n") + 1) != self.size:
            raise TableError(f"the file must hold {self.size} words, got {found}.")
        return data

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return tuple(self._decoded())


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise TableError("words must be UTF-8; the file is damaged.") from None


def repeated(words: Sequence[str]) -> bool:
    """Whether a word occurs twice; by their hashes, which need little memory, unless two agree."""
    hashes = np.fromiter(map(hash, words), dtype=np.int64, count=len(words))
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any()) and len(set(words)) < len(words)
