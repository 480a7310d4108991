"""Tables in files: the native form and GloVe text, told apart by content."""

from __future__ import annotations

import gzip
import warnings
import zlib
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table import native
from nomdeplume.table.table import Table

LINES = 20_000  # parsed together, which bounds the memory beside the table


def open_table(path: Path, *, language: str | None = None) -> Table:
    """The table in a file. `language` is what the words of a text file are in (`en`)."""
    if not path.is_file():
        raise TableError(f"the table must be a file, found none at {path}.")
    with path.open("rb") as file:
        start = file.read(9)
    if native.is_native(start):
        table = native.read(path)
        if language not in (None, table.language):
            raise TableError(
                f"{path} holds words of language {table.language}, asked was {language}."
            )
        return table
    opener = gzip.open if start[:2] == b"\x1f\x8b" else open
    try:
        with opener(path, "rb") as lines:
            return read_glove(lines, name=path.name, language=language or "en")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TableError(f"{path} is damaged or cut short; fetch it again.") from None


def read_glove(lines: IO[bytes] | gzip.GzipFile, *, name: str, language: str = "en") -> Table:
    """Read the GloVe text format: a word, then its numbers, on each line.

    A first line of two whole numbers is the header that word2vec writes: words, dimensions.
    """
    first = lines.readline()
    if not first:
        raise TableError(f"{name}: expected a word and its numbers on each line, got no line.")
    header = len(first.split()) == 2 and all(map(bytes.isdigit, first.split()))
    k = int(first.split()[1]) if header else len(first.rstrip().split(b" ")) - 1
    remaining = iter(lines) if header else chain([first], lines)
    words: list[str] = []
    blocks = [np.empty((0, k), dtype=np.float32)]
    for chunk in iter(lambda: list(islice(remaining, LINES)), []):
        new, vectors = _parse(chunk, k, name, len(words) + header)
        words += new
        blocks.append(vectors)
    if header and int(first.split()[0]) != len(words):
        stated = int(first.split()[0])
        raise TableError(f"{name}: the first line states {stated} words, got {len(words)}.")
    return Table(words, np.concatenate(blocks), Path(name).name.split(".txt")[0], language)


def _parse(
    chunk: list[bytes], k: int, name: str, before: int
) -> tuple[list[str], NDArray[np.float32]]:
    """Words and vectors of some lines: one bulk parse, and line by line only to place an error."""
    parted = [line.rstrip().partition(b" ") for line in chunk]
    try:
        if k > 0 and all(rest.count(b" ") == k - 1 for _, _, rest in parted):
            flat = _numbers(b" ".join(rest for _, _, rest in parted))
            return [word.decode("utf-8") for word, _, _ in parted], flat.reshape(-1, k)
    except ValueError:
        pass  # not a number, a number too few, or not UTF-8: the next line says where
    raise TableError(next(_faults(chunk, k, name, before)))


def _numbers(text: bytes) -> NDArray[np.float32]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy before 2.3 only warns
        try:
            return np.fromstring(text, dtype=np.float32, sep=" ")
        except DeprecationWarning:
            raise ValueError("not a number") from None


def _faults(chunk: list[bytes], k: int, name: str, before: int) -> Iterator[str]:
    for number, line in enumerate(chunk, start=before + 1):
        try:
            word, *numbers = line.rstrip().decode("utf-8").split(" ")
        except UnicodeDecodeError:
            yield f"{name}, line {number}: expected UTF-8, got other bytes."
            continue
        if not word or not numbers or len(numbers) != k:
            expected = f"a word and {max(k, 1)} numbers"
            yield f"{name}, line {number}: expected {expected}, got {len(numbers)}."
        try:
            [float(n) for n in numbers]
        except ValueError:
            yield f"{name}, line {number}: expected {k} numbers, got something else among them."
    yield f"{name}: expected a word and {k} numbers on each line."
