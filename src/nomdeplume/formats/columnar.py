"""Parquet and Arrow: the columns that are needed, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from nomdeplume.errors import InputError, Unreadable, got
from nomdeplume.extras import arrow
from nomdeplume.formats.columns import Columns, Row, bare, check_plain
from nomdeplume.formats.decode import decode
from nomdeplume.formats.kinds import begins
from nomdeplume.formats.records import Fields, Meter, Record
from nomdeplume.formats.streams import RATIO, Damaged, unnamed
from nomdeplume.frames.plain import check_text

T = TypeVar("T")

ROWS = 1024  # at most, in a batch
BYTES = 1 << 24  # about, in a batch
END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def read_files(
    paths: list[Path], names: list[str], kind: str, fields: Fields, meter: Meter
) -> Iterator[Record]:
    """The rows of some files in order. A file whose fields are not right is refused at once."""
    for path, name in zip(paths, names, strict=True):
        place = "row" if len(paths) == 1 else f"{name}, row"
        with unnamed(name):
            done, size, before = 0, path.stat().st_size, meter.bytes
            for batch, rows in _batches(path, name, kind, fields):
                yield from _records(batch, fields, place, done)
                done += batch.num_rows
                meter.bytes = before + size * done // max(rows, 1)
            meter.bytes = before + size


def read_columns(
    path: Path, name: str, kind: str, fields: Fields
) -> Iterator[tuple[Any, list[str | Unreadable | None]]]:
    """The batches of one file, each with its texts."""
    with unnamed(name):
        for batch, _ in _batches(path, name, kind, fields):
            yield batch, _texts(batch.column(fields.text))


def _batches(path: Path, name: str, kind: str, fields: Fields) -> Iterator[tuple[Any, int]]:
    """Batches of the columns that are needed, each with the number of rows in the file."""
    with path.open("rb") as file:
        if begins(file.read(8)) != kind:
            raise InputError(f"{name} is no {kind.capitalize()} file, though it should be.")
    batches = _parquet(path, fields) if kind == "parquet" else _arrow(path, name, fields)
    yield from guarded(batches, name)


def guarded(found: Iterator[T], name: str | Path) -> Iterator[T]:
    """What is found in a file; where Arrow fails, the file is damaged."""
    pa = arrow()
    while True:
        try:
            one = next(found, None)
        except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError, SystemError):
            raise Damaged(name) from None
        if one is None:
            return
        yield one


def _parquet(path: Path, fields: Fields) -> Iterator[tuple[Any, int]]:
    """Pages are read as they are needed, so that a row group may be of any size."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        names = _needed(file.schema_arrow, fields)
        read = partial(file.iter_batches, columns=names, use_threads=False)
        for i in range(file.num_row_groups):
            _ = next(read(batch_size=1, row_groups=[i]), None)
            size = max(1, min(ROWS, BYTES // max(_width(file, i, names), 1)))
            for batch in read(batch_size=size, row_groups=[i]):
                yield batch, file.metadata.num_rows


def _width(file: Any, number: int, names: list[str]) -> int:
    """Bytes of the columns in a row of a group, of which a row was read before.

    To ask for what is said of a column aborts the whole process where that is damaged; to
    read it fails as it should. So only columns are asked for that could be read.
    """
    group = file.metadata.row_group(number)
    places = [i for i in range(len(file.schema)) if file.schema.column(i).path in names]
    return sum(_bytes_of_a_row(group.column(i), max(group.num_rows, 1)) for i in places)


def _bytes_of_a_row(column: Any, rows: int) -> int:
    """What a value takes on average; all, if it may be one that is stored once for many rows."""
    size = int(column.total_uncompressed_size)
    if column.has_dictionary_page:
        listed = column.data_page_offset - (column.dictionary_page_offset or 0)
        packed = max(column.total_compressed_size, 1)
        if 2 * listed > packed or size > RATIO * packed:
            return size
    return size // rows


def _arrow(path: Path, name: str, fields: Fields) -> Iterator[tuple[Any, int]]:
    """A file or a stream of batches; each is read whole, and handed on in parts."""
    pa = arrow()
    with pa.OSFile(str(path)) as raw:
        start = raw.read(6)
        raw.seek(0)
        if start[:4] == b"FEA1":
            raise InputError(f"{name} is Feather of version 1; save it as version 2.")
        as_file = start == b"ARROW1"
        opened = pa.ipc.open_file if as_file else pa.ipc.open_stream
        schema = opened(raw).schema
        names = _needed(schema, fields)
        columns = [schema.names.index(name) for name in names]
        options = pa.ipc.IpcReadOptions(included_fields=columns, use_threads=False)
        raw.seek(0)
        reader = opened(raw, options=options)
        batches = _numbered(reader) if as_file else _streamed(reader, path)
        size, done = path.stat().st_size, 0
        for batch in batches:
            check_sound(batch)  # before anything is asked of it
            done += batch.num_rows
            rows = done * size // max(raw.tell(), 1)  # how many there will be, about
            step = max(1, min(ROWS, BYTES * batch.num_rows // max(batch.nbytes, 1)))
            for i in range(0, batch.num_rows, step):
                yield batch.slice(i, step), rows


def _numbered(reader: Any) -> Iterator[Any]:
    for i in range(reader.num_record_batches):
        yield reader.get_batch(i)


def _streamed(reader: Any, path: Path) -> Iterator[Any]:
    """The batches of a stream, which is whole only if it says so at its end."""
    yield from reader
    with path.open("rb") as file:
        file.seek(-len(END_OF_STREAM), 2)
        if file.read() != END_OF_STREAM:
            raise EOFError


def check_sound(batch: Any) -> None:
    """Raise if a batch points outside itself.

    A changed offset could show one column's values under the name of another. Strings are
    looked at as bytes: in which encoding they are is another matter.
    """
    pa = arrow()
    views = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
    for column in batch.columns:
        column.validate()
        if column.type in views:
            column.view(views[column.type]).validate(full=True)
        else:
            column.validate(full=True)


def _needed(schema: Any, fields: Fields) -> list[str]:
    """The text and what is released beside it, if the file has them and they are plain."""
    fields.check(schema.names, told=True)
    for name in (fields.text, *fields.beside, *fields.extra):
        if schema.names.count(name) > 1:
            raise InputError(f"field {got(name)} is there twice; rename one.")
    check_text(fields.text, schema.field(fields.text).type)
    kept = [name for name in fields.beside if name in schema.names]
    for name in kept:
        check_plain(name, schema.field(name).type)
    return [fields.text, *kept, *(name for name in fields.extra if name in schema.names)]


def _records(batch: Any, fields: Fields, place: str, done: int) -> Iterator[Record]:
    kept = [name for name in batch.schema.names if name != fields.text]
    columns = Columns(bare(batch.select(kept)))
    for i, text in enumerate(_texts(batch.column(fields.text))):
        where = f"{place} {done + i + 1}"
        if text is None:
            yield Record(where, unreadable=f"field {got(fields.text)} is null.")
        elif isinstance(text, Unreadable):
            yield Record(where, unreadable=str(text))
        else:
            yield Record(where, text, Row(columns, i))


def _texts(column: Any) -> list[str | Unreadable | None]:
    """The strings of a column; any that is not UTF-8, though it should be, as it decodes."""
    pa = arrow()
    if pa.types.is_dictionary(column.type):
        used = column.indices.unique().drop_null()
        known = dict(zip(used.to_pylist(), _texts(column.dictionary.take(used)), strict=True))
        return [known.get(i) for i in column.indices.to_pylist()]  # a text once, however often
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        values = column.cast(pa.large_binary()).to_pylist()
        return [None if value is None else _decoded(value) for value in values]


def _decoded(value: bytes) -> str | Unreadable:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return decode(value).text
    except Unreadable as error:
        return error
