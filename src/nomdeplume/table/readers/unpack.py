"""A file's bytes in a stream, unpacked if it is gzipped, and never without bound."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from nomdeplume.errors import TableError

GZIP = b"\x1f\x8b"
RATIO = 100  # tables shrink to a third; what shrinks to a hundredth is no table
FREE = 1 << 20  # packed bytes that may unpack to RATIO times as many before anyone looks


class Unpacked:
    """The content of a file; one that unpacks to more than RATIO times its size is refused."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] = path.open("rb")
        self.packed = self._file.read(2) == GZIP
        self._file.seek(0)
        self._content: IO[bytes] | gzip.GzipFile = (
            gzip.GzipFile(fileobj=self._file) if self.packed else self._file
        )
        self._ahead = b""
        self._count = 0

    def __enter__(self) -> Self:
        try:
            if self.peek(3) == BOM_UTF8:  # as editors on Windows begin a text
                self.read(3)
        except TableError:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def most(self) -> int:
        """Bytes that the content can have at most."""
        return self.path.stat().st_size * (RATIO if self.packed else 1) + (FREE * self.packed)

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay unread."""
        self._ahead += self._read(max(0, size - len(self._ahead)))
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data + self._read(size - len(data)) if len(data) < size else data

    def _read(self, size: int) -> bytes:
        try:
            data = self._content.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise TableError(f"{self.path} is damaged or cut short; fetch it again.") from None
        self._count += len(data)
        if self.packed and self._count > RATIO * (self._file.tell() + FREE):
            raise TableError(
                f"{self.path} unpacks to more than {RATIO} times its size, which no table does."
            )
        return data
