"""JSONL: one record a line, read in a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from nomdeplume import strict_json
from nomdeplume.errors import InputError, Unreadable, got
from nomdeplume.formats.decode import decode, marked
from nomdeplume.formats.records import Fields, Record

LIKE_JSON = re.compile(r'\{\s*"|\[\s*[{\[]')


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


def read_lines(lines: Iterable[bytes], place: str, fields: Fields) -> Iterator[Record]:
    """A record for every line that is not blank; the first readable one must have the fields."""
    unchecked = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data, remark = parsed(line)
            if unchecked:
                fields.check(data)
                _check_plain(data, fields)
                unchecked = False
            yield _record(f"{place} {number}", data, fields, remark)
        except Unreadable as error:
            yield Record(f"{place} {number}", unreadable=str(error))


def _check_plain(data: dict[str, Any], fields: Fields) -> None:
    """Refuse to go on with fields that have parts: a name does not tell what all is in there."""
    for name in (fields.text, *fields.beside):
        if isinstance(data.get(name), dict | list):
            raise InputError(f"field {got(name)} is nested; name one that holds a plain value.")


def parsed(line: bytes) -> tuple[dict[str, Any], str]:
    """The JSON object on a line, and a remark on its encoding."""
    decoded = decode(line)
    try:
        data = strict_json.loads(decoded.text)
    except ValueError:
        raise Unreadable("not valid JSON.") from None
    if not isinstance(data, dict):
        raise Unreadable("JSON, but not an object { }.")
    return data, decoded.remark


def _record(place: str, data: dict[str, Any], fields: Fields, remark: str) -> Record:
    text = data.get(fields.text)
    if fields.text not in data:
        raise Unreadable(f"field {got(fields.text)} is missing.")
    if not isinstance(text, str):
        raise Unreadable(f"field {got(fields.text)} is not a string.")
    kept = {key: data[key] for key in fields.beside if key in data}
    if nested := [key for key, value in kept.items() if isinstance(value, dict | list)]:
        raise Unreadable(f"field {got(nested[0])} is nested.")
    more = {key: data[key] for key in fields.extra if key in data}
    return Record(place, text, kept | more, remark)
