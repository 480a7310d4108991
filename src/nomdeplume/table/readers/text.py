"""Tables in text: GloVe, and word2vec or fastText .vec, whose first line counts the words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.readers.decimals import decimals
from nomdeplume.table.readers.gather import Gathering
from nomdeplume.table.readers.unpack import Unpacked
from nomdeplume.table.table import Table

CHUNK = 1 << 20  # bytes parsed together, which bounds the memory beside the table
LINE = 1 << 20  # bytes that a line may have


def read_text(file: Unpacked, language: str) -> Table:
    """A word, then its numbers, on each line; a first line of two whole numbers is a header.

    Lines whose word holds spaces (GloVe 840B has some) are left out: no word of a text does.
    """
    name = file.path.name
    first = file.peek(LINE).partition(b"\n")[0].split()
    if not first:
        raise TableError(f"{name}: expected a word and its numbers on each line, got no line.")
    stated = header(file)
    k = stated[1] if stated else len(first) - 1
    if k < 1:
        raise TableError(f"{name}, line 1: expected a word and its numbers, got no number.")
    gathering = Gathering(name, k, "line")
    number = 1
    for lines in _lines(file):
        skipped = int(number == 1 and stated is not None)
        _add(lines[skipped:], gathering, k, number + skipped, name)
        number += len(lines)
    found = len(gathering) + gathering.left_out
    if stated and stated[0] != found:
        raise TableError(f"{name}: the first line states {stated[0]} words, got {found}.")
    return gathering.table(language)


def header(file: Unpacked) -> tuple[int, int] | None:
    """The words and dimensions that a first line states, if they can be true."""
    line = file.peek(64).partition(b"\n")[0].split()
    if len(line) != 2 or not all(map(bytes.isdigit, line)):
        return None
    words, dimensions = map(int, line)
    least = words * 2 * (dimensions + 1)  # a sign and a space, for each word and number
    if not words or not dimensions or least > file.most:
        raise TableError(
            f"{file.path.name}, line 1: states {words} words of {dimensions} dimensions, "
            f"which this file of {file.path.stat().st_size:,} bytes cannot hold."
        )
    return words, dimensions


def _lines(file: Unpacked) -> Iterator[list[bytes]]:
    """Whole lines, as many at a time as CHUNK holds; the last one may lack its line feed."""
    rest = b""
    while data := file.read(CHUNK):
        whole, line_feed, rest = (rest + data).rpartition(b"\n")
        if line_feed:
            yield whole.split(b"\n")
        if len(rest) > LINE:
            raise TableError(
                f"{file.path.name}: expected lines of at most {LINE:,} bytes, got a longer one."
            )
    if rest:
        yield [rest]


def _add(lines: list[bytes], gathering: Gathering, k: int, number: int, name: str) -> None:
    """Parse some lines together; one by one only to find out which is wrong, or has spaces."""
    try:
        words, numbers, vectors = _parsed([line.rstrip() for line in lines], k)
    except ValueError:
        words, numbers, vectors = _one_by_one(lines, k, number, name)
    gathering.left_out += len(lines) - len(words)
    gathering.add(words, vectors, numbers + number)


Parsed = tuple[list[bytes], NDArray[np.int64], NDArray[np.float32]]


def _parsed(lines: list[bytes], k: int) -> Parsed:
    """Words, their lines counted from 0, and their vectors; ValueError if any line is odd."""
    parted = [line.partition(b" ") for line in lines]
    words = [word for word, _, _ in parted]
    rests = [rest for _, _, rest in parted]
    if not all(words) or any(rest.count(b" ") != k - 1 for rest in rests):
        raise ValueError("a line is odd")
    b"\n".join(words).decode("utf-8")
    return words, np.arange(len(lines)), decimals(b" ".join(rests)).reshape(len(lines), k)


def _one_by_one(lines: list[bytes], k: int, number: int, name: str) -> Parsed:
    words, numbers, kept = [], [], []
    for i, line in enumerate(lines):
        word, vector = _entry(line.replace(b"\t", b" ").rstrip(), k, f"{name}, line {number + i}")
        if b" " not in word:
            words.append(word)
            numbers.append(i)
            kept.append(vector)
    vectors = np.array(kept, dtype=np.float32).reshape(-1, k)
    return words, np.array(numbers, dtype=np.int64), vectors


def _entry(line: bytes, k: int, place: str) -> tuple[bytes, NDArray[np.float32]]:
    word, *numbers = line.rsplit(b" ", k)
    expected = f"{place}: expected a word and {k} numbers"
    if not word.strip() or len(numbers) != k:
        raise TableError(f"{expected}, got {len(numbers)}.")
    try:
        vector = decimals(b" ".join(numbers))
    except ValueError:
        raise TableError(f"{expected}, got something else among them.") from None
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        raise TableError(f"{place}: expected UTF-8, got other bytes.") from None
    if b" " in word and _is_number(word.rsplit(b" ", 1)[1]):
        raise TableError(f"{expected}, got {len(line.split(b' ')) - 1}.")
    return word, vector


def _is_number(text: bytes) -> bool:
    try:
        return len(decimals(text)) == 1
    except ValueError:
        return False
