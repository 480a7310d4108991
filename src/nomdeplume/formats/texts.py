"""Texts that are files of their own, or come through a pipe."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nomdeplume.errors import InputError, Unreadable, got
from nomdeplume.formats import jsonl
from nomdeplume.formats.decode import GZIP, ZSTD, binary, decode
from nomdeplume.formats.kinds import named, unpacked_name
from nomdeplume.formats.records import Fields, Inputs, Meter, MeteredFile, Record
from nomdeplume.formats.streams import unpacked

NOT_TEXT = {
    ".json": "JSON that is not one record a line; convert it to JSONL first",
    ".html": "a web page; save it as text first",
    ".htm": "a web page; save it as text first",
    ".xml": "XML; save it as text first",
}


def read_texts(paths: list[Path], fields: Fields, *, told: bool = False) -> Inputs:
    """The texts of files. A file's name can tell an author, and is released only if kept.

    Those that somebody `told` to be text are, whatever they are called.
    """
    files = [pair for path in paths for pair in files_in(path)]
    if not files:
        raise InputError("the folder holds no files.")
    one = len(files) == 1 and not paths[0].is_dir()
    if one:
        _check_text(files[0][1])
    if unknown := set(fields.keep) - {"name"}:
        raise InputError(f"a text file has no field {got(min(unknown))} to keep, only 'name'.")
    kept = "name" in fields.keep
    if kept and len({name for name, _ in files}) < len(files):
        raise InputError("two inputs have the same name; rename one or put them into one folder.")
    meter = Meter()

    def records() -> Iterator[Record]:
        for number, (name, path) in enumerate(files, start=1):
            place = str(path) if one else f"document {number} of {len(files)}"
            beside = {"name": name} if kept else {}
            yield _read(path, place, beside, meter, told=told)

    total = sum(path.stat().st_size for _, path in files if path.exists())
    return Inputs("text" if one else "folder", records(), meter, total)


def files_in(path: Path) -> list[tuple[str, Path]]:
    """A file, or the files of a folder in order of name, each with its name in the release.

    Hidden files do not count; what else cannot be read is withheld when its turn comes.
    """
    if not path.is_dir():
        return [(unpacked_name(path.name), path)]
    found = []
    for folder, folders, names in os.walk(path, onerror=_fail):
        folders[:] = [each for each in folders if not each.startswith(".")]
        links = [each for each in folders if (Path(folder) / each).is_symlink()]
        found += [Path(folder) / name for name in (*names, *links) if not name.startswith(".")]
    return sorted((unpacked_name(each.relative_to(path).as_posix()), each) for each in found)


def _fail(error: OSError) -> None:
    raise error


def _check_text(path: Path) -> None:
    """Say what the only file is, if it is a picture or a program; of several it is withheld."""
    if path.is_file() and os.access(path, os.R_OK):
        with path.open("rb") as file:
            start = file.read(16)
        if (what := binary(start)) and not start.startswith((GZIP, ZSTD)):
            raise InputError(f"{path}: expected text, got {what}.")


def _read(path: Path, place: str, beside: Mapping[str, Any], meter: Meter, *, told: bool) -> Record:
    try:
        with io.BufferedReader(MeteredFile(path, meter)) as file:
            return _text(place, unpacked(file, "the file").read(), beside, None if told else path)
    except InputError as error:
        return Record(place, unreadable=str(error))
    except OSError as error:
        return Record(place, unreadable=f"{error.strerror}.")


def _text(place: str, data: bytes, fields: Mapping[str, Any], path: Path | None = None) -> Record:
    if path and (kind := NOT_TEXT.get(path.suffix.lower())):
        raise Unreadable(f"expected text, got {kind}.")
    if path and (records := named(path)):
        raise Unreadable(f"expected text, got a file called {records}; release it by itself.")
    if jsonl.sniff(data[: 1 << 20]) != "text":
        raise Unreadable("expected text, got JSON; records go into a file named .jsonl.")
    decoded = decode(data)
    return Record(place, decoded.text, fields, decoded.remark)


def read_stream(stream: io.BufferedReader[Any], fields: Fields) -> Inputs:
    """One text through a pipe."""
    if fields.keep:
        raise InputError("a piped text has no fields to keep.")

    def record() -> Iterator[Record]:
        try:
            yield _text("standard input", stream.read(), {})
        except Unreadable as error:
            yield Record("standard input", unreadable=str(error))

    return Inputs("text", record(), Meter())
