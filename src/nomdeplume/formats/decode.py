"""Bytes → text, in whichever of the usual encodings they are; binary is refused."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from nomdeplume.errors import Unreadable

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
BROKEN = (OSError, EOFError, zlib.error)  # what reading a broken packed file raises
BINARY = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF-": "a PDF; convert it to text first",
    b"PK\x03\x04": "a ZIP archive or an office document; save it as text first",
    b"\xd0\xcf\x11\xe0": "an office document; save it as text first",
    b"{\\rtf": "an RTF document; save it as text first",
    b"SQLite format 3": "a database",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    ZSTD: "compressed data",
    b"BZh": "bzip2; unpack it first",
    b"\xfd7zXZ": "xz; unpack it first",
    b"\x80\x04\x95": "a Python pickle",
    b"\x7fELF": "a program",
    GZIP: "compressed data within compressed data",
}
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
_BINARY, _MARKS = tuple(BINARY), tuple(MARKS)
LOOKED_AT = 1 << 16  # bytes that decide what a file is


@dataclass(frozen=True)
class Decoded:
    """A text, and a remark where its encoding had to be guessed."""

    text: str
    remark: str = ""


def decode(data: bytes) -> Decoded:
    """The text that `data` holds: Unicode if it is that, else Latin-1, which is said.

    NUL bytes count as spaces. More than a few control characters mean binary.
    """
    if kind := binary(data):
        raise Unreadable(f"expected text, got {kind}.")
    if encoding := marked(data):
        return Decoded(_strict(data, encoding).replace("\0", " "))
    if wide := unmarked_utf16(data):
        return Decoded(_strict(data, wide).replace("\0", " "), "read as UTF-16")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if _controls(data) > 0.02:
            raise Unreadable("expected text, got binary data.") from None
        return Decoded(_latin(data), "not UTF-8, read as Windows-1252 (Latin-1)")
    if _controls(data) > 0.3:
        raise Unreadable("expected text, got binary data.")
    return Decoded(text.replace("\0", " "))


def decode_line(data: bytes) -> Decoded:
    """The text of a line of a file that was found to be text."""
    try:
        return Decoded(data.decode("utf-8").removeprefix("\ufeff").replace("\0", " "))
    except UnicodeDecodeError:
        return Decoded(_latin(data), "not UTF-8, read as Windows-1252 (Latin-1)")


def binary(start: bytes) -> str:
    """What a file that begins so is, if it is known not to be text."""
    return _named(start, BINARY) if start.startswith(_BINARY) else ""


def marked(data: bytes) -> str:
    """The encoding that a byte-order mark at the start names, or nothing."""
    return _named(data, MARKS) if data.startswith(_MARKS) else ""


def _named(start: bytes, names: Mapping[bytes, str]) -> str:
    return next(name for mark, name in names.items() if start.startswith(mark))


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        name = encoding.removesuffix("-sig").upper()
        raise Unreadable(f"expected {name} as its first bytes say, got other bytes.") from None


def unmarked_utf16(data: bytes) -> str:
    """The byte order of UTF-16 without a mark: every second byte of most scripts' spaces is NUL."""
    part = data[:LOOKED_AT]
    if len(part) < 4 or len(data) % 2 or b"\0" not in part:
        return ""
    even, odd = part[::2].count(0), part[1::2].count(0)
    if max(even, odd) < 0.5 * len(part) / 2 or min(even, odd) > 0.05 * len(part) / 2:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _controls(data: bytes) -> float:
    """Share of bytes that no text needs."""
    part = data[:LOOKED_AT]
    return (len(part) - len(part.translate(None, CONTROLS))) / max(len(part), 1)


def _latin(data: bytes) -> str:
    """Latin-1 as people write it: with the quotes and dashes of Windows where that has any."""
    return data.replace(b"\0", b" ").decode("cp1252", "replace")
