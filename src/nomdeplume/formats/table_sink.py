"""Documents as Parquet or Arrow: kept columns as they were, the released words beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import file_digest
from itertools import groupby
from pathlib import Path
from typing import Any

from nomdeplume.batches import column_type
from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.columns import Row
from nomdeplume.formats.targets import AtomicFile
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.identifying import ID

NOTHING: Mapping[str, Any] = {}
ROWS = 1 << 14  # rows written together
BYTES = 1 << 24  # of words, at most, written together


class TableSink:
    """Gathers some rows, then writes them; the schema is that of the first, or wider."""

    def __init__(self, target: AtomicFile, path: Path, *, kind: str, warning: str = "") -> None:
        self._target, self._path, self._kind, self._warning = target, path, kind, warning
        self._words: list[str] = []
        self._numbers: list[int | str | None] = []
        self._fields: list[Mapping[str, Any]] = []
        self._beside: list[Mapping[str, Any]] = []
        self._batches: list[Any] = []
        self._bytes = self._rows = 0
        self._writer: Any = None
        self._schema: Any = None
        self._known: dict[str, Any] = {}

    def write(
        self,
        words: str,
        fields: Mapping[str, Any],
        beside: Mapping[str, Any] = NOTHING,
        number: int | str | None = None,
    ) -> None:
        self._words.append(words)
        self._numbers.append(number)
        self._fields.append(fields)
        self._beside.append(beside)
        self._bytes += len(words) + _weight(fields) + 8 * sum(map(len, beside.values()))
        if len(self._words) >= ROWS or self._bytes >= BYTES:
            self._flush()

    def write_batch(self, batch: Any) -> None:
        """Rows that are columns already: kept ones, the words, and what goes with them."""
        self._batches.append(batch)
        self._bytes += batch.nbytes
        self._rows += batch.num_rows
        if self._rows >= ROWS or self._bytes >= BYTES:
            self._flush()

    def close(self) -> Output:
        self._flush()
        if self._writer:
            self._writer.close()
        with self._target.content() as file:
            found = file_digest(file, "sha256").hexdigest()
        self._target.close()
        return Output(self._kind, found)

    def publish(self) -> None:
        self._target.publish()

    def discard(self) -> None:
        with suppress(Exception):  # it is thrown away, whatever state it is in
            if self._writer:
                self._writer.close()
        self._target.discard()

    def _flush(self) -> None:
        """Write what was gathered, under a schema that holds it and all before it."""
        if not self._words and not self._batches:
            return
        pa = arrow()
        try:
            table = self._gathered() if self._words else self._joined()
            schemas = [each for each in (self._schema, table.schema) if each is not None]
            schema = pa.unify_schemas(schemas, promote_options="permissive")
            if schema != self._schema:
                self._widen(schema)
            self._writer.write_table(_fitted(table, schema))
        except UnicodeEncodeError:
            raise InputError(
                "a kept field is not Unicode, which a column must be; write to a .jsonl file."
            ) from None
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            raise InputError(
                "a kept field changes its type on the way, which a column cannot; "
                "write to a .jsonl file."
            ) from None
        self._words, self._numbers, self._batches = [], [], []
        self._fields, self._beside = [], []
        self._bytes = self._rows = 0

    def _widen(self, schema: Any) -> None:
        """Go on under a wider schema: what was written so far is written again under it."""
        if self._writer is None:
            self._writer, self._schema = self._opened(schema), schema
            return
        self._writer.close()
        old = self._target.renew()
        try:
            self._writer, self._schema = self._opened(schema), schema
            for batch in batches(old, self._kind):
                table = arrow().Table.from_batches([batch])
                self._writer.write_table(_fitted(table, schema))
        finally:
            old.unlink()

    def _opened(self, schema: Any) -> Any:
        pa = arrow()
        if self._kind == "parquet":
            import pyarrow.parquet as pq

            return pq.ParquetWriter(self._target.file, schema, compression="zstd")
        packing = "lz4" if self._path.suffix.lower() == ".feather" else None
        options = pa.ipc.IpcWriteOptions(compression=packing, emit_dictionary_deltas=True)
        return pa.ipc.new_file(self._target.file, schema, options=options)

    def _joined(self) -> Any:
        """The batches so far as a table."""
        pa = arrow()
        tables = [pa.Table.from_batches([batch]) for batch in self._batches]
        table = pa.concat_tables(tables, promote_options="permissive")
        arrays = [self._compact(name, table.column(name)) for name in table.column_names]
        return pa.table(arrays, names=table.column_names)

    def _gathered(self) -> Any:
        """The rows so far as a table: numbers, kept columns, words, and what goes with them."""
        pa = arrow()
        parts = [_table(list(rows)) for _, rows in groupby(self._fields, key=_source)]
        kept = pa.concat_tables(parts, promote_options="permissive")
        arrays = [self._compact(name, kept.column(name)) for name in kept.column_names]
        names = [*kept.column_names, "text"]
        arrays.append(pa.array(self._words, pa.string()))
        if self._numbers[0] is not None:
            names.insert(0, ID)
            arrays.insert(0, pa.array(self._numbers))
        for name in self._beside[0]:
            names.append(name)
            arrays.append(pa.array([each[name] for each in self._beside], column_type(name)))
        if self._warning:
            names.append("warning")
            arrays.append(pa.array([self._warning] * len(self._words)))
        return pa.table(arrays, names=names)

    def _compact(self, name: str, column: Any) -> Any:
        """A category column with the categories of released rows only, in order of appearance.

        Its own list may hold values of rows that are withheld, or of other files.
        """
        pa = arrow()
        if not pa.types.is_dictionary(column.type):
            return column
        import pyarrow.compute as pc

        values = column.cast(column.type.value_type).combine_chunks()
        known = self._known.get(name, values.slice(0, 0))
        fresh = pc.unique(values.drop_null())
        fresh = fresh.filter(pc.invert(pc.is_in(fresh, value_set=known)))
        known = self._known[name] = pa.concat_arrays([known, fresh])
        kind = column.type.index_type
        kind = kind if len(known) < 2 ** (kind.bit_width - 1) else pa.int32()
        codes = pc.index_in(values, value_set=known).cast(kind)
        return pa.DictionaryArray.from_arrays(codes, known)


def _fitted(table: Any, schema: Any) -> Any:
    """A table under a wider schema: columns that it lacks are null."""
    pa = arrow()
    for field in schema:
        if field.name not in table.column_names:
            table = table.append_column(field.name, pa.nulls(len(table), field.type))
    return table.select(schema.names).cast(schema)


def _weight(fields: Mapping[str, Any]) -> int:
    """About how many bytes the kept fields of a row have."""
    if isinstance(fields, Row):
        return fields.columns.weight
    return sum(len(value) for value in fields.values() if isinstance(value, str))


def _source(row: Mapping[str, Any]) -> int:
    """Rows of the same columns have the same source, and so have all plain records."""
    return id(row.columns) if isinstance(row, Row) else 0


def _table(rows: list[Mapping[str, Any]]) -> Any:
    """Rows of one source as a table: columns as they are; of plain records, null what some lack."""
    pa = arrow()
    if isinstance(rows[0], Row):
        picked = pa.array([row.index for row in rows if isinstance(row, Row)])
        return pa.Table.from_batches([rows[0].columns.batch.take(picked)])
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        return pa.table([pa.nulls(len(rows))], names=["none"]).select([])
    return pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})


def batches(path: Path, kind: str) -> Iterator[Any]:
    """The batches of a Parquet or Arrow file, read by this thread and no other."""
    pa = arrow()
    if kind == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path, pre_buffer=False) as file:
            yield from file.iter_batches(batch_size=ROWS, use_threads=False)
        return
    options = pa.ipc.IpcReadOptions(use_threads=False)
    with pa.OSFile(str(path)) as raw, pa.ipc.open_file(raw, options=options) as reader:
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)
