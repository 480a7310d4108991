"""Tables out of the files that they are published in."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nomdeplume.errors import TableError
from nomdeplume.table.readers.unpack import RATIO
from nomdeplume.table.shelf.sources import Source
from nomdeplume.table.table import Table

CHUNK = 1 << 20
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    RuntimeError,
    OSError,
    OverflowError,
)


def open_published(file: Path, source: Source, bench: Path) -> Table:
    """The table of `source` in its file; what has to be unpacked goes to the folder `bench`.

    It is given the name of its source and the fingerprint it has, which copies nothing.
    """
    path = _unzipped(file, source.member, bench) if source.member else file
    table = Table.open(path, language=source.language)
    if table.dimensions != source.dimensions:
        raise TableError(
            f"{source.name} must have {source.dimensions} dimensions, got {table.dimensions}."
        )
    return replace(table, name=source.name, seal=table.fingerprint)


def _unzipped(file: Path, member: str, folder: Path) -> Path:
    """One member of a zip, in a file of its own."""
    target = folder / member
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGED:
        raise TableError(f"{file.name} must be a zip, got something else or a part.") from None
    with archive, target.open("wb") as unpacked:
        entry = _entry(archive, file.name, member)
        unpacked.writelines(_pieces(archive, entry, file.name))
    if target.stat().st_size != entry.file_size:
        raise TableError(f"{member} must have the {entry.file_size:,} bytes that the zip states.")
    return target


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    """What a member unpacks to, no more than is stated; the CRC is checked at its end."""
    try:
        with archive.open(entry) as packed:
            while piece := packed.read(CHUNK):
                yield piece
    except DAMAGED:
        raise TableError(f"{name} is damaged or cut short.") from None


def _entry(archive: zipfile.ZipFile, name: str, member: str) -> zipfile.ZipInfo:
    """What the zip states of a member, if it can be a table."""
    if member not in archive.namelist():
        raise TableError(f"{name} must hold {member}, got {len(archive.namelist())} other files.")
    entry = archive.getinfo(member)
    if entry.flag_bits & 1:
        raise TableError(f"{member} must not be encrypted.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise TableError(f"{member} must be stored or deflated, got another compression.")
    if entry.file_size > RATIO * entry.compress_size:
        raise TableError(
            f"{member} must unpack to at most {RATIO} times its {entry.compress_size:,} bytes, "
            f"got {entry.file_size:,}."
        )
    return entry
