"""What a sharded run has done so far, in a hidden folder beside its output: an entry for a shard.

An entry is written before its shard is published, so that a run which is killed between the
two finds the shard again and publishes it, and no document is released twice.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import IO, Any

from nomdeplume import strict_json
from nomdeplume.engine.folders import File, Folder, Local
from nomdeplume.engine.shards import Done, Shard
from nomdeplume.errors import InputError, PlumeError, at
from nomdeplume.formats.spool import held

DAMAGED = "what the interrupted run has left is damaged; remove it and start over."
RUN, LEASE, ENTRY = "run.json", "lease", re.compile(r"\d{5,}\.json")


@dataclass(frozen=True)
class Entry:
    """A shard that was released: of what, into what, and what is in it."""

    number: int
    source: str
    size: int
    stamp: str
    target: str  # nothing, if no document was released
    ready: str  # where it waits, until it is published
    sha256: str
    released: int
    withheld: list[tuple[int, str]]  # positions and reasons
    refused: int  # of these, by the ledger
    charged: int  # documents
    without_words: int
    fields: list[str]
    run: str  # that charged it

    @classmethod
    def of(cls, shard: Shard, done: Done, *, charged: int, refused: int, run: str) -> Entry:
        return cls(
            shard.number,
            shard.file.name,
            shard.file.size,
            shard.file.stamp,
            shard.target if done.ready else "",
            done.ready,
            done.sha256,
            done.released,
            done.withheld,
            refused,
            charged,
            done.without_words,
            list(done.fields),
            run,
        )

    @property
    def file(self) -> File:
        return File(self.source, self.size, self.stamp)


@dataclass
class State:
    """The entries of a run and of those that it goes on with."""

    folder: Folder
    digest: str = ""
    entries: dict[int, Entry] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)  # of sources, whoever named them first
    runs: list[str] = field(default_factory=list)  # by what a ledger calls them
    resumed: bool = False
    earlier: list[str] = field(default_factory=list)  # shards of a run that is not gone on with
    _lock: IO[bytes] | None = None
    _token: str = field(default_factory=lambda: secrets.token_hex(8))

    @classmethod
    def open(
        cls, target: Folder, digest: str, run: str, *, resume: bool, force: bool = False
    ) -> State:
        """That of an interrupted run, if it is to go on, or an empty one; nobody else has it."""
        state = cls(target.parent(private=True).inner(f".{target.name}.resume"), digest)
        state.folder.make()
        if isinstance(state.folder, Local):
            state._lock = held(state.folder.path / "lock")
        try:
            found = state._found()
            if found and not resume and not force:
                raise InputError(
                    f"an interrupted run has left {at(state.folder.address)}: go on with --resume, "
                    "or say --force to start over."
                )
            if found and resume and found["digest"] != digest:
                raise InputError("the interrupted run had other options; resume it with the same.")
            if found:
                state._read(found)
            else:
                state._clean()
            state.resumed = found is not None and resume
            if not state.resumed:
                state._start_over()
            state.runs.append(run)
            state.note()
            state.folder.write_text(LEASE, state._token)
        except BaseException:
            state.close()
            raise
        return state

    def check(self) -> None:
        """Refuse to go on if another run has taken over: where nothing can be locked, they may."""
        if self.folder.read_text(LEASE) != self._token:
            raise PlumeError("another run has taken over this output; this one has stopped.")

    def add(self, entry: Entry) -> None:
        self.folder.write_text(_name(entry.number), json.dumps(asdict(entry)))
        self.entries[entry.number] = entry

    def number(self, source: str) -> int:
        """Of a source: the one that it had, or the next."""
        return self.numbers.setdefault(source, len(self.numbers) + 1)

    def note(self) -> None:
        """Keep the numbers, before anything is released under them."""
        told = {"digest": self.digest, "runs": self.runs, "sources": list(self.numbers)}
        self.folder.write_text(RUN, json.dumps(told))

    def remove(self) -> None:
        """All of it, beginning with what a run goes on by: half of it would look unfinished."""
        self.folder.remove(RUN)
        self.folder.clear()
        self.close()

    def close(self) -> None:
        if self._lock:
            self._lock.close()
            self._lock = None

    def _start_over(self) -> None:
        """Forget what an interrupted run has released, but for the names of it."""
        self.earlier = [entry.target for entry in self.entries.values() if entry.target]
        for number in self.entries:
            self.folder.remove(_name(number))
        self.entries, self.numbers, self.runs = {}, {}, []

    def _clean(self) -> None:
        """Remove entries of a run that was complete, and was killed while it tidied up."""
        for name in self.folder.names():
            if ENTRY.fullmatch(name):
                self.folder.remove(name)

    def _found(self) -> Mapping[str, Any] | None:
        if self.folder.file(RUN) is None:
            return None
        return _sound(self.folder.read_text(RUN), {"digest": str, "runs": list, "sources": list})

    def _read(self, found: Mapping[str, Any]) -> None:
        if not all(isinstance(each, str) for each in (*found["runs"], *found["sources"])):
            raise InputError(DAMAGED)
        self.runs = list(found["runs"])
        self.numbers = {source: i for i, source in enumerate(found["sources"], start=1)}
        for number in self.numbers.values():
            if self.folder.file(_name(number)) is not None:
                data = _sound(self.folder.read_text(_name(number)), KINDS)
                if not all(map(_is_pair, data["withheld"])):
                    raise InputError(DAMAGED)
                self.entries[number] = Entry(**data)


KINDS = {each.name: {"str": str, "int": int}.get(str(each.type), list) for each in fields(Entry)}


def _name(number: int) -> str:
    return f"{number:05}.json"


def _is_pair(value: Any) -> bool:
    """Whether this is a position and a reason."""
    match value:
        case [int(), str()]:
            return True
    return False


def _sound(text: str, kinds: Mapping[str, type]) -> dict[str, Any]:
    try:
        data = strict_json.loads(text)
        known = isinstance(data, dict) and set(data) == set(kinds)
        if known and all(isinstance(data[name], kinds[name]) for name in kinds):
            return dict(data)
    except (ValueError, KeyError):
        pass
    raise InputError(DAMAGED)
