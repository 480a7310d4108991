"""Where texts come from: files, folders of files, standard input, JSONL."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from nomdeplume.errors import InputError, Unreadable
from nomdeplume.formats import jsonl
from nomdeplume.formats.decode import GZIP, decode
from nomdeplume.formats.records import Fields, Inputs, Meter, MeteredFile, Record, Withheld

TABULAR = {
    ".csv": "a CSV table; convert it to JSONL first",
    ".tsv": "a TSV table; convert it to JSONL first",
    ".json": "JSON that is not one record a line; convert it to JSONL first",
    ".parquet": "a Parquet table; convert it to JSONL first",
    ".html": "a web page; save it as text first",
    ".htm": "a web page; save it as text first",
    ".xml": "XML; save it as text first",
}


def open_inputs(names: Sequence[str], fields: Fields, stdin: IO[bytes] | None = None) -> Inputs:
    """The texts named: files, folders of files, JSONL, or `-` for standard input."""
    if "-" in names:
        if len(names) > 1:
            raise InputError("'-' (standard input) must be the only input.")
        if stdin is None and sys.stdin is None:
            raise InputError("standard input is closed; name a text to release.")
        return _standard_input(stdin or sys.stdin.buffer, fields)
    paths = [Path(name) for name in names]
    for path in paths:
        if not path.exists():
            raise InputError(f"no file or folder at {path}.")
        if stat.S_ISCHR(path.stat().st_mode) or stat.S_ISBLK(path.stat().st_mode):
            raise InputError(f"{path} is a device; name a file or a folder.")
    records = [path for path in paths if jsonl.holds_records(path)]
    if records and len(records) < len(paths):
        raise InputError("inputs must be all JSONL or all text; run them separately.")
    if not records:
        return _texts(paths, fields)
    meter = Meter()
    total = sum(path.stat().st_size for path in paths)
    return Inputs("jsonl", jsonl.read_files(paths, fields, meter), meter, total)


def _texts(paths: list[Path], fields: Fields) -> Inputs:
    """Text files are numbered: a name can tell an author, and is released only if kept."""
    files = [pair for path in paths for pair in _files(path)]
    if not files:
        raise InputError("the folder holds no files.")
    if unknown := set(fields.keep) - {"name"}:
        raise InputError(f"a text file has no field {min(unknown)!r} to keep, only 'name'.")
    if fields.keep and len({name for name, _ in files}) < len(files):
        raise InputError("two inputs have the same name; rename one or put them into one folder.")
    one = len(files) == 1 and not paths[0].is_dir()
    meter = Meter()

    def records() -> Iterator[Record | Withheld]:
        for number, (name, path) in enumerate(files, start=1):
            place = str(path) if one else f"document {number} of {len(files)} in order of name"
            try:
                with io.BufferedReader(MeteredFile(path, meter)) as file:
                    data = file.read()
                kept = {fields.id: number} | ({"name": name} if fields.keep else {})
                yield _text(place, data, kept, path.suffix.lower())
            except Unreadable as error:
                yield Withheld(place, str(error))
            except OSError as error:
                yield Withheld(place, f"{error.strerror}.")

    total = sum(path.stat().st_size for _, path in files)
    return Inputs("text" if one else "folder", records(), meter, total)


def _files(path: Path) -> list[tuple[str, Path]]:
    """A file, or the files of a folder in order of name, each with its name in the release."""
    if not path.is_dir():
        return [(path.name.removesuffix(".gz"), path)]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        visible = (Path(folder) / name for name in names if not name.startswith("."))
        found += [each for each in visible if each.is_file()]
    if any(map(jsonl.is_jsonl, found)):
        raise InputError("the folder holds JSONL files; name those files one by one.")
    return sorted((each.relative_to(path).as_posix().removesuffix(".gz"), each) for each in found)


def _text(place: str, data: bytes, fields: Mapping[str, Any], suffix: str = "") -> Record:
    if suffix in TABULAR:
        raise Unreadable(f"expected text, got {TABULAR[suffix]}.")
    if data.startswith(GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise Unreadable("expected gzip as its first bytes say, got damaged data.") from None
    if jsonl.is_record(data.split(b"\n", 1)[0]):
        raise Unreadable("expected text, got JSON records; name the file .jsonl.")
    decoded = decode(data)
    return Record(place, decoded.text, fields, decoded.remark)


def _standard_input(stream: IO[bytes], fields: Fields) -> Inputs:
    """A pipe holds JSONL if its first line is a JSON object, else one text."""
    first = stream.readline()
    if first.startswith(GZIP):
        raise InputError("standard input must not be compressed; unpack it with gunzip -c.")
    if jsonl.is_record(first):
        lines = chain([first], stream)
        return Inputs("jsonl", jsonl.read_lines(lines, "line", fields), Meter())

    def record() -> Iterator[Record | Withheld]:
        try:
            yield _text("standard input", first + stream.read(), {})
        except Unreadable as error:
            yield Withheld("standard input", str(error))

    return Inputs("text", record(), Meter())
