"""Where texts come from: files, folders of files, standard input; texts or records."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any

from nomdeplume.errors import InputError, at
from nomdeplume.formats import csv_rows, jsonl
from nomdeplume.formats.decode import GZIP, ZSTD, binary, marked
from nomdeplume.formats.kinds import Kind, begins, delimiter_of, named
from nomdeplume.formats.records import Fields, Inputs, Meter, MeteredFile, Record
from nomdeplume.formats.streams import Damaged, lines, unnamed, unpacked
from nomdeplume.formats.texts import files_in, read_stream, read_texts

UNITS = {"jsonl": "line", "csv": "row"}
START = 1 << 20  # bytes that are looked at to tell records from text


def open_inputs(
    names: Sequence[str],
    fields: Fields,
    stdin: IO[bytes] | None = None,
    *,
    kind: Kind | None = None,
    delimiter: str | None = None,
) -> Inputs:
    """The texts named: files, folders of files, or `-` for standard input.

    `kind` says what they are where names and content do not tell.
    """
    if "-" in names:
        if len(names) > 1:
            raise InputError("'-' (standard input) must be the only input.")
        if stdin is None and sys.stdin is None:
            raise InputError("standard input is closed; name a text to release.")
        return _standard_input(stdin or sys.stdin.buffer, fields, kind, delimiter)
    paths = [_existing(name) for name in names]
    found = [kind or _kind(path, fields) for path in paths]
    if set(found) <= {"text", "folder"}:
        return read_texts(paths, fields, told=kind == "text")
    if len(set(found)) > 1:
        listed = " and ".join(sorted(set(found)))
        raise InputError(f"inputs must be all of one kind, got {listed}; run them separately.")
    files = [file for path in paths for file in _parts(path)]
    return records_of(found[0], files, _called(files, paths), fields, delimiter)


def rereadable(names: Sequence[str]) -> bool:
    """Return True if all inputs are files or folders, which can be read twice."""
    return not any(
        name == "-" or not (Path(name).is_file() or Path(name).is_dir()) for name in names
    )


def _called(files: list[Path], given: list[Path]) -> list[str]:
    """What messages call files: by name only those that were named, a name can tell an author."""
    return [
        str(file) if file in given else f"file {number} of {len(files)}"
        for number, file in enumerate(files, start=1)
    ]


def records_of(
    kind: Kind, files: list[Path], names: list[str], fields: Fields, delimiter: str | None
) -> Inputs:
    """The records of some files of one kind, of which messages speak by `names`."""
    meter = Meter()
    total = sum(path.stat().st_size for path in files if path.exists())
    if kind in ("parquet", "arrow"):
        from nomdeplume.formats import columnar

        return Inputs(kind, columnar.read_files(files, names, kind, fields, meter), meter, total)

    def records() -> Iterator[Record]:
        for path, name in zip(files, names, strict=True):
            place = "" if len(files) == 1 else f"{name}, "
            read = _reader(kind, fields, delimiter or delimiter_of(path))
            with unnamed(name), io.BufferedReader(MeteredFile(path, meter)) as file:
                try:
                    yield from read(_content(file, name), f"{place}{UNITS[kind]}")
                except InputError as error:
                    raise InputError(f"{place}{error}") from None

    return Inputs(kind, records(), meter, total)


def _reader(
    kind: Kind, fields: Fields, delimiter: str | None
) -> Callable[[Iterator[bytes], str], Iterator[Record]]:
    """What makes records of lines, given what messages call these by."""
    if kind == "jsonl":
        return partial(jsonl.read_lines, fields=fields)
    return partial(csv_rows.read_rows, fields=fields, delimiter=delimiter)


def _content(file: io.BufferedReader[Any], name: str) -> Iterator[bytes]:
    content = unpacked(file, name)
    if what := binary(content.peek(16)):
        raise InputError(f"{name}: expected text, got {what}.")
    return lines(content, name)


def _existing(name: str) -> Path:
    """The path of that name, if something is there."""
    shown = at(name)
    try:
        mode = Path(name).stat().st_mode if name else 0
    except (OSError, ValueError):
        mode = 0
    if not mode:
        raise InputError(f"no file or folder at {shown or 'an empty name'}.")
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise InputError(f"{shown} is a device; name a file or a folder.")
    return Path(name)


def _kind(path: Path, fields: Fields) -> Kind:
    """What a file holds, by its first bytes and its name; a folder is what its files are called."""
    if path.is_dir():
        kinds = {named(file) for file in _parts(path)}
        if len(kinds) > 1:
            raise InputError(f"{path} holds files of several kinds; name those of one kind.")
        return next(iter(kinds), None) or "folder"
    if not path.is_file():
        return named(path) or "text"
    with path.open("rb") as file:
        start = file.read(8)
        file.seek(max(0, path.stat().st_size - 4))
        found = begins(start)
        if found and (found != "parquet" or file.read() == b"PAR1"):
            return found
    return named(path) or _sniffed(path, fields)


def _sniffed(path: Path, fields: Fields) -> Kind:
    """JSONL and CSV are told by their first lines; what is damaged is said when its turn comes."""
    with path.open("rb") as file:
        try:
            return _by_start(unpacked(file, str(path)).read(START), fields)
        except Damaged:
            return "text"


def _by_start(start: bytes, fields: Fields) -> Kind:
    """JSONL, CSV or a text; other JSON is refused, it is no text either."""
    if (found := jsonl.sniff(start)) == "json":
        raise InputError("this looks like JSON, but not like one record a line; make it JSONL.")
    if found == "records":
        return "jsonl"
    text = start.decode(marked(start) or "utf-8", "ignore")
    return "csv" if csv_rows.names_fields(text, fields.text) else "text"


def _parts(path: Path) -> list[Path]:
    """The files of a folder that hold texts; engines leave others, called _SUCCESS and so on."""
    if not path.is_dir():
        return [path]
    return [file for _, file in files_in(path) if not file.name.startswith("_")]


def _standard_input(
    stream: IO[bytes], fields: Fields, kind: Kind | None, delimiter: str | None
) -> Inputs:
    """A pipe holds records if it begins like some, else one text."""
    head = b"".join(islice(stream, 10))
    piped = io.BufferedReader(_Piped(head, stream), 1 << 16)
    if head.startswith((GZIP, ZSTD)) or begins(head) or kind in ("parquet", "arrow"):
        raise InputError("standard input must be plain text, JSONL or CSV; name other files.")
    kind = kind or _by_start(head, fields)
    if kind == "text":
        return read_stream(piped, fields)
    read = _reader(kind, fields, delimiter)
    return Inputs(kind, read(lines(piped, "the input"), UNITS[kind]), Meter())


class _Piped(io.RawIOBase):
    """A pipe from its start again, though its head was read; it gives what is there at once."""

    def __init__(self, head: bytes, stream: IO[bytes]) -> None:
        self._head = io.BytesIO(head)
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._head.read(len(buffer)) or self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
