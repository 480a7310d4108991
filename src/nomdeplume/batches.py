"""One function for every engine: a private record batch goes in, a released one comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nomdeplume.errors import InputError, got
from nomdeplume.extras import arrow
from nomdeplume.frames.of_arrow import Arrow
from nomdeplume.frames.plain import STRINGS, check_text
from nomdeplume.mechanism.contract import STANDIN, VECTOR, Released
from nomdeplume.privacy.certificate import NOT_PRIVATE
from nomdeplume.privacy.identifying import AUTHOR, ID, IdCheck
from nomdeplume.releasing import LOST, Job, Offer

WARNING = "warning"  # a column that a seeded release has
NO_WORDS = "no kept words."
NO_TEXT = "no text."
EMPTY = ("public", "withhold")


@dataclass
class Outcome:
    """One released batch: its rows, and the reasons for those that were withheld."""

    batch: Any  # pyarrow.RecordBatch, of as many rows
    withheld: dict[int, str] = field(default_factory=dict)  # reasons by row, from 0
    without_words: int = 0  # released as the public bag


@dataclass(frozen=True, eq=False)
class Batches:
    """Releases the texts of record batches, wherever it is called: it is sent without a generator.

    Of the other columns those in `keep` come out, built anew from the values in their rows. A
    text that is null, or withheld, is null in what comes out.
    """

    job: Job
    text: str = "text"
    keep: Sequence[str] = ()
    empty: str = "public"
    vectors: bool = False
    id: str = ID  # the column of ids, which are checked if they are kept
    author: str = AUTHOR  # the column by which ids are checked, if it is there
    allow_identifying_ids: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.keep, str) or not isinstance(self.keep, Iterable):
            raise InputError(f"keep must be a list of names, got {type(self.keep).__name__}.")
        object.__setattr__(self, "keep", tuple(self.keep))
        names = (self.text, *self.keep)
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise InputError("text and keep must name different columns, each once, by strings.")
        for name in {WARNING, *self.beside} & set(names):
            raise InputError(f"column {got(name)} has a meaning of its own; rename it.")
        if self.empty not in EMPTY:
            raise InputError(f"empty must be {' or '.join(EMPTY)}, got {got(self.empty)}.")

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that come after the kept ones: noisy means, ids of stand-ins."""
        return (*[VECTOR] * self.vectors, *[STANDIN] * bool(self.job.sources))

    def __call__(self, batch: Any) -> Any:
        """The batch, released."""
        return self.outcome(batch).batch

    def again(self, batch: Any) -> Any:
        """Release the batch in another process, after one has died of it."""
        return self.outcome(batch, careful=True).batch

    def outcome(
        self,
        batch: Any,
        *,
        refused: frozenset[int] = frozenset(),
        stream: int = 1,
        careful: bool = False,
    ) -> Outcome:
        """Release a batch, without the rows that are refused.

        Seeded streams are numbered from `stream` on, one for each of `job.batches`.
        """
        if not isinstance(batch, arrow().RecordBatch):
            raise InputError(f"a batch must be a pyarrow RecordBatch, got {type(batch).__name__}.")
        schema = self.schema(batch.schema)
        self._check_ids(batch)
        texts = self._texts(batch)
        out = Outcome(batch)
        rows = [i for i, text in enumerate(texts) if text is not None and i not in refused]
        found: list[Released | None] = [None] * len(texts)
        items = (text for i in rows if (text := texts[i]) is not None)
        for row, released in zip(rows, self._released(items, stream, careful), strict=True):
            if released is None:
                out.withheld[row] = LOST
            elif released.kept or self.empty == "public":
                found[row], out.without_words = released, out.without_words + (not released.kept)
            else:
                out.withheld[row] = NO_WORDS
        out.withheld |= {i: NO_TEXT for i, text in enumerate(texts) if text is None}
        out.batch = self._built(batch, schema, found)
        return out

    def schema(self, private: Any) -> Any:
        """That of what comes out, given that of what goes in; refuses what cannot be released."""
        pa = arrow()
        for name in (self.text, *self.keep):
            if private.names.count(name) != 1:
                there = "no" if name not in private.names else "more than one"
                raise InputError(f"{there} column {got(name)} in the batch.")
        check_text(self.text, private.field(self.text).type)
        fields = [
            pa.field(name, self._type(private.field(name).type), nullable=True)
            if name == self.text
            else pa.field(name, private.field(name).type, private.field(name).nullable)
            for name in private.names
            if name in (self.text, *self.keep)
        ]
        fields += [pa.field(name, column_type(name)) for name in self.beside]
        if self.job.seed is not None:
            fields.append(pa.field(WARNING, pa.string()))
        return pa.schema(fields)

    @cached_property
    def ids(self) -> IdCheck:
        """The check that refuses ids which tell who wrote a document."""
        return IdCheck.of(
            self.keep, id_=self.id, author=self.author, allowed=self.allow_identifying_ids
        )

    def _check_ids(self, batch: Any) -> None:
        if not self.ids.names:
            return
        names = batch.schema.names
        there = [name for name in self.ids.fields if name in names]
        for name in there:
            if names.count(name) > 1:
                raise InputError(f"more than one column {got(name)} in the batch.")
        try:
            rows = batch.select(there).to_pylist()
        except (arrow().ArrowException, ValueError, OverflowError):
            raise InputError(
                "the columns of ids and authors hold values that cannot be compared; leave ids out "
                "of keep, or add allow_identifying_ids=True."
            ) from None
        self.ids.all(rows)

    @staticmethod
    def _type(kind: Any) -> Any:
        """Of released words: as the texts were, if they were plain strings."""
        return kind if str(kind) in STRINGS else arrow().string()

    def _texts(self, batch: Any) -> list[str | None]:
        try:
            return list(batch.column(self.text).to_pylist())
        except UnicodeDecodeError:
            raise InputError(f"column {got(self.text)} must hold Unicode.") from None

    def _released(
        self, texts: Iterable[str], stream: int, careful: bool
    ) -> Iterator[Released | None]:
        do = self.job.again if careful else self.job
        for group in self.job.groups(map(Offer, texts), stream):
            yield from do(group.batch)

    def _built(self, batch: Any, schema: Any, found: Sequence[Released | None]) -> Any:
        pa = arrow()
        source = Arrow(pa.Table.from_batches([batch]), batch.schema.names)
        columns: dict[str, Any] = {name: source.kept(name).combine_chunks() for name in self.keep}
        words = [each and each.text for each in found]
        columns[self.text] = pa.array(words, schema.field(self.text).type)
        if self.vectors:
            means = [each and each.mean for each in found]
            columns[VECTOR] = pa.array(means, column_type(VECTOR))
        if sources := self.job.sources:
            ids = [each and sources[each.text] for each in found]
            columns[STANDIN] = pa.array(ids, column_type(STANDIN))
        if WARNING in schema.names:
            columns[WARNING] = pa.array([NOT_PRIVATE] * len(found), pa.string())
        return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def column_type(name: str) -> Any:
    """The type of a column that comes after the texts."""
    pa = arrow()
    return pa.list_(pa.float64()) if name == VECTOR else pa.string()
