"""CSV of any dialect, parsed strictly: rows of cells, each with the lines that it is on."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from nomdeplume.errors import InputError
from nomdeplume.formats.streams import LONGEST

DELIMITERS = ",;\t|"
SAMPLE = 100  # lines that tell the dialect
QUOTES = "\"'"
WASTED = 1 << 28  # characters that may be read again: a second or two
LINE = 100  # characters that take as long as a line does


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

    def doubts(self, lines: list[str]) -> str:
        """Why a row that parses may have been meant otherwise: by signs of another dialect."""
        if self.escape is None and any(self._escapes(line) for line in lines):
            return "it has a backslash that may be meant to escape the sign after it"
        other = QUOTES.replace(self.quote, "")
        opening = (f"{self.delimiter}{other}", f"{self.delimiter} {other}")
        if any(line.startswith(other) or any(s in line for s in opening) for line in lines):
            return f"a field begins with {other}, which may be meant as a quote"
        return ""

    def _escapes(self, line: str) -> bool:
        """Whether a backslash stands before a sign that it would make part of a field."""
        if "\\" not in line:
            return False
        signs = (self.quote, self.delimiter, "\r", "\n")
        return any(f"\\{sign}" in line for sign in signs) or line.endswith("\\")


def dialect_of(sample: list[str], delimiter: str | None = None) -> Dialect:
    """The dialect under which most rows of a sample have as many fields as the first.

    Signs that quote or escape are believed in only where they are seen to.
    """
    text = "".join(sample)
    opening = re.compile(rf"(^|[{re.escape(delimiter or DELIMITERS)}])'", re.MULTILINE)
    quotes = QUOTES if opening.search(text) else '"'
    escapes = (None, "\\") if re.search(r"\\[\"'][^,;|\s\"']", text) else (None,)
    delimiters = [delimiter] if delimiter else DELIMITERS
    candidates = [Dialect(*each) for each in product(delimiters, quotes, escapes)]
    return max(candidates, key=lambda each: _fit(each, sample))


def _fit(dialect: Dialect, sample: list[str]) -> tuple[float, int]:
    found = [row for row in parse(iter(sample), dialect) if row.cells != []]
    if len(found) > 2 and len(sample) >= SAMPLE:
        found.pop()  # it may go on after the sample
    width = len(found[0].cells or []) if found else 0
    good = [r for r in found if r.cells and len(r.cells) == width]
    doubtful = sum(bool(dialect.doubts(row.lines)) for row in good)
    return (len(good) - doubtful) / max(len(found), 1) - (width < 2), width


@dataclass
class Row:
    """Some lines of a file, and the cells on them; None if they break the rules."""

    number: int  # of the first line
    lines: list[str]
    cells: list[str] | None = None


def parse(lines: Iterator[str], dialect: Dialect, number: int = 1) -> Iterator[Row]:
    """The rows of a file. One that breaks the rules is its first line; the next begins after it."""
    again: deque[str] = deque()
    row = Row(number, [])
    fresh = wasted = 0  # characters that were read, and read in vain

    def feed() -> Iterator[str]:
        nonlocal fresh
        size = 0
        while True:
            if again:
                line = again.popleft()
            elif (line := next(lines, "")) == "":
                return
            else:
                fresh += len(line)
            size = size + len(line) if row.lines else len(line)
            if size > LONGEST:
                raise InputError(
                    f"the row on line {row.number} is longer than {LONGEST >> 20} MiB; "
                    "is a quote open that never closes?"
                )
            row.lines.append(line)
            yield line

    while True:
        try:
            for row.cells in dialect.rows(feed()):
                yield row
                row = Row(row.number + len(row.lines), [])
        except csv.Error:
            wasted += sum(LINE + len(line) for line in row.lines[1:])
            if wasted > WASTED + 4 * fresh:
                raise InputError(
                    f"rows from line {number} to {row.number} break the rules of CSV, and so may "
                    "all others; is a quote open that never closes?"
                ) from None
            again.extendleft(reversed(row.lines[1:]))
            del row.lines[1:]
            yield row
            row = Row(row.number + 1, [])
        else:
            return
