"""CSV of any dialect: rows as lists of strings, each with the line that it begins on.

A file that breaks its own quoting can put pieces of a text into any column, so nothing is
guessed: a row that does not parse strictly is withheld whole, up to the line on which its
quotes are even in number again, and so is what may be the rest of a row that was too short.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from nomdeplume.errors import InputError
from nomdeplume.formats.decode import decode_line
from nomdeplume.formats.records import Fields, Record, Withheld, is_column
from nomdeplume.formats.streams import LONGEST

DELIMITERS = ",;\t|"
SAMPLE = 100  # rows that tell the dialect
EXCEL = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line by which Excel is told


@dataclass(frozen=True)
class Dialect:
    """What separates fields, what quotes them, and what escapes a quote (doubling, if nothing)."""

    delimiter: str = ","
    quote: str = '"'
    escape: str | None = None

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """A reader that raises csv.Error on whatever breaks the rules."""
        csv.field_size_limit(LONGEST)
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote,
            escapechar=self.escape,
            strict=True,  # which works only where a quote may be doubled, so it always may
        )

    def even(self, lines: list[str]) -> bool:
        """Whether quotes are even in number on these lines, those that are escaped not counted."""
        count = sum(line.count(self.quote) for line in lines)
        if self.escape:
            count -= sum(line.count(self.escape + self.quote) for line in lines)
        return count % 2 == 0


def dialect_of(sample: list[str], delimiter: str | None = None) -> Dialect:
    """The dialect under which most rows of a sample have as many fields as the first.

    Signs that quote or escape are believed in only where they are seen to: under a
    dialect that overlooks a quote, pieces of a broken row could pass for rows.
    """
    quote = "'" if sample and sample[0].startswith("'") else '"'
    escapes = (None, "\\") if any(f"\\{quote}" in line for line in sample) else (None,)
    delimiters = [delimiter] if delimiter else DELIMITERS
    candidates = [Dialect(*each) for each in product(delimiters, quote, escapes)]
    return max(candidates, key=lambda each: _fit(each, sample))


def _fit(dialect: Dialect, sample: list[str]) -> tuple[float, int]:
    found = [row for _, row in parse(iter(sample), dialect) if row != []]
    if len(found) > 2 and len(sample) >= SAMPLE:
        found.pop()  # it may go on after the sample
    width = len(found[0] or []) if found else 0
    even = sum(row is not None and len(row) == width for row in found) / max(len(found), 1)
    return even - (width < 2), width


def parse(
    lines: Iterator[str], dialect: Dialect, number: int = 1
) -> Iterator[tuple[int, list[str] | None]]:
    """Rows with the number of their first line; None for one that breaks the rules."""
    taken: list[str] = []
    size = 0

    def feed() -> Iterator[str]:
        nonlocal size
        for line in lines:
            taken.append(line)
            size += len(line)
            if size > LONGEST:
                raise InputError(
                    f"the row on line {number} is longer than {LONGEST >> 20} MiB; "
                    "is a quote open that never closes?"
                )
            yield line

    feeding = feed()
    rows = dialect.rows(feeding)
    while True:
        taken.clear()
        size = 0
        try:
            row = next(rows, None)
        except csv.Error:
            while not dialect.even(taken) and next(feeding, None) is not None:
                pass
            yield number, None
        else:
            if row is None:
                return
            yield number, row
        number += len(taken)


def read_rows(
    raw: Iterator[bytes], place: str, fields: Fields, delimiter: str | None = None
) -> Iterator[Record | Withheld]:
    """A record for every row; the first row names the fields."""
    encodings: list[str] = []
    lines = _decoded(raw, encodings)
    sample = [line for _, line in zip(range(SAMPLE), lines, strict=False)]
    skipped = 0
    if sample and (told := EXCEL.fullmatch(sample[0])):
        delimiter, skipped = delimiter or told[1], 1
    dialect = dialect_of(sample[skipped:], delimiter)
    rows = parse(_chained(sample[skipped:], lines), dialect, 1 + skipped)
    names = _header(next((row for _, row in rows if row != []), []), fields)
    where = {name: i for i, name in enumerate(names)}
    short = 0
    for count, (line, row) in enumerate((each for each in rows if each[1] != []), start=1):
        here = f"{place} {count} (line {line})"
        remark, encodings[:] = "; ".join(encodings), []
        if row is None:
            yield Withheld(here, "its quotes do not match, so its fields cannot be told apart.")
        elif len(row) != len(names):
            yield Withheld(here, f"expected {len(names)} fields, got {len(row)}.")
        elif short == count - 1 and short:
            yield Withheld(here, f"it may be the rest of row {short}, which is too short.")
        else:
            kept = {name: row[where[name]] for name in fields.released if name in where}
            yield Record(here, row[where[fields.text]], kept, remark)
        if row is not None and len(row) < len(names):
            short = count


def _header(row: list[str] | None, fields: Fields) -> list[str]:
    """Names of the fields. If they do not look like names they may be a text, and are not shown."""
    names = [name.strip() for name in row or []]
    if fields.text not in names and not (names and all(map(is_column, names))):
        raise InputError("the first row of a CSV file must name its fields; this one does not.")
    if len(set(names)) < len(names):
        raise InputError("the first row of a CSV file names a field twice; rename one.")
    fields.check(names, columns=True)
    return names


def names_fields(start: str, text_field: str) -> bool:
    """Whether an input begins with a row of names, the text's among them."""
    sample = start.splitlines(keepends=True)[:SAMPLE]
    if not sample:
        return False
    row = next((row for _, row in parse(iter(sample), dialect_of(sample))), None) or []
    names = [name.strip() for name in row]
    return len(names) > 1 and text_field in names and all(map(is_column, names))


def _chained(first: list[str], rest: Iterator[str]) -> Iterator[str]:
    yield from first
    first.clear()
    yield from rest


def _decoded(raw: Iterator[bytes], remarks: list[str]) -> Iterator[str]:
    for line in raw:
        decoded = decode_line(line)
        if decoded.remark and not remarks:
            remarks.append(decoded.remark)
        yield decoded.text
