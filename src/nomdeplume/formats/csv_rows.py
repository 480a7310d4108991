"""CSV of any dialect: rows as lists of strings, each with the lines that it is on.

A file that breaks its own rules can put pieces of a text into any column, where no noise
protects them. So a row that is not as it should be is withheld, and after it every row
that has no id like those before and would tell something new beside its words: it may be a
piece of what broke.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from nomdeplume.errors import InputError, got
from nomdeplume.formats.csv_dialect import SAMPLE, Dialect, Row, dialect_of, parse
from nomdeplume.formats.csv_ids import Ids
from nomdeplume.formats.decode import decode_line
from nomdeplume.formats.records import Fields, Record, is_usual

VALUES = 1000  # of a kept field that are remembered
SAMPLED = 1 << 20  # characters of them, at most
EXCEL = re.compile(r"sep=([^\s\"'\\]|\t)\r?\n?", re.IGNORECASE)  # a first line that tells Excel


def read_rows(
    raw: Iterator[bytes], place: str, fields: Fields, delimiter: str | None = None
) -> Iterator[Record]:
    """A record for every row; the first row names the fields."""
    remarks: dict[int, str] = {}
    lines = _decoded(raw, remarks)
    sample = _sample(lines)
    if not sample:
        return
    skipped = 0
    if told := EXCEL.fullmatch(sample[0]):
        delimiter, skipped = delimiter or told[1], 1
    seen = sample[skipped:]
    dialect = dialect_of(seen, delimiter)
    rows = parse(chain(seen, lines), dialect, 1 + skipped)
    head = next((row for row in rows if row.cells != []), Row(1, []))
    reader = _Rows(_header(head.cells, fields), dialect, fields, head)
    reader.look_ahead(list(parse(iter(seen), dialect)))
    held: Record | None = None  # until the next row shows that it does not go on there
    for count, row in enumerate((each for each in rows if each.cells != []), start=1):
        where = f"{place} {count} ({_where(row)})"
        reason = reader.fault(row)
        if held and reason and reader.goes_on(row):
            yield Record(held.place, unreadable=f"the next line seems to go on with it: {reason}")
        elif held:
            yield held
        held = None
        if reason:
            yield Record(where, unreadable=reason)
            if not reader.hopeful:
                rest = sum(len(each.lines) for each in rows)
                if rest:
                    yield Record(f"the {rest:,} lines after it", unreadable=reader.hopeless)
                return
        else:
            found = [n for n in remarks if row.number <= n < row.number + len(row.lines)]
            held = reader.record(where, row, remarks.pop(found[0]) if found else "")
    if held:
        yield held


class _Rows:
    """Rows under a header: which are sound, and what is released of them."""

    def __init__(self, names: list[str], dialect: Dialect, fields: Fields, head: Row) -> None:
        self._names, self._dialect, self._fields = names, dialect, fields
        self._at = {name: i for i, name in enumerate(names)}
        self._end = _line_end(head)
        self._ids = Ids()
        self._broken = ""
        self._kept = [n for n in (*fields.beside, *fields.extra) if n in self._at]
        self._values: dict[str, set[str]] = {n: set() for n in self._kept}
        self._was_known = False

    def look_ahead(self, rows: list[Row]) -> None:
        """Learn what ids look like from the first rows, if most of them agree on it."""
        if self._fields.id in self._at:
            width = len(self._names)
            sound = [row for row in rows[1:] if row.cells and len(row.cells) == width]
            self._ids = Ids.seen([self._id(row) for row in sound])

    @property
    def hopeful(self) -> bool:
        """Whether rows after a broken one can be told from pieces of it."""
        return self._ids.tell or self._fields.id not in self._at

    @property
    def hopeless(self) -> str:
        return (
            "nothing tells rows from pieces of the broken one, as ids would that are "
            "numbered alike; mend it, or name such a field with --id-field."
        )

    def fault(self, row: Row) -> str:
        """Why a row is withheld; nothing if it is sound."""
        reason = self._unsound(row)
        if reason:
            self._learn(row)
            self._broken = self._broken or f"line {row.number}"
        elif self._broken and not self._ids.like(self._id(row)) and not self._known(row):
            reason = f"it may be a piece of what is broken on {self._broken}."
        else:
            self._broken = ""
            self._note(row)
        return reason

    def _known(self, row: Row) -> bool:
        """Whether all that is released beside the words was released before: it tells nothing."""
        cells = row.cells or []
        return all(cells[self._at[name]] in values for name, values in self._values.items())

    def _note(self, row: Row) -> None:
        cells, self._was_known = row.cells or [], self._known(row)
        for name, values in self._values.items():
            if len(values) < VALUES:
                values.add(cells[self._at[name]])
        if self._fields.id in self._at:
            self._ids.add(self._id(row))

    def goes_on(self, row: Row) -> bool:
        """Whether a broken row does not begin as rows do, and so may belong to the one before."""
        at = self._at.get(self._fields.id)
        parts = row.cells or row.lines[0].split(self._dialect.delimiter)
        if at is None or at >= len(parts):
            return not self._was_known
        return not self._ids.like(parts[at].strip().strip(self._dialect.quote))

    def _learn(self, row: Row) -> None:
        """The id of a first row that breaks is sound if it stands before the text."""
        at = self._at.get(self._fields.id, len(self._names))
        first = not self._broken and not self._ids.shapes
        if first and at < self._at[self._fields.text] and at < len(row.cells or []):
            self._ids.add(self._id(row))

    def _unsound(self, row: Row) -> str:
        cells, width = row.cells, len(self._names)
        if cells is None or len(cells) != width:
            reason = "its quotes do not match, so its fields cannot be told apart."
            return reason if cells is None else f"expected {width} fields, got {len(cells)}."
        if _line_end(row) not in (self._end, ""):
            return "its line ends otherwise than the first, so it may be cut."
        if self._fields.id in self._at and self._ids.unlike(self._id(row)):
            return "its id is unlike those before it; if it is right, give another --id-field."
        if doubt := self._dialect.doubts(row.lines):
            return f"{doubt}."
        if len(row.lines) > 1:
            return self._run_on(row, cells)
        return ""

    def _run_on(self, row: Row, cells: list[str]) -> str:
        """Whether a quote that was left open may have joined several rows."""
        kept = [cells[self._at[name]] for name in self._kept]
        if any("\n" in cell or "\r" in cell for cell in kept):
            return "a line break is in its id or a kept field; a quote may have been left open."
        for line in row.lines[1:]:
            inner = next(iter(parse(iter([line]), self._dialect))).cells or []
            if len(inner) == len(self._names) and self._ids.like(self._id_of(inner)):
                return "it holds lines that look like rows; a quote may have been left open."
        return ""

    def _id(self, row: Row) -> str:
        return self._id_of(row.cells or [])

    def _id_of(self, cells: list[str]) -> str:
        at = self._at.get(self._fields.id)
        return cells[at] if at is not None else ""

    def record(self, where: str, row: Row, remark: str) -> Record:
        cells = row.cells or []
        kept = {n: cells[self._at[n]] for n in self._kept}
        return Record(where, cells[self._at[self._fields.text]], kept, remark)


def _where(row: Row) -> str:
    last = row.number + len(row.lines) - 1
    return f"line {row.number}" if last <= row.number else f"lines {row.number} to {last}"


def _line_end(row: Row) -> str:
    last = row.lines[-1] if row.lines else ""
    return last[len(last.rstrip("\r\n")) :]


def _header(row: list[str] | None, fields: Fields) -> list[str]:
    """Names of the fields. If they do not look like names they may be a text, and are not shown."""
    names = [name.strip() for name in row or []]
    if fields.text not in names and not (names and any(map(is_usual, names))):
        raise InputError(
            f"no field {got(fields.text)} in the first row of the CSV file, which must name its "
            f"{len(names)} field{'s' * (len(names) != 1)}; name the one of the text with "
            "--text-field, or the sign between fields with --delimiter."
        )
    if len(set(names)) < len(names):
        raise InputError("the first row of a CSV file names a field twice; rename one.")
    fields.check(names)
    return names


def names_fields(start: str, text_field: str) -> bool:
    """Whether an input begins with a row of names, the text's or only usual ones among them."""
    sample = start.splitlines(keepends=True)[:SAMPLE]
    if len(sample) < 2:
        return False
    first, second, *_ = (*parse(iter(sample), dialect_of(sample)), Row(1, []), Row(1, []))
    names = [name.strip() for name in first.cells or []]
    if len(names) < 2 or len(second.cells or []) != len(names):
        return False
    return text_field in names or all(map(is_usual, names))


def _sample(lines: Iterator[str]) -> list[str]:
    found: list[str] = []
    size = 0
    while len(found) < SAMPLE and size < SAMPLED and (line := next(lines, None)) is not None:
        found.append(line)
        size += len(line)
    return found


def _decoded(raw: Iterator[bytes], remarks: dict[int, str]) -> Iterator[str]:
    """Lines as text; a remark on the first that is not UTF-8, under its number."""
    told = False
    for number, line in enumerate(raw, start=1):
        decoded = decode_line(line)
        if decoded.remark and not told:
            remarks[number], told = decoded.remark, True
        yield decoded.text
