"""What a worker does with a shard: read it, release it part by part, leave it to be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nomdeplume.batches import VECTOR, WARNING, Batches
from nomdeplume.engine.folders import File, Folder, ready_name
from nomdeplume.engine.parts import ROWS, Part, parts_of
from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.columns import only
from nomdeplume.formats.kinds import Kind, delimiter_of, named, packing_of
from nomdeplume.formats.records import Fields
from nomdeplume.formats.table_sink import TableSink
from nomdeplume.formats.writing import Sink, open_sink
from nomdeplume.privacy.certificate import NOT_PRIVATE
from nomdeplume.privacy.identifying import ID

NOT_CHARGED = "it was not charged."
STREAMS = 1 << 32  # seeded streams of a shard: more than it has parts
SUFFIX = {"parquet": ".parquet", "arrow": ".arrow", "jsonl": ".jsonl", "csv": ".csv"}
PACKED = {"gzip": ".gz", "zstd": ".zst", "": ""}


@dataclass(frozen=True)
class Shard:
    """One file of the input, by its number, and the file that it becomes."""

    number: int  # from 1
    file: File
    kind: Kind

    @property
    def target(self) -> str:
        """Numbered: a name can tell an author."""
        return f"part-{self.number:05}{SUFFIX[self.kind]}{PACKED[packing_of(self.file.name)]}"

    @property
    def called(self) -> str:
        return f"shard {self.number}"

    @classmethod
    def of(cls, number: int, file: File) -> Shard:
        kind = named(Path(file.name))
        if kind is None:
            raise InputError(
                f"shard {number}: engines take folders of .parquet, .arrow, .jsonl or .csv files."
            )
        return cls(number, file, kind)


@dataclass(frozen=True)
class Handed:
    """A shard as it is handed out: with the rows that were charged, and why others were not."""

    shard: Shard
    granted: bytes | None = None  # 1 at each position, from 1, that may be released; none: all
    refused: Mapping[int, str] = field(default_factory=dict)  # by position

    def why_not(self, position: int) -> str:
        """Why a row may not be released; nothing if it may."""
        if self.granted is None or self.granted[position : position + 1] == b"\1":
            return ""
        return self.refused.get(position, NOT_CHARGED)

    def called(self) -> str:
        return self.shard.called


@dataclass
class Done:
    """What came of a shard: where it waits to be published, and what is in it."""

    number: int
    ready: str = ""  # nothing, if no document was released
    sha256: str = ""
    released: int = 0
    without_words: int = 0
    withheld: list[tuple[int, str]] = field(default_factory=list)  # positions and reasons
    remarks: list[tuple[int, str]] = field(default_factory=list)
    fields: tuple[str, ...] = ()  # that came out beside the words
    failed: str = ""  # why nothing came of it


@dataclass(frozen=True, eq=False)
class Work:
    """From shards of one folder to shards of another, by the one function."""

    function: Batches
    source: Folder
    target: Folder
    fields: Fields  # that are read
    keep: tuple[str, ...] = ()  # of these, the ones that come out
    numbered: bool = True
    delimiter: str | None = None

    def __call__(self, handed: Handed) -> Done:
        return self._tried(handed, careful=False)

    def again(self, handed: Handed) -> Done:
        """After a worker died of it: documents that end a process are found and left out."""
        return self._tried(handed, careful=True)

    def _tried(self, handed: Handed, *, careful: bool) -> Done:
        """What came of it; a file that cannot be read is no reason to stop the others."""
        try:
            return self._done(handed, careful=careful)
        except InputError as error:
            return Done(handed.shard.number, failed=str(error))

    def _done(self, handed: Handed, *, careful: bool) -> Done:
        shard, done = handed.shard, Done(handed.shard.number)
        self._same(shard)
        ready = ready_name(shard.target)
        with self.source.reading(shard.file.name) as path, self.target.writing(ready) as place:
            sink = self._sink(place, shard.kind)
            try:
                delimiter = self.delimiter or delimiter_of(Path(shard.file.name))
                parts = parts_of(path, shard.kind, self.fields, shard.called, delimiter)
                for count, part in enumerate(parts):
                    stream = shard.number * STREAMS + count * ROWS + 1
                    self._part(part, handed, done, sink, stream=stream, careful=careful)
                self._same(shard)
                done.sha256 = sink.close().sha256
                done.ready = ready
                sink.publish()
            except BaseException:
                sink.discard()
                raise
        if not done.released:
            self.target.remove(ready)
            done.ready = done.sha256 = ""
        return done

    def _part(
        self, part: Part, handed: Handed, done: Done, sink: Sink, *, stream: int, careful: bool
    ) -> None:
        size, first = len(part.batch), part.first
        refused = {i: why for i in range(size) if (why := handed.why_not(first + i))}
        keep = tuple(name for name in part.batch.schema.names if name in self.keep)
        outcome = replace(self.function, keep=keep).outcome(
            part.batch, refused=frozenset(refused), stream=stream, careful=careful
        )
        reasons = outcome.withheld | part.unreadable | refused
        done.withheld += [(first + i, reasons[i]) for i in sorted(reasons)]
        done.remarks += [(first + i, said) for i, said in part.remarks.items()]
        done.without_words += outcome.without_words
        kept = part.fields and [only(each, self.keep) for each in part.fields]
        numbers = self._numbers(handed.shard, done.released, size - len(reasons))
        done.released += size - len(reasons)
        self._write(outcome.batch, kept, sink, reasons, numbers)
        beside = kept or [dict.fromkeys(keep)] * size
        first_out = next((each for i, each in enumerate(beside) if i not in reasons), {})
        done.fields = done.fields or tuple(first_out)

    def _numbers(self, shard: Shard, before: int, count: int) -> Iterator[str | None]:
        """A number for each released document: that of the shard, and that within the shard."""
        for number in range(before + 1, before + count + 1):
            yield f"{shard.number}-{number}" if self.numbered else None

    def _write(
        self,
        batch: Any,
        fields: list[Mapping[str, Any]] | None,
        sink: Sink,
        reasons: Mapping[int, str],
        numbers: Iterator[str | None],
    ) -> None:
        """The rows that were released, and no others."""
        if isinstance(sink, TableSink):
            if reasons:
                rows = [i for i in range(len(batch)) if i not in reasons]
                batch = batch.take(arrow().array(rows, arrow().int64()))
            if len(batch):
                sink.write_batch(_named(batch, self.fields.text, list(numbers)))
            return
        words = batch.column(self.fields.text).to_pylist()
        means = batch.column(VECTOR).to_pylist() if self.function.vectors else [None] * len(words)
        for text, beside, mean in zip(words, fields or [], means, strict=True):
            if text is not None:
                sink.write(text, beside, mean, next(numbers))

    def _same(self, shard: Shard) -> None:
        """What was charged must be what is released."""
        found = self.source.file(shard.file.name)
        if found is None:
            raise InputError(f"{shard.called}: a worker does not find it; do all see the folder?")
        if found != shard.file:
            raise InputError(f"{shard.called} was changed while it was read; run it again.")

    def _sink(self, place: Path, kind: Kind) -> Sink:
        return open_sink(
            place,
            kind,
            keep=False,
            warning="" if self.function.job.seed is None else NOT_PRIVATE,
            vectors=self.function.vectors,
            private=True,  # until it is published, which it may never be
        )


def _named(batch: Any, text: str, numbers: list[str | None]) -> Any:
    """Numbers, kept columns, then the words under the name that they have in every release."""
    others = [name for name in batch.schema.names if name not in (text, VECTOR, WARNING)]
    last = [name for name in (VECTOR, WARNING) if name in batch.schema.names]
    named = batch.select([*others, text, *last]).rename_columns([*others, "text", *last])
    if None in numbers:
        return named
    pa = arrow()
    columns = [pa.array(numbers, pa.string()), *named.columns]
    return pa.RecordBatch.from_arrays(columns, names=[ID, *named.schema.names])
