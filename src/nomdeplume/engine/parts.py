"""A shard read part by part, as record batches: texts, and what comes out beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nomdeplume.errors import got
from nomdeplume.extras import arrow
from nomdeplume.formats import columnar
from nomdeplume.formats.columns import bare
from nomdeplume.formats.kinds import Kind
from nomdeplume.formats.reading import records_of
from nomdeplume.formats.records import Fields, Record

ROWS = 1024  # records of a part
SIGNS = 1 << 24  # of texts in a part of records, but for the last of them


@dataclass(frozen=True)
class Part:
    """Some rows of a shard: a batch with their texts, null where one cannot be read, and why."""

    first: int  # position of the first row in the shard, from 1
    batch: Any  # pyarrow.RecordBatch: the text, and of a file of columns the kept ones
    unreadable: dict[int, str]  # reasons by row, from 0
    remarks: dict[int, str]
    fields: list[Mapping[str, Any]] | None = None  # that come out, of a file of records


def parts_of(
    path: Path, kind: Kind, fields: Fields, name: str, delimiter: str | None = None
) -> Iterator[Part]:
    """All parts of a shard, of which errors speak as `name`."""
    if kind in ("parquet", "arrow"):
        return _columns(path, kind, fields, name)
    return _records(path, kind, fields, name, delimiter)


def _columns(path: Path, kind: Kind, fields: Fields, name: str) -> Iterator[Part]:
    first = 1
    for batch, texts in columnar.read_columns(path, name, kind, fields):
        kept = bare(batch.select([each for each in batch.schema.names if each != fields.text]))
        null = f"field {got(fields.text)} is null."
        unreadable = {
            i: str(text or null) for i, text in enumerate(texts) if not isinstance(text, str)
        }
        whole = {fields.text: _strings(texts)} | dict(zip(kept.schema.names, kept, strict=True))
        yield Part(first, arrow().record_batch(whole), unreadable, {})
        first += len(texts)


def _records(
    path: Path, kind: Kind, fields: Fields, name: str, delimiter: str | None
) -> Iterator[Part]:
    first, remaining = 1, iter(records_of(kind, [path], [name], fields, delimiter).records)
    while some := _some(remaining):
        yield Part(
            first,
            arrow().record_batch(
                {fields.text: _strings([None if each.unreadable else each.text for each in some])}
            ),
            {i: each.unreadable for i, each in enumerate(some) if each.unreadable},
            {i: each.remark for i, each in enumerate(some) if each.remark},
            [each.fields for each in some],
        )
        first += len(some)


def _some(remaining: Iterator[Record]) -> list[Record]:
    """The next records, up to so many, and no more once they are long enough together."""
    some, signs = list[Record](), 0
    while len(some) < ROWS and signs < SIGNS and (each := next(remaining, None)) is not None:
        some.append(each)
        signs += len(each.text)
    return some


def _strings(texts: list[Any]) -> Any:
    """A column of texts; half a surrogate pair, which no column can hold, is no letter either."""
    pa = arrow()
    plain = [text if isinstance(text, str) else None for text in texts]
    try:
        return pa.array(plain, pa.large_string())
    except UnicodeEncodeError:
        sound = [text and text.encode("utf-8", "replace").decode() for text in plain]
        return pa.array(sound, pa.large_string())
