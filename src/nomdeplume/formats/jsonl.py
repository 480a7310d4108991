"""JSONL: one record a line, read in a stream."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Literal

from nomdeplume import strict_json
from nomdeplume.errors import InputError, Unreadable
from nomdeplume.formats.decode import DAMAGED, GZIP, decode, marked
from nomdeplume.formats.records import Fields, Meter, MeteredFile, Record, Withheld

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
START = 1 << 20  # bytes that are looked at to tell records from text
LIKE_JSON = re.compile(r'\{\s*"|\[\s*[{\[]')


def is_jsonl(path: Path) -> bool:
    """Whether a file is called JSONL."""
    return path.name.lower().endswith(SUFFIXES) and not path.is_dir()


def holds_records(path: Path) -> bool:
    """Whether a file is JSONL, by its name or by how it begins."""
    if is_jsonl(path) or not path.is_file():
        return is_jsonl(path)
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        try:
            start = (gzip.GzipFile(fileobj=file) if packed else file).read(START)
        except DAMAGED:
            return False  # said when its turn comes
    return are_records(start)


def are_records(start: bytes) -> bool:
    """Whether an input that begins so is JSONL; other JSON is refused, it is no text either."""
    if (found := sniff(start)) == "json":
        raise InputError("this looks like JSON, but not like one record a line; make it JSONL.")
    return found == "records"


def sniff(start: bytes) -> Literal["records", "json", "text"]:
    """What an input holds, by its first lines: records have an object on one of them."""
    text = start.decode(marked(start) or "utf-8", "ignore").lstrip()
    if not LIKE_JSON.match(text):
        return "text"
    return "records" if any(map(_is_object, text.splitlines()[:10])) else "json"


def _is_object(line: str) -> bool:
    try:
        return isinstance(strict_json.loads(line), dict)
    except ValueError:
        return False


def read_files(paths: list[Path], fields: Fields, meter: Meter) -> Iterator[Record | Withheld]:
    """The records of some files in order."""
    for path in paths:
        place = "line" if len(paths) == 1 else f"{path}, line"
        with io.BufferedReader(MeteredFile(path, meter)) as file:
            packed = file.peek(2)[:2] == GZIP
            lines = _unpacked(file, path) if packed else utf8(file, str(path))
            yield from read_lines(lines, place, fields)


def read_lines(lines: Iterable[bytes], place: str, fields: Fields) -> Iterator[Record | Withheld]:
    """A record for every line that is not blank; the first readable one must have the fields."""
    unchecked = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data, remark = _object(line)
            if unchecked:
                _check(data, fields)
                unchecked = False
            yield _record(f"{place} {number}", data, fields, remark)
        except Unreadable as error:
            yield Withheld(f"{place} {number}", str(error))


def utf8(file: io.BufferedReader[Any], name: str) -> Iterator[bytes]:
    """Lines in UTF-8, whatever mark the file begins with."""
    encoding = marked(file.peek(4)[:4])
    if not encoding.startswith(("utf-16", "utf-32")):
        yield from file
        return
    try:
        with io.TextIOWrapper(file, encoding, newline="\n") as text:
            yield from (line.encode() for line in text)
    except UnicodeError:
        raise InputError(f"{name} must be {encoding.upper()} as its first bytes say.") from None


def _unpacked(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        yield from gzip.GzipFile(fileobj=file)
    except DAMAGED:
        raise InputError(f"{path} is damaged or cut short; make it again.") from None


def _object(line: bytes) -> tuple[dict[str, Any], str]:
    """The JSON object on a line, and a remark on its encoding."""
    decoded = decode(line)
    try:
        data = strict_json.loads(decoded.text)
    except ValueError:
        raise Unreadable("not valid JSON.") from None
    if not isinstance(data, dict):
        raise Unreadable("JSON, but not an object { }.")
    return data, decoded.remark


def _check(data: dict[str, Any], fields: Fields) -> None:
    """A field that the first record lacks is more likely misspelt than missing."""
    asked = [fields.text, *fields.keep] + ([fields.id] if fields.id != Fields.id else [])
    for name in asked:
        if name not in data:
            hint = " Name the one that holds the text with --text-field." * (name == fields.text)
            raise InputError(f"no field {name!r} in the first record; it has {_named(data)}.{hint}")


def _named(data: dict[str, Any]) -> str:
    """Names of fields, as far as they look like names: a key can be a sentence of the text."""
    plain = [key for key in data if re.fullmatch(r"[A-Za-z_][\w-]{0,30}", key, re.ASCII)]
    others = [f"{len(data) - len(plain)} with other names"] if len(plain) < len(data) else []
    return ", ".join(plain + others) or "no fields"


def _record(place: str, data: dict[str, Any], fields: Fields, remark: str) -> Record:
    text, name = data.get(fields.text), data.get(fields.id)
    if fields.text not in data:
        raise Unreadable(f"field {fields.text!r} is missing.")
    if not isinstance(text, str):
        raise Unreadable(f"field {fields.text!r} is not a string.")
    if not isinstance(name, str | int | float | None):
        raise Unreadable(f"field {fields.id!r} is neither a string nor a number.")
    return Record(place, text, {key: data[key] for key in fields.released if key in data}, remark)
