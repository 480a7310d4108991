"""Tables in fastText's binary models: a word's vector is the mean of its own and its n-grams'.

Only the words of the model's dictionary become part of the table. fastText could
make a vector for any other string; a table of all strings is no vocabulary.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.readers.binary import WORD, add_whole
from nomdeplume.table.readers.gather import Gathering
from nomdeplume.table.readers.unpack import Unpacked
from nomdeplume.table.table import Ids, Table

MAGIC = struct.pack("<i", 793712314)
VERSIONS = (11, 12)
SUPERVISED = 3
LONGEST = 64  # letters of an n-gram; models have 6 or so, and a word has as many of each length
WORDS = 1000  # whose n-grams are hashed together
STEP = 50  # whose vectors are gathered together
END_OF_TEXT = b"</s>"  # the one word without n-grams
OFFSET, PRIME = np.uint32(2166136261), np.uint32(16777619)  # of the FNV-1a hash
QUANTISED = "{} is a quantised model (.ftz), which keeps no exact vectors; use the .bin or .vec."


@dataclass(frozen=True)
class Model:
    """What of a fastText model makes the vectors of its words."""

    words: list[bytes]
    vectors: Any  # (words + buckets, k), a memmap of the file
    shortest: int  # n-gram, in letters
    longest: int
    buckets: int

    def blocks(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The vectors of the words, some at a time, each block with its first word's number."""
        for start in range(0, len(self.words), WORDS):
            block = self.words[start : start + WORDS]
            own = np.arange(len(block))
            owners, found = ngrams(block, self.shortest, self.longest if self.buckets else 0)
            rows = np.concatenate((own + start, found % max(self.buckets, 1) + len(self.words)))
            owners = np.concatenate((own, owners))
            rows = rows[np.argsort(owners, kind="stable")]
            counts = np.bincount(owners)
            firsts = np.append(0, np.cumsum(counts))
            yield (
                start,
                np.concatenate(
                    [
                        self._means(rows, firsts[i : i + STEP + 1])
                        for i in range(0, len(block), STEP)
                    ]
                ),
            )

    def _means(self, rows: Ids, firsts: Ids) -> NDArray[np.float32]:
        """The mean of each run of rows; the pages that they are on are given back at once."""
        gathered = self.vectors[rows[firsts[0] : firsts[-1]]]
        if hasattr(mmap, "MADV_DONTNEED"):
            self.vectors._mmap.madvise(mmap.MADV_DONTNEED)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused later
            sums = np.add.reduceat(gathered, firsts[:-1] - firsts[0], axis=0)
            return np.divide(sums, np.diff(firsts)[:, None], dtype=np.float32)


def read_fasttext(file: Unpacked, language: str) -> Table:
    """The table of a .bin model; a gzipped one is unpacked into a temporary file first."""
    name = file.path.name
    with _seekable(file) as raw:
        try:
            model = _model(raw, name)
        except (struct.error, EOFError):
            raise TableError(f"{name} is damaged or cut short; fetch it again.") from None
        gathering = Gathering(name, model.vectors.shape[1], "word", len(model.words))
        for start, vectors in model.blocks():
            add_whole(gathering, model.words[start : start + WORDS], vectors, start)
    return gathering.table(language)


def ngrams(words: list[bytes], shortest: int, longest: int) -> tuple[Ids, Ids]:
    """The n-grams of all words: whose each is, and its hash.

    All starts at all words go on together, one letter at a time, and their hashes with
    them. The hash is fastText's: FNV-1a over signed bytes of the word between < and >.
    """
    plain = [b"" if word == END_OF_TEXT or len(word) > WORD else word for word in words]
    marked = [b"<" + word + b">" if word else b"" for word in plain]
    lengths = np.array([len(word) for word in marked])
    text = np.frombuffer(b"".join(marked) + b"\0", dtype=np.int8)
    follows = (text.view(np.uint8) & 0xC0) == 0x80  # bytes within a letter
    owners = np.repeat(np.arange(len(words)), lengths)
    ends = np.cumsum(lengths)
    at = np.flatnonzero(~follows[:-1])
    first = np.isin(at, ends - lengths)
    owner = owners[at]
    hashes = np.full(len(at), OFFSET)
    empty = np.empty(0, dtype=np.int64)
    found: list[tuple[Ids, Ids]] = [(empty, empty)]
    for n in range(1, longest + 1):
        if not len(at):
            break
        hashes, at = _hashed(hashes, text[at]), at + 1
        while (more := follows[at]).any():
            hashes[more] = _hashed(hashes[more], text[at[more]])
            at = at + more
        inside = at < ends[owner]
        if n >= shortest:
            whole = ~first & inside if n == 1 else np.ones(len(at), dtype=bool)
            found.append((owner[whole], hashes[whole].astype(np.int64)))
        owner, hashes, at, first = owner[inside], hashes[inside], at[inside], first[inside]
    whose, which = zip(*found, strict=True)
    return np.concatenate(whose), np.concatenate(which)


def _hashed(hashes: NDArray[np.uint32], signs: NDArray[np.int8]) -> NDArray[np.uint32]:
    return (hashes ^ signs.astype(np.int32).view(np.uint32)) * PRIME


def _seekable(file: Unpacked) -> IO[bytes]:
    if not file.packed:
        return file.path.open("rb")
    raw = tempfile.TemporaryFile()  # noqa: SIM115
    while data := file.read(1 << 20):
        raw.write(data)
    raw.flush()
    return raw


def _model(raw: IO[bytes], name: str) -> Model:
    with mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _, version, k, *_, kind, buckets, shortest, longest, _ = struct.unpack_from("<14i", data)
        if version not in VERSIONS:
            raise TableError(f"{name} must be a fastText model of version 12, got {version}.")
        entries, words, _, _, pruned = struct.unpack_from("<3i2q", data, 64)
        if not 0 < words <= entries or buckets < 0 or k < 1 or longest > LONGEST:
            raise EOFError("the header cannot be true")
        if pruned >= 0:
            raise TableError(QUANTISED.format(name))
        found, end = _dictionary(data, 64 + 28, entries)
        quantised, rows, columns = struct.unpack_from("<?2q", data, end)
        if quantised:
            raise TableError(QUANTISED.format(name))
        if columns != k or rows < words + buckets or end + 17 + 4 * rows * columns > len(data):
            raise EOFError("the file is too short for its vectors")
    vectors = np.memmap(raw, "<f4", "r", offset=end + 17, shape=(rows, columns))
    old = version == 11 and kind == SUPERVISED  # such models had no n-grams
    return Model(found[:words], vectors, shortest, 0 if old else longest, buckets)


def _dictionary(data: mmap.mmap, start: int, entries: int) -> tuple[list[bytes], int]:
    """Words, then labels, each with a count and a kind behind it, and where the list ends."""
    found = []
    for _ in range(entries):
        end = data.find(b"\0", start)
        if end < 0:
            raise EOFError("the file ends in its dictionary")
        found.append(data[start:end])
        start = end + 10
    return found, start
