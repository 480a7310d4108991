"""Words and vectors as a reader finds them, gathered in little more memory than they need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.packed import Packed
from nomdeplume.table.table import Table

Rows = NDArray[np.float32]


class Gathering:
    """A table that grows by blocks; `place` tells what its entries are called in messages.

    Blocks are copied into one array of the size that is `expected`, or one that grows in
    place by tenths: there is never a second copy of the vectors.
    """

    def __init__(self, name: str, dimensions: int, place: str, expected: int = 0) -> None:
        self._name, self._place = name, place
        self._vectors = np.empty((0, dimensions), dtype=np.float32)
        self._expected = expected
        self._words = bytearray()
        self._numbers: list[NDArray[np.int64]] = []
        self._size = 0
        self.left_out = 0

    def __len__(self) -> int:
        return self._size

    def add(self, words: Sequence[bytes], vectors: Rows, numbers: NDArray[np.int64]) -> None:
        """Add entries: their words in UTF-8, their vectors, and their numbers in the file."""
        if not words:
            return
        size = self._size + len(words)
        if size > len(self._vectors):
            rows = max(size, int(1.1 * len(self._vectors)), self._expected)
            self._grow(rows)
        self._vectors[self._size : size] = vectors
        self._words += b"\n".join(words) + b"\n"
        self._numbers.append(numbers)
        self._size = size

    def table(self, language: str) -> Table:
        """All of it as a table; what is wrong with an entry is told by its number."""
        if not self._size:
            raise TableError(f"{self._name}: expected at least one word, got none.")
        self._grow(self._size)
        joined = np.frombuffer(self._words, dtype=np.uint8)[:-1]
        joined.flags.writeable = False
        words = Packed(joined, self._size)
        try:
            return Table.owning(words, self._vectors, stem(self._name), language, self.left_out)
        except TableError as error:
            raise TableError(self._fault(words) or f"{self._name}: {error}") from None

    def _grow(self, rows: int) -> None:
        """Room for as many rows; the first time it is not written to, so it is not there yet."""
        if not len(self._vectors):
            self._vectors = np.empty((rows, self._vectors.shape[1]), dtype=np.float32)
        else:
            self._vectors.resize((rows, self._vectors.shape[1]), refcheck=False)

    def _fault(self, words: Packed) -> str:
        """Which entry is no part of a table, and why."""
        numbers = np.concatenate(self._numbers)
        broken = np.flatnonzero(~np.isfinite(self._vectors).all(axis=1))
        if len(broken):
            where = numbers[broken[0]]
            return f"{self._name}, {self._place} {where}: expected finite numbers, got NaN or inf."
        ordered = sorted((word, number) for word, number in zip(words, numbers, strict=True))
        again = [(x[1], y[1]) for x, y in pairwise(ordered) if x[0] == y[0]]
        if not again:
            return ""
        first, second = min(again, key=lambda pair: pair[1])
        return (
            f"{self._name}, {self._place} {second}: expected a new word, "
            f"got the one of {self._place} {first} again."
        )


def stem(name: str) -> str:
    """A file's name without what tells its kind."""
    for suffix in (".gz", ".txt", ".vec", ".bin", ".npy", ".npz", ".safetensors"):
        name = name.removesuffix(suffix)
    return name or "unnamed"
