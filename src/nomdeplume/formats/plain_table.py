"""A table of private figures as a file, for its owner to read: CSV, JSONL, Parquet or Arrow."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.kinds import PACKABLE, delimiter_of, named, packing_of
from nomdeplume.formats.streams import packer
from nomdeplume.formats.targets import AtomicFile, Stream, Target

Columns = Mapping[str, Sequence[Any]]
ROWS = 1 << 12  # put together before they are written


def check_name(output: Path | None) -> None:
    """Say what cannot be written before anything is computed for it."""
    kind = "csv" if output is None else named(output)
    packing = packing_of(output.name) if output else ""
    if kind is None or (packing and kind not in PACKABLE):
        raise InputError(
            "figures go to a file named .parquet, .arrow, .csv or .jsonl (the last two also "
            f".gz, .zst), got {output and output.name}."
        )
    if kind in ("parquet", "arrow") or packing == "zstd":
        arrow()


def write_file(output: Path, data: bytes, *, force: bool = False) -> None:
    """Bytes as a file that appears whole or never, for its owner to read."""
    _write(output, lambda file: file.write(data), force=force)


def _write(output: Path | None, write: Callable[[IO[bytes]], object], *, force: bool) -> None:
    """What is written into a file that appears whole or never, or to standard output."""
    target: Target = AtomicFile(output, force=force, private=True) if output else Stream()
    try:
        write(target.file)
        target.close()
        target.publish()
    except BaseException:
        target.discard()
        raise


def write_table(columns: Columns, output: Path | None, *, force: bool = False) -> None:
    """Columns of one length, named; as CSV if there is no name to tell."""
    kind = "csv" if output is None else named(output)
    if output is not None and kind in ("parquet", "arrow"):
        _write(output, lambda file: _columnar(columns, kind, file), force=force)
        return
    delimiter = (delimiter_of(output) if output else None) or ","
    lines = _csv(columns, delimiter) if kind == "csv" else _jsonl(columns)
    packing = packing_of(output.name) if output else ""

    def write(file: IO[bytes]) -> None:
        packed = packer(packing, file.write)
        for line in lines:
            (packed or file).write(line)
        if packed:
            packed.close()

    _write(output, write, force=force)


def _rows(columns: Columns) -> Iterator[tuple[Any, ...]]:
    return zip(*(map(_plain, column) for column in columns.values()), strict=True)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _csv(columns: Columns, delimiter: str) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    for number, row in enumerate(_rows(columns), start=1):
        writer.writerow(row)
        if number % ROWS == 0:
            yield _taken(text)
    yield _taken(text)


def _taken(text: io.StringIO) -> bytes:
    data = text.getvalue().encode("utf-8", "backslashreplace")
    text.seek(0)
    text.truncate()
    return data


def _jsonl(columns: Columns) -> Iterator[bytes]:
    for row in _rows(columns):
        line = json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=True, allow_nan=False)
        yield f"{line}\n".encode()


def _columnar(columns: Columns, kind: str | None, file: IO[bytes]) -> None:
    pa = arrow()
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    if kind == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, file)
    else:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
