"""A release read back: the records of each document, whatever kind of file they are in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nomdeplume import strict_json
from nomdeplume.extras import arrow
from nomdeplume.formats.kinds import delimiter_of
from nomdeplume.formats.streams import LONGEST, lines, unpacked
from nomdeplume.frames.plain import is_text


def records(path: Path, kind: str, *, ours: bool = True) -> Iterator[Mapping[str, Any]]:
    """The documents of a released file as records; those of plain lines have only a text.

    A file that is `ours` says nothing about itself; pandas notes the names of its columns.
    """
    if kind in ("parquet", "arrow"):
        from nomdeplume.formats.columnar import check_sound, guarded
        from nomdeplume.formats.table_sink import batches

        for batch in guarded(batches(path, kind), path):
            check_sound(batch)
            if batch.schema.metadata and ours:
                raise ValueError("a release has no notes")
            yield from _rows(batch)
        return
    with path.open("rb") as file:
        content = unpacked(file, str(path))
        if kind == "csv":
            yield from _csv(content, delimiter_of(path) or ",")
        elif kind == "jsonl":
            for line in lines(content, str(path)):
                yield strict_json.loads(line.decode("utf-8"))
        else:
            for line in lines(content, str(path)):
                yield {"text": line.decode("utf-8", "replace").removesuffix("\n")}


def _rows(batch: Any) -> Iterator[dict[str, Any]]:
    """The rows, with strings, whole numbers and lists; of others only that they are there."""
    names = batch.schema.names
    if len(set(names)) < len(names):
        raise ValueError("a release has no name twice")
    shown = [name for name in names if _is_shown(batch.schema.field(name).type)]
    columns = {name: batch.column(name).to_pylist() for name in shown}
    for i in range(batch.num_rows):
        yield {name: columns[name][i] if name in columns else None for name in names}


def _is_shown(kind: Any) -> bool:
    types = arrow().types
    return is_text(kind) or types.is_integer(kind) or types.is_list(kind)


def _csv(content: io.BufferedReader[Any], delimiter: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(LONGEST)
    with io.TextIOWrapper(content, "utf-8", newline="") as text:
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        names = next(rows, [])
        if len(set(names)) < len(names):
            raise ValueError("a release has no name twice")
        yield from (dict(zip(names, row, strict=True)) for row in rows)
