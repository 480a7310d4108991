"""Where texts come from: files, folders of files, standard input, JSONL."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from nomdeplume.errors import InputError, Unreadable
from nomdeplume.formats import jsonl
from nomdeplume.formats.decode import DAMAGED, GZIP, decode, marked
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
    paths = [_existing(name) for name in names]
    records = [path for path in paths if jsonl.holds_records(path)]
    if records and len(records) < len(paths):
        raise InputError("inputs must be all JSONL or all text; run them separately.")
    if not records:
        return _texts(paths, fields)
    meter = Meter()
    total = sum(path.stat().st_size for path in paths)
    return Inputs("jsonl", jsonl.read_files(paths, fields, meter), meter, total)


def _existing(name: str) -> Path:
    """The path of that name, which is not quoted if it might be a text put in its place."""
    shown = name if len(name) <= 100 and name.isprintable() else "the name given"
    try:
        mode = Path(name).stat().st_mode if name else 0
    except (OSError, ValueError):
        mode = 0
    if not mode:
        raise InputError(f"no file or folder at {shown or 'an empty name'}.")
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise InputError(f"{shown} is a device; name a file or a folder.")
    return Path(name)


def _texts(paths: list[Path], fields: Fields) -> Inputs:
    """Text files are numbered: a name can tell an author, and is released only if kept."""
    files = [pair for path in paths for pair in _files(path)]
    if not files:
        raise InputError("the folder holds no files.")
    if unknown := set(fields.keep) - {"id", "name"}:
        raise InputError(f"a text file has no field {min(unknown)!r} to keep, only 'name'.")
    named = "name" in fields.keep
    if named and len({name for name, _ in files}) < len(files):
        raise InputError("two inputs have the same name; rename one or put them into one folder.")
    one = len(files) == 1 and not paths[0].is_dir()
    meter = Meter()

    def records() -> Iterator[Record | Withheld]:
        for number, (name, path) in enumerate(files, start=1):
            place = str(path) if one else f"document {number} of {len(files)}"
            try:
                with io.BufferedReader(MeteredFile(path, meter)) as file:
                    data = file.read()
                kept = {"id": number} | ({"name": name} if named else {})
                yield _text(place, data, kept, path.suffix.lower())
            except Unreadable as error:
                yield Withheld(place, str(error))
            except OSError as error:
                yield Withheld(place, f"{error.strerror}.")

    total = sum(path.stat().st_size for _, path in files if path.exists())
    return Inputs("text" if one else "folder", records(), meter, total)


def _files(path: Path) -> list[tuple[str, Path]]:
    """A file, or the files of a folder in order of name, each with its name in the release.

    Hidden files do not count; what else cannot be read is withheld when its turn comes.
    """
    if not path.is_dir():
        return [(path.name.removesuffix(".gz"), path)]
    found = []
    for folder, folders, names in os.walk(path, onerror=_fail):
        folders[:] = [each for each in folders if not each.startswith(".")]
        links = [each for each in folders if (Path(folder) / each).is_symlink()]
        found += [Path(folder) / name for name in (*names, *links) if not name.startswith(".")]
    if any(map(jsonl.is_jsonl, found)):
        raise InputError("the folder holds JSONL files; name those files one by one.")
    return sorted((each.relative_to(path).as_posix().removesuffix(".gz"), each) for each in found)


def _fail(error: OSError) -> None:
    raise error


def _text(place: str, data: bytes, fields: Mapping[str, Any], suffix: str = "") -> Record:
    if suffix in TABULAR:
        raise Unreadable(f"expected text, got {TABULAR[suffix]}.")
    if data.startswith(GZIP):
        try:
            data = gzip.decompress(data)
        except DAMAGED:
            raise Unreadable("expected gzip as its first bytes say, got damaged data.") from None
    if jsonl.sniff(data[: jsonl.START]) != "text":
        raise Unreadable("expected text, got JSON; records go into a file named .jsonl.")
    decoded = decode(data)
    return Record(place, decoded.text, fields, decoded.remark)


def _standard_input(stream: IO[bytes], fields: Fields) -> Inputs:
    """A pipe holds JSONL if it begins with a JSON object, else one text."""
    head = b"".join(islice(stream, 10))
    if head.startswith(GZIP):
        raise InputError("standard input must not be compressed; unpack it with gunzip -c.")
    if jsonl.are_records(head):
        if marked(head).startswith(("utf-16", "utf-32")):
            lines = jsonl.utf8(io.BufferedReader(io.BytesIO(head + stream.read())), "the input")
        else:
            lines = chain(head.splitlines(keepends=True), stream)
        return Inputs("jsonl", jsonl.read_lines(lines, "line", fields), Meter())
    if fields.keep:
        raise InputError("a piped text has no fields to keep.")

    def record() -> Iterator[Record | Withheld]:
        try:
            yield _text("standard input", head + stream.read(), {"id": 1})
        except Unreadable as error:
            yield Withheld("standard input", str(error))

    return Inputs("text", record(), Meter())
