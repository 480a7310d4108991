"""The work on a shard: a worker reads it, has it charged, and releases it part by part."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from nomdeplume.batches import WARNING, Batches
from nomdeplume.charging import NO_ROOM, content_of
from nomdeplume.engine.folders import File, Folder, ready_name
from nomdeplume.engine.parts import ROWS, Part, parts_of
from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.columns import Columns, only
from nomdeplume.formats.kinds import Kind, delimiter_of, named, packing_of
from nomdeplume.formats.records import Fields
from nomdeplume.formats.table_sink import TableSink
from nomdeplume.formats.writing import Sink, open_sink
from nomdeplume.mechanism.contract import STANDIN, VECTOR
from nomdeplume.privacy.certificate import NOT_PRIVATE
from nomdeplume.privacy.identifying import ID
from nomdeplume.privacy.ledger.claims import Digests, Identity
from nomdeplume.workers.asking import ask

IN_MEMORY = 1 << 26  # bytes of a shard that wait in memory until it is charged
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
    identity: Identity | None = None  # of documents that are charged

    def __call__(self, shard: Shard) -> Done:
        return self._tried(shard, careful=False)

    def again(self, shard: Shard) -> Done:
        """After a worker died of it: documents that end a process are found and left out."""
        return self._tried(shard, careful=True)

    def _tried(self, shard: Shard, *, careful: bool) -> Done:
        """What came of it; a file that cannot be read is no reason to stop the others."""
        try:
            return self._done(shard, careful=careful)
        except InputError as error:
            return Done(shard.number, failed=str(error))

    def _done(self, shard: Shard, *, careful: bool) -> Done:
        done = Done(shard.number)
        self._same(shard)
        ready = ready_name(shard.target)
        with self.source.reading(shard.file.name) as path, self.target.writing(ready) as place:
            sink = self._sink(place, shard.kind)
            try:
                delimiter = self.delimiter or delimiter_of(Path(shard.file.name))
                parts = parts_of(path, shard.kind, self.fields, shard.called, delimiter)
                for count, (part, refused) in enumerate(self._charged(parts)):
                    stream = shard.number * STREAMS + count * ROWS + 1
                    self._part(part, refused, done, sink, stream=stream, careful=careful)
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

    def _charged(self, parts: Iterable[Part]) -> Iterator[tuple[Part, dict[int, str]]]:
        """Each part with the rows that must not be released, by row from 0, and the reasons.

        If documents are charged, all of a shard are charged by the driver, in one transaction,
        before the first is released: a shard that cannot be read to its end costs nothing. Its
        parts wait until then, large ones in a file without a name.
        """
        if self.identity is None:
            yield from ((part, part.unreadable) for part in parts)
            return
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as waiting:
            claimed, count = list[Digests](), 0
            for part in parts:
                digests = self._digests(part, self.identity)
                claimed += filter(None, digests)
                known = [each is not None for each in digests]
                pickle.dump((_compact(part), known), waiting, protocol=5)
                count += 1
            granted = iter(ask(claimed))
            waiting.seek(0)
            for _ in range(count):
                part, known = pickle.load(waiting)  # noqa: S301 - written above
                room = [each and next(granted) for each in known]
                yield part, self._refused(part, known, room, self.identity)

    def _digests(self, part: Part, identity: Identity) -> list[Digests | None]:
        """The digests of each row; None if it cannot be read, or if its author is not known."""
        releasing = self.function.job.releasing
        content = partial(content_of, releasing.mechanism, releasing.vocabulary)
        texts = part.batch.column(self.fields.text).to_pylist()
        beside = part.fields or _rows(part.batch, (identity.id_field, identity.author_field))
        return [
            None if i in part.unreadable else identity.digests(fields, partial(content, text))
            for i, (fields, text) in enumerate(zip(beside, texts, strict=True))
        ]

    @staticmethod
    def _refused(
        part: Part, known: list[bool], room: list[bool], identity: Identity
    ) -> dict[int, str]:
        nameless = {i: identity.nameless for i, there in enumerate(known) if not there}
        full = {i: NO_ROOM for i, there in enumerate(known) if there and not room[i]}
        return nameless | full | part.unreadable

    def _part(
        self,
        part: Part,
        refused: Mapping[int, str],
        done: Done,
        sink: Sink,
        *,
        stream: int,
        careful: bool,
    ) -> None:
        size, first = len(part.batch), part.first
        keep = tuple(name for name in part.batch.schema.names if name in self.keep)
        outcome = replace(self.function, keep=keep).outcome(
            part.batch, refused=frozenset(refused), stream=stream, careful=careful
        )
        reasons = {**outcome.withheld, **part.unreadable, **refused}
        done.withheld += [(first + i, reasons[i]) for i in sorted(reasons)]
        done.remarks += [(first + i, said) for i, said in part.remarks.items()]
        done.without_words += outcome.without_words
        kept = part.fields and [only(each, self.keep) for each in part.fields]
        numbers = self._numbers(done, size - len(reasons))
        done.released += size - len(reasons)
        self._write(outcome.batch, kept, sink, reasons, numbers)
        beside = kept or [dict.fromkeys(keep)] * size
        first_out = next((each for i, each in enumerate(beside) if i not in reasons), {})
        done.fields = done.fields or tuple(first_out)

    def _numbers(self, done: Done, count: int) -> list[str | None]:
        """A number for each released document: that of the shard, and that within the shard."""
        following = range(done.released + 1, done.released + count + 1)
        return [f"{done.number}-{number}" if self.numbered else None for number in following]

    def _write(
        self,
        batch: Any,
        fields: list[Mapping[str, Any]] | None,
        sink: Sink,
        reasons: Mapping[int, str],
        numbers: Sequence[str | None],
    ) -> None:
        """The rows that were released, and no others."""
        if isinstance(sink, TableSink):
            if reasons:
                rows = [i for i in range(len(batch)) if i not in reasons]
                batch = batch.take(arrow().array(rows, arrow().int64()))
            if len(batch):
                sink.write_batch(_named(batch, self.fields.text, numbers))
            return
        words = batch.column(self.fields.text).to_pylist()
        after = batch.select(self.function.beside).to_pylist()
        following = iter(numbers)
        for text, kept, beside in zip(words, fields or [], after, strict=True):
            if text is not None:
                sink.write(text, kept, beside, next(following))

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


def _compact(part: Part) -> Part:
    """The part with its own rows alone: a slice of a batch is pickled with the whole batch."""
    rows = arrow().array(range(len(part.batch)), arrow().int64())
    return replace(part, batch=part.batch.take(rows))


def _rows(batch: Any, names: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of some columns, where they are there, as plain values."""
    there = [name for name in names if name in batch.schema.names]
    return Columns(batch.select(there)).rows()


def _named(batch: Any, text: str, numbers: Sequence[str | None]) -> Any:
    """Numbers, kept columns, then the words under the name that they have in every release."""
    after = (VECTOR, STANDIN, WARNING)
    others = [name for name in batch.schema.names if name not in (text, *after)]
    last = [name for name in after if name in batch.schema.names]
    named = batch.select([*others, text, *last]).rename_columns([*others, "text", *last])
    if None in numbers:
        return named
    pa = arrow()
    columns = [pa.array(numbers, pa.string()), *named.columns]
    return pa.RecordBatch.from_arrays(columns, names=[ID, *named.schema.names])
