"""A release read back: the records of each document, whatever kind of file they are in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nomdeplume import strict_json
from nomdeplume.formats.kinds import delimiter_of
from nomdeplume.formats.streams import LONGEST, lines, unpacked


def records(path: Path, kind: str) -> Iterator[Mapping[str, Any]]:
    """The documents of a released file as records; those of plain lines have only a text."""
    with path.open("rb") as file:
        if kind in ("parquet", "arrow"):
            from nomdeplume.formats.table_sink import batches

            for batch in batches(file, kind):
                yield from _rows(batch)
            return
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
    """The words of each row; of the other columns only that they are there, and nothing else is."""
    if batch.schema.metadata or len(set(batch.schema.names)) < len(batch.schema.names):
        raise ValueError("a release has no notes and no name twice")
    others = dict.fromkeys(name for name in batch.schema.names if name != "text")
    for text in batch.column("text").to_pylist():
        yield {**others, "text": text}


def _csv(content: io.BufferedReader[Any], delimiter: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(LONGEST)
    rows = csv.reader(
        io.TextIOWrapper(content, "utf-8", newline=""), delimiter=delimiter, strict=True
    )
    names = next(rows, [])
    if len(set(names)) < len(names):
        raise ValueError("a release has no name twice")
    yield from (dict(zip(names, row, strict=True)) for row in rows)
