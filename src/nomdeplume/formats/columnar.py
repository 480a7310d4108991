"""Parquet and Arrow: the columns that are needed, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.columns import Columns, Row, bare, check_plain, check_text
from nomdeplume.formats.decode import decode
from nomdeplume.formats.records import Fields, Meter, Record, Withheld

ROWS = 4096  # at most, in a batch
BYTES = 1 << 24  # of text, about, in a batch
DAMAGED = "{} is damaged or cut short; make it again."


def read_files(
    paths: list[Path], kind: str, fields: Fields, meter: Meter
) -> Iterator[Record | Withheld]:
    """The rows of some files in order. A file whose fields are not right is refused at once."""
    for path in paths:
        place = "row" if len(paths) == 1 else f"{path}, row"
        done, size, before = 0, path.stat().st_size, meter.bytes
        for batch, rows in _batches(path, kind, fields):
            yield from _records(batch, fields, place, done)
            done += batch.num_rows
            meter.bytes = before + size * done // max(rows, 1)
        meter.bytes = before + size


def _batches(path: Path, kind: str, fields: Fields) -> Iterator[tuple[Any, int]]:
    """Batches of the columns that are needed, each with the number of rows in the file."""
    pa = arrow()
    batches = _parquet(path, fields) if kind == "parquet" else _arrow(path, fields)
    while True:
        try:
            found = next(batches, None)
        except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError):
            raise InputError(DAMAGED.format(path)) from None
        if found is None:
            return
        yield found


def _parquet(path: Path, fields: Fields) -> Iterator[tuple[Any, int]]:
    """Pages are read as they are needed, so that a row group may be of any size."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        names = _needed(file.schema_arrow, fields)
        rows = file.metadata.num_rows
        heavy = _width(file.metadata, fields.text) if rows else 0
        size = max(1, min(ROWS, BYTES // max(heavy, 1)))
        for batch in file.iter_batches(batch_size=size, columns=names):
            yield batch, rows


def _width(metadata: Any, name: str) -> int:
    """Bytes of a row's text in the row group where it is longest on average."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    at = metadata.schema.names.index(name)
    widths = [g.column(at).total_uncompressed_size // max(g.num_rows, 1) for g in groups]
    return int(max(widths, default=0))


def _arrow(path: Path, fields: Fields) -> Iterator[tuple[Any, int]]:
    """A file or a stream of batches; each is read whole, and handed on in parts."""
    pa = arrow()
    with pa.OSFile(str(path)) as raw:
        start = raw.read(6)
        raw.seek(0)
        if start[:4] == b"FEA1":
            raise InputError(f"{path} is Feather of version 1; save it as version 2.")
        opened = pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream
        names = _needed(opened(raw).schema, fields)
        raw.seek(0)
        every = opened(raw).schema.names
        options = pa.ipc.IpcReadOptions(included_fields=[every.index(name) for name in names])
        raw.seek(0)
        reader = opened(raw, options=options)
        batches = iter(reader) if start != b"ARROW1" else _numbered(reader)
        size, done = path.stat().st_size, 0
        for batch in batches:
            done += batch.num_rows
            rows = done * size // max(raw.tell(), 1)  # how many there will be, about
            step = max(1, min(ROWS, BYTES * batch.num_rows // max(batch.nbytes, 1)))
            for i in range(0, batch.num_rows, step):
                yield batch.slice(i, step), rows


def _numbered(reader: Any) -> Iterator[Any]:
    for i in range(reader.num_record_batches):
        yield reader.get_batch(i)


def _needed(schema: Any, fields: Fields) -> list[str]:
    """The text and what is released beside it, if the file has them and they are plain."""
    fields.check(schema.names, columns=True)
    check_text(fields.text, schema.field(fields.text).type)
    kept = [name for name in fields.released if name in schema.names]
    for name in kept:
        check_plain(name, schema.field(name).type)
    return [fields.text, *kept]


def _records(batch: Any, fields: Fields, place: str, done: int) -> Iterator[Record | Withheld]:
    texts = _texts(batch.column(fields.text))
    kept = [name for name in fields.released if name in batch.schema.names]
    columns = Columns(bare(batch.select(kept)))
    for i, text in enumerate(texts):
        where = f"{place} {done + i + 1}"
        if text is None:
            yield Withheld(where, f"field {fields.text!r} is null.")
        else:
            yield Record(where, text, Row(columns, i))


def _texts(column: Any) -> list[str | None]:
    """The strings of a column; any that is not UTF-8, though it should be, as it decodes."""
    pa = arrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    try:
        strings: list[str | None] = column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast(pa.large_binary()).to_pylist()
        return [None if value is None else decode(value).text for value in values]
    return strings
