"""Where texts come from: one record at a time, so that memory does not grow with their number.

What cannot be read is a `Withheld`, known by its place and never by its content.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal

from nomdeplume.errors import InputError, Unreadable
from nomdeplume.formats.decode import decode

Kind = Literal["text", "folder", "jsonl"]

JSONL = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Record:
    """A text to be released, and the fields that are released beside it as they are."""

    place: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""


@dataclass(frozen=True)
class Withheld:
    """A document that could not be read."""

    place: str
    reason: str


@dataclass(frozen=True)
class Fields:
    """Which fields of a JSONL record are the text, the id, and kept as they are."""

    text: str = "text"
    id: str = "id"
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.text in (self.id, *self.keep):
            raise InputError(
                f"field {self.text!r} is the private text; it cannot be kept or be the id."
            )
        if "text" in (self.id, *self.keep):
            raise InputError("field 'text' of the output holds the released words; keep another.")


@dataclass(frozen=True)
class Inputs:
    """All texts of a run: their kind, the records in order, and how far the reading is."""

    kind: Kind
    records: Iterator[Record | Withheld]
    meter: Meter
    total: int | None = None  # bytes; None for a pipe


class Meter:
    """Counts the bytes that have been read."""

    bytes = 0


class _Metered(io.FileIO):
    """A file that tells a meter what is read from it."""

    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path, "rb")
        self._meter = meter

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer) or 0
        self._meter.bytes += count
        return count


def open_inputs(names: Sequence[str], fields: Fields, stdin: IO[bytes] | None = None) -> Inputs:
    """The texts named: files, folders of files, JSONL, or `-` for standard input."""
    if "-" in names:
        if len(names) > 1:
            raise InputError("'-' (standard input) must be the only input.")
        return _standard_input(stdin or sys.stdin.buffer, fields)
    paths = [Path(name) for name in names]
    for path in paths:
        if not path.exists():
            raise InputError(f"no file or folder at {path}.")
    jsonl = [path for path in paths if is_jsonl(path)]
    if jsonl and len(jsonl) < len(paths):
        raise InputError("inputs must be all JSONL or all text; run them separately.")
    if not jsonl:
        return _texts(paths, fields)
    meter = Meter()
    total = sum(path.stat().st_size for path in paths)
    return Inputs("jsonl", _jsonl_files(paths, fields, meter), meter, total)


def is_jsonl(path: Path) -> bool:
    return path.name.lower().endswith(JSONL) and not path.is_dir()


def _texts(paths: list[Path], fields: Fields) -> Inputs:
    files = [pair for path in paths for pair in _files(path)]
    if not files:
        raise InputError("the folder holds no files.")
    names = [name for name, _ in files]
    if len(set(names)) < len(names):
        raise InputError("two inputs have the same name; rename one or put them into one folder.")
    one = len(files) == 1 and not paths[0].is_dir()
    places = [str(paths[0])] if one else [f"document {i + 1}" for i in range(len(files))]
    meter = Meter()

    def records() -> Iterator[Record | Withheld]:
        for place, (name, path) in zip(places, files, strict=True):
            try:
                with _Metered(path, meter) as file:
                    yield _text(place, io.BufferedReader(file).read(), {fields.id: name})
            except Unreadable as error:
                yield Withheld(place, str(error))
            except OSError as error:
                yield Withheld(place, f"{error.strerror}.")

    total = sum(path.stat().st_size for _, path in files)
    return Inputs("text" if one else "folder", records(), meter, total)


def _files(path: Path) -> list[tuple[str, Path]]:
    """A file, or the files of a folder in order of name, each with its released name."""
    if not path.is_dir():
        return [(path.name, path)]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        visible = (Path(folder) / name for name in sorted(names) if not name.startswith("."))
        found += [each for each in visible if each.is_file()]
    if any(map(is_jsonl, found)):
        raise InputError(
            "the folder holds JSONL files; name them themselves instead of the folder."
        )
    return [(each.relative_to(path).as_posix(), each) for each in found]


def _text(place: str, data: bytes, fields: Mapping[str, Any]) -> Record:
    if data.startswith(GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise Unreadable("expected gzip as its first bytes say, got damaged data.") from None
    decoded = decode(data)
    return Record(place, decoded.text, fields, decoded.remark)


def _standard_input(stream: IO[bytes], fields: Fields) -> Inputs:
    """A pipe holds JSONL if its first line is a JSON object, else one text."""
    first = stream.readline()
    if first.startswith(GZIP):
        raise InputError("standard input must not be compressed; unpack it with gunzip -c.")
    if _is_object(first):
        return Inputs("jsonl", _jsonl(chain([first], stream), "line", fields), Meter())

    def record() -> Iterator[Record | Withheld]:
        try:
            yield _text("standard input", first + stream.read(), {})
        except Unreadable as error:
            yield Withheld("standard input", str(error))

    return Inputs("text", record(), Meter())


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _jsonl_files(paths: list[Path], fields: Fields, meter: Meter) -> Iterator[Record | Withheld]:
    for number, path in enumerate(paths, start=1):
        place = "line" if len(paths) == 1 else f"file {number}, line"
        with io.BufferedReader(_Metered(path, meter)) as file:
            packed = file.peek(2)[:2] == GZIP
            lines = _unpacked(file) if packed else iter(file)
            yield from _jsonl(lines, place, fields)


def _unpacked(file: IO[bytes]) -> Iterator[bytes]:
    try:
        yield from gzip.GzipFile(fileobj=file)
    except (OSError, EOFError, zlib.error):
        raise InputError("the gzip file is damaged or cut short; make it again.") from None


def _jsonl(lines: Iterable[bytes], place: str, fields: Fields) -> Iterator[Record | Withheld]:
    first = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _record(f"{place} {number}", line, fields, first=first)
        except Unreadable as error:
            yield Withheld(f"{place} {number}", str(error))
        first = False


def _record(place: str, line: bytes, fields: Fields, *, first: bool) -> Record:
    try:
        data = json.loads(line.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError):
        raise Unreadable("expected a JSON object, got something else.") from None
    if not isinstance(data, dict):
        raise Unreadable("expected a JSON object, got another value.")
    if first and (missing := [name for name in (fields.text, *fields.keep) if name not in data]):
        raise InputError(
            f"no field {missing[0]!r} in the first record; its fields are: {', '.join(data)}. "
            "The text is named with --text-field."
        )
    if not isinstance(data.get(fields.text), str):
        raise Unreadable(f"expected text in field {fields.text!r}, got none.")
    if not isinstance(data.get(fields.id, ""), str | int | float):
        raise Unreadable(f"expected a string or a number in field {fields.id!r}.")
    kept = {name: data[name] for name in (fields.id, *fields.keep) if name in data}
    return Record(place, data[fields.text], kept)
