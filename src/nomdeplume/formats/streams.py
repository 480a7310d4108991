"""Bytes in and out, packed or not: gzip by the standard library, zstd by pyarrow."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.decode import BROKEN, GZIP, ZSTD, marked, unmarked_utf16

RATIO = 200  # texts shrink to a third, logs to a fiftieth; what shrinks to less is no text
FREE = 1 << 20  # packed bytes that may unpack to RATIO times as many before anyone looks
LONGEST = 1 << 29  # bytes of one line, and of one row


def unpacked(file: io.BufferedReader[Any], name: str) -> io.BufferedReader[Any]:
    """The content of a file, unpacked as its first bytes ask for."""
    start = file.peek(4)[:4]
    if start[:2] == GZIP:
        return io.BufferedReader(_Guarded(gzip.GzipFile(fileobj=file).read1, name, file))
    if start == ZSTD:
        pa = arrow()
        stream = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
        return io.BufferedReader(_Guarded(stream.read, name, file), 1 << 16)
    return file


class Damaged(InputError):
    """A file that ends early or contradicts itself."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{path} is damaged or cut short; make it again.")


@contextmanager
def unnamed(name: str) -> Iterator[None]:
    """Failures of a file are told under `name`; the system would tell its own."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or 'it cannot be read'}.") from None


class _Guarded(io.RawIOBase):
    """A reader whose failures are told as what they mean: the packed file is broken.

    One that unpacks to far more than texts do is refused before it fills the memory.
    """

    def __init__(
        self, read: Callable[[int], bytes], name: str, packed: io.BufferedReader[Any]
    ) -> None:
        self._read, self._name, self._packed = read, name, packed
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            data = self._read(len(buffer))
        except BROKEN:
            raise Damaged(self._name) from None
        self._count += len(data)
        if self._packed.seekable() and self._count > RATIO * (self._packed.tell() + FREE):
            raise InputError(
                f"{self._name} unpacks to more than {RATIO} times its size, which hardly a text "
                "does; unpack it first."
            )
        buffer[: len(data)] = data
        return len(data)


def lines(file: io.BufferedReader[Any], name: str) -> Iterator[bytes]:
    """Lines in UTF-8 or what else has ASCII in it, whatever the file begins with and ends them by.

    A line ends with a line feed, or, in a file that has none, with a carriage return.
    """
    start = file.peek(1 << 16)
    encoding = marked(start[:4]) or unmarked_utf16(start[: len(start) // 2 * 2])
    if encoding.startswith(("utf-16", "utf-32")):
        yield from _transcoded(file, encoding, name)
    elif b"\r" in start and b"\n" not in start:
        with io.TextIOWrapper(file, "latin-1", newline="\r") as text:
            yield from (line.encode("latin-1").replace(b"\r", b"\n") for line in text)
    else:
        number = 0
        while line := file.readline(LONGEST):
            number += 1
            if len(line) == LONGEST and not line.endswith(b"\n"):
                raise InputError(f"{name}, line {number}: longer than {LONGEST >> 20} MiB.")
            yield line


def _transcoded(file: io.BufferedReader[Any], encoding: str, name: str) -> Iterator[bytes]:
    try:
        with io.TextIOWrapper(file, encoding, newline="\n") as text:
            yield from (line.encode("utf-8", "replace") for line in text)
    except UnicodeError:
        raise InputError(f"{name} must be {encoding.upper()} as its first bytes say.") from None


def packer(packing: str, put: Callable[[bytes], object]) -> Any:
    """A file that packs what is written to it and puts the result; none without packing."""
    if packing == "gzip":
        return gzip.GzipFile("", "wb", fileobj=_Tee(put), mtime=0)
    if packing == "zstd":
        pa = arrow()
        return pa.CompressedOutputStream(pa.PythonFile(_Tee(put), "w"), "zstd")
    return None


class _Tee(io.RawIOBase):
    """The little of a file that is written to."""

    def __init__(self, put: Callable[[bytes], object]) -> None:
        self._put = put

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._put(bytes(data))
        return len(data)
