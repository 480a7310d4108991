"""Tables in word2vec's binary form: a header line, then each word and its float32 numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.readers.gather import Gathering
from nomdeplume.table.readers.unpack import Unpacked
from nomdeplume.table.table import Table

CHUNK = 1 << 20  # bytes looked at together
WORD = 1 << 12  # bytes that a word may have


def read_binary(file: Unpacked, stated: tuple[int, int], language: str) -> Table:
    """Words that are cut within a letter, as word2vec cuts long ones, are left out."""
    size, k = stated
    name = file.path.name
    if size * (4 * k + 1) > file.most:
        raise TableError(
            f"{name}: the header states {size} words of {k} dimensions, "
            f"which this file of {file.path.stat().st_size:,} bytes cannot hold."
        )
    gathering = Gathering(name, k, "word", 0 if file.packed else size)
    file.read(file.peek(64).index(b"\n") + 1)
    data, done = b"", 0
    while done < size:
        data += file.read(max(CHUNK, 4 * k + WORD))
        words, spans, end = _entries(data, 4 * k, size - done)
        if not words:
            raise TableError(_cut(name, size, done, data))
        vectors = np.frombuffer(b"".join(data[i : i + 4 * k] for i in spans), "<f4")
        add_whole(gathering, words, vectors.reshape(-1, k), done)
        done, data = done + len(words), data[end:]
    if data.strip() or file.read(64).strip():
        raise TableError(f"{name}: the header states {size} words, but the file goes on.")
    return gathering.table(language)


def _entries(data: bytes, width: int, most: int) -> tuple[list[bytes], list[int], int]:
    """The words that are whole in `data`, where their numbers begin, and where they end."""
    words: list[bytes] = []
    spans: list[int] = []
    end = 0
    while len(words) < most:
        space = data.find(b" ", end, end + WORD)
        if space < 0 or space + 1 + width > len(data):
            break
        words.append(data[end:space].lstrip(b"\r\n"))
        spans.append(space + 1)
        end = space + 1 + width
    return words, spans, end


def add_whole(
    gathering: Gathering, words: list[bytes], vectors: NDArray[np.float32], done: int
) -> None:
    """Add the entries whose words are whole, after `done` others."""
    whole = np.array([_is_whole(word) for word in words])
    gathering.left_out += int((~whole).sum())
    kept = [word for word, keep in zip(words, whole, strict=True) if keep]
    gathering.add(kept, vectors[whole], np.flatnonzero(whole) + done + 1)


def _is_whole(word: bytes) -> bool:
    """Whether bytes are a word in UTF-8."""
    if len(word) > WORD:
        return False
    if word.isalnum():  # of ASCII, as nearly all are
        return True
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(word) and b"\n" not in word


def _cut(name: str, size: int, done: int, data: bytes) -> str:
    if b" " not in data[:WORD] and len(data) >= WORD:
        return f"{name}, word {done + 1}: expected a word and its numbers, got neither."
    return f"{name}: the header states {size} words, the file ends in word {done + 1}."
