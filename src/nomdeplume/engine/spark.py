"""Spark: the same function through `mapInArrow`, in one's own job.

    from nomdeplume.engine.spark import obfuscate
    released = obfuscate(df, text="body", keep=["topic"], budget=20)

A data frame of Spark is computed anew whenever somebody asks for it, and noise that is drawn
twice can be averaged away. So what is released is computed here, once, and kept by the
executors; if they lose it, it is lost, and not drawn again.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from inspect import signature
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from nomdeplume.batches import NO_TEXT
from nomdeplume.charging import Charging, charged
from nomdeplume.engine import made
from nomdeplume.errors import InputError, got
from nomdeplume.extras import extra
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.identifying import AUTHOR, ID
from nomdeplume.privacy.ledger.claims import Identity
from nomdeplume.releasing import Offer
from nomdeplume.threads import limit

if TYPE_CHECKING:
    from nomdeplume.batches import Batches
    from nomdeplume.privacy.ledger import Ledger

Refused = dict[int, frozenset[int]]  # rows without room, from 0, by partition


def obfuscate(
    df: Any,
    obfuscator: Obfuscator | None = None,
    *,
    text: str = "text",
    keep: Sequence[str] = (),
    empty: str = "public",
    vectors: bool = False,
    ledger: Ledger | None = None,
    id: str = "",  # noqa: A002 - what the column is called everywhere
    author: str = "",
    allow_identifying_ids: bool = False,
    **recipe: Any,
) -> Any:
    """The data frame with released words in column `text`; of the others only those in `keep`.

    Without an obfuscator, that of a `recipe`: `budget`, `size`, `mechanism` and so on. Rows
    without a text, and those that are withheld, do not come out. With a `ledger`, a partition
    is charged in one transaction before it is released, to the `id` of each row and to its
    `author`; rows without room do not come out either. Kept ids that tell who wrote a text are
    refused before anything is charged, unless `allow_identifying_ids`.
    """
    if id and id == text:
        raise InputError("the text cannot be the id.")
    if df.sparkSession.conf.get("spark.speculation", "false") == "true":
        raise InputError("with spark.speculation noise may be drawn twice; turn it off.")
    releases = made(obfuscator, recipe)
    function = releases.batches(
        text=text,
        keep=keep,
        empty=empty,
        vectors=vectors,
        id=id or ID,
        author=author or AUTHOR,
        allow_identifying_ids=allow_identifying_ids,
    )
    releases.releasing.prepare()
    if ledger is None:
        if (id or author) and not function.ids.names:
            raise InputError("id and author are for a ledger; give one.")
        _check_ids(df, function)
        return _released(df, function, {})
    checked = [name for name in function.ids.authors if name in df.columns]
    private = pinned(_only(df, text, *keep, *filter(None, (id, author)), *checked))
    try:
        _check_ids(private, function)
        refused = _charged(private, text, Charging(ledger, releases.price, Identity(id, author)))
        return _released(private, function, refused)
    finally:
        _forget(private)


def _check_ids(df: Any, function: Batches) -> None:
    """Refuse kept ids that tell who wrote a text, in the driver."""
    if function.ids.names:
        there = [name for name in function.ids.fields if name in df.columns]
        rows = _only(df, *there).toLocalIterator()
        function.ids.all(row.asDict() for row in rows)


def _released(df: Any, function: Batches, refused: Refused) -> Any:
    """The frame through the function, but for rows that were refused."""
    sent = Sent(function, df.sparkSession, refused)
    text, schema = function.text, _schema(df, function)
    found = _only(df, text, *function.keep).mapInArrow(sent, schema)
    return pinned(found.where(f"{_quoted(text)} is not null"), on_disk=True)


def pinned(df: Any, *, on_disk: bool = False) -> Any:
    """The frame computed now, and never again; released rows are let out of memory.

    Spark 3 keeps them there as long as there is room.
    """
    if on_disk and "storageLevel" in signature(df.localCheckpoint).parameters:
        level = extra("pyspark", "Spark jobs", "spark").StorageLevel.DISK_ONLY
        return df.localCheckpoint(eager=True, storageLevel=level)
    return df.localCheckpoint(eager=True)


def _forget(pinned: Any) -> None:
    """Let executors give up private rows that were held until they were released.

    Nobody else's: what this frame consists of is known. A client far away has no hold of it, and
    leaves that to the end of the session.
    """
    if (frame := getattr(pinned, "_jdf", None)) is not None:
        frame.queryExecution().logical().rdd().unpersist(False)


def _schema(df: Any, function: Batches) -> Any:
    """Of what comes out, in Spark's words."""
    types = extra("pyspark.sql.pandas.types", "Spark jobs", "spark")
    private = types.to_arrow_schema(_only(df, function.text, *function.keep).schema)
    return types.from_arrow_schema(function.schema(private))


def _only(df: Any, *names: str) -> Any:
    """The columns that are needed, in their order."""
    for name in names:
        if name not in df.columns:
            there = ", ".join(map(got, df.columns[:20]))
            raise InputError(f"no column {got(name)} in the frame; it has {there or 'none'}.")
    return df.select(*[_quoted(name) for name in df.columns if name in names])


def _quoted(name: str) -> str:
    """A column's name, in which dots are dots."""
    return "`" + name.replace("`", "``") + "`"


def _charged(df: Any, text: str, charging: Charging) -> Refused:
    """Charge partition after partition; the rows for which there was no room."""
    identity = charging.identity
    if not identity.id_field:
        raise InputError("on Spark documents are charged by their id; name its column.")
    functions = extra("pyspark.sql.functions", "Spark jobs", "spark")
    names = [name for name in (identity.id_field, identity.author_field) if name]
    asked = df.select(
        functions.spark_partition_id().alias("__partition"),
        functions.col(_quoted(text)).isNotNull().alias("__there"),
        *map(_quoted, names),
    )
    nameless = asked.where(f"__there and {_quoted(identity.id_field)} is null")
    if nameless.limit(1).count():
        raise InputError("every row must have an id to be charged; some have none.")
    refused: Refused = {}
    for partition, rows in groupby(asked.toLocalIterator(), key=itemgetter(0)):
        offers = [_offer(row, names, charging) for row in rows]
        charge = charged(offers, charging, most=max(1, len(offers)))
        reasons = [each.withheld for each in charge]
        left_out = frozenset(i for i, why in enumerate(reasons) if why not in ("", NO_TEXT))
        if left_out:
            refused[partition] = left_out
    return refused


def _offer(row: Any, names: Sequence[str], charging: Charging) -> Offer:
    """A row by what it is charged to."""
    if not row["__there"]:
        return Offer(withheld=NO_TEXT)
    claim = charging.claim({name: row[name] for name in names})
    return Offer(withheld=charging.identity.nameless) if claim is None else Offer(claim=claim)


class Sent:
    """The function as executors get it: once for a process, however many tasks it has."""

    def __init__(self, function: Batches, session: Any, refused: Refused) -> None:
        pickled = extra(
            "pyspark.cloudpickle", "Spark jobs", "spark"
        )  # what a notebook defines, too
        data = pickled.dumps(function)
        self.key = sha256(data).hexdigest()
        self.refused = refused
        context = getattr(session, "sparkContext", None)  # a client far away has none
        self.data = data if context is None else context.broadcast(data)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Released batches; a task that failed before takes more care, in a process of its own."""
        context = extra("pyspark", "Spark jobs", "spark").TaskContext.get()
        partition, tries = (context.partitionId(), context.attemptNumber()) if context else (0, 0)
        function, first = _opened(self.key, self), 0
        refused = self.refused.get(partition, frozenset())
        for batch in batches:
            rows = frozenset(row - first for row in refused if 0 <= row - first < batch.num_rows)
            yield function.outcome(batch, refused=rows, careful=tries > 0).batch
            first += batch.num_rows

    def pickled(self) -> bytes:
        """What was sent, by a broadcast or as it is."""
        found: bytes = getattr(self.data, "value", self.data)
        return found


class _Known:
    """What this process was sent last."""

    key = ""
    pid = 0
    function: Any = None


def _opened(key: str, sent: Sent) -> Any:
    """The function, with a generator that is keyed in this process and in no other."""
    if (_Known.key, _Known.pid) != (key, os.getpid()):
        limit(1)
        _Known.function = pickle.loads(sent.pickled())  # noqa: S301 - from our own driver
        _Known.key, _Known.pid = key, os.getpid()
    return _Known.function
