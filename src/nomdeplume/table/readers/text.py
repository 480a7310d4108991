"""Tables in text: GloVe, and word2vec or fastText .vec, whose first line counts the words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.readers.decimals import decimal, decimals
from nomdeplume.table.readers.gather import Gathering
from nomdeplume.table.readers.unpack import Unpacked
from nomdeplume.table.table import Table

CHUNK = 1 << 20  # bytes parsed together, which bounds the memory beside the table
LINE = 1 << 20  # bytes beyond which a line without end is no line
ODD = b"\t\v\f\r"  # signs for which a line is looked at by itself

Header = tuple[int, int]  # words and dimensions
Parsed = tuple[list[bytes], NDArray[np.int64], NDArray[np.float32]]


def read_text(file: Unpacked, stated: Header | None, language: str) -> Table:
    """A word, then its numbers, on each line, after the line that states how many there are.

    Lines whose word holds spaces (GloVe 840B has some) are left out: no word of a text does.
    """
    name = file.path.name
    k = stated[1] if stated else _dimensions(file.peek(LINE), name)
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


def header(file: Unpacked) -> Header | None:
    """The words and dimensions that a first line states, if they can be true."""
    line, end, _ = file.peek(64).partition(b"\n")
    parts = line.split()
    if not end or len(parts) != 2 or not all(map(bytes.isdigit, parts)):
        return None
    words, dimensions = map(int, parts)
    least = words * 2 * (dimensions + 1)  # a sign and a space, for each word and number
    if not words or not dimensions or least > file.most or 2 * dimensions > 64 * LINE:
        raise TableError(
            f"{file.path.name}, line 1: states {words} words of {dimensions} dimensions, "
            f"which this file of {file.path.stat().st_size:,} bytes cannot hold."
        )
    return words, dimensions


def _dimensions(start: bytes, name: str) -> int:
    """How many numbers the first line has at its end: its word may hold spaces."""
    fields = start.partition(b"\n")[0].split()
    if not fields:
        raise TableError(f"{name}, line 1: expected a word and its numbers, got a line of nothing.")
    numbers = 0
    while numbers < len(fields) - 1 and is_number(fields[-1 - numbers]):
        numbers += 1
    if not numbers:
        hint = " (are they parted by spaces?)" if b"," in fields[-1] or b";" in fields[-1] else ""
        raise TableError(f"{name}, line 1: expected a word and its numbers, got no number{hint}.")
    return numbers


def _lines(file: Unpacked) -> Iterator[list[bytes]]:
    """Whole lines, as many at a time as CHUNK holds, without the blank ones at the end."""
    rest, blank = b"", 0
    while data := file.read(CHUNK):
        whole, line_feed, rest = (rest + data).rpartition(b"\n")
        if line_feed:
            lines = [b""] * blank + whole.split(b"\n")
            blank = _blank_at_the_end(lines)
            yield lines[: len(lines) - blank]
        if len(rest) > LINE:
            raise TableError(f"{file.path.name}: a line has no end within {LINE >> 20} MiB.")
    if rest.strip():
        yield [b""] * blank + [rest]


def _blank_at_the_end(lines: list[bytes]) -> int:
    count = 0
    while count < len(lines) and not lines[-1 - count].strip():
        count += 1
    return count


def _add(lines: list[bytes], gathering: Gathering, k: int, number: int, name: str) -> None:
    """Parse some lines together; one by one only to find out which is wrong, or has spaces."""
    try:
        words, numbers, vectors = _parsed([line.rstrip() for line in lines], k)
    except ValueError:
        words, numbers, vectors = _one_by_one(lines, k, number, name)
    gathering.left_out += len(lines) - len(words)
    gathering.add(words, vectors, numbers + number)


def _parsed(lines: list[bytes], k: int) -> Parsed:
    """Words, their lines counted from 0, and their vectors; ValueError if any line is odd."""
    parted = [line.partition(b" ") for line in lines]
    words = [word for word, _, _ in parted]
    rests = [rest for _, _, rest in parted]
    joined = b"\n".join(words)
    if not all(words) or any(rest.count(b" ") != k - 1 for rest in rests):
        raise ValueError("a line is odd")
    if len(joined.translate(None, ODD)) < len(joined):
        raise ValueError("a word is odd")
    joined.decode("utf-8")
    return words, np.arange(len(lines)), decimals(b" ".join(rests)).reshape(len(lines), k)


def _one_by_one(lines: list[bytes], k: int, number: int, name: str) -> Parsed:
    words, numbers, kept = [], [], []
    for i, line in enumerate(lines):
        word, vector = _entry(line, k, f"{name}, line {number + i}")
        if b" " not in word:
            words.append(word)
            numbers.append(i)
            kept.append(vector)
    vectors = np.array(kept, dtype=np.float32).reshape(-1, k)
    return words, np.array(numbers, dtype=np.int64), vectors


def _entry(line: bytes, k: int, place: str) -> tuple[bytes, NDArray[np.float32]]:
    """A word and its numbers, whatever white space is between them."""
    fields = line.split()
    expected = f"{place}: expected a word and {k} numbers"
    if len(fields) <= k or line[:1].isspace():
        found = sum(map(is_number, fields))
        raise TableError(f"{expected}, got {found}{' and no word' * (found == len(fields))}.")
    word, numbers = b" ".join(fields[:-k]), fields[-k:]
    try:
        vector = decimals(b" ".join(numbers))
    except ValueError:
        raise TableError(f"{expected}, got something else among them.") from None
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        raise TableError(f"{place}: expected UTF-8, got other bytes.") from None
    if len(fields) > k + 1 and is_number(fields[-k - 1]):
        raise TableError(f"{expected}, got {len(fields) - 1}.")
    return word, vector


def is_number(text: bytes) -> bool:
    """Whether a text is one number as tables write it."""
    try:
        decimal(text)
    except ValueError:
        return False
    return True
