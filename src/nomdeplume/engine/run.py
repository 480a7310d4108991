"""The driver of a sharded run: it hands out shards, charges them, and publishes the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from nomdeplume.charging import NO_ROOM, Charging
from nomdeplume.engine import Engine
from nomdeplume.engine.folders import Folder
from nomdeplume.engine.manifest import MANIFEST, SUCCESS, hash_of, private, public
from nomdeplume.engine.shards import Done, Shard, Work
from nomdeplume.engine.state import Entry, State
from nomdeplume.errors import BudgetSpent, InputError, PrivacyError
from nomdeplume.formats.columns import raw
from nomdeplume.formats.kinds import delimiter_of
from nomdeplume.formats.reading import records_of
from nomdeplume.formats.records import Record
from nomdeplume.formats.release import Tally
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.identifying import IdCheck
from nomdeplume.privacy.ledger.claims import Claim, Digests
from nomdeplume.workers.isolate import Lost

FAILED = 8  # shards that cannot be read, after which there is no point in going on
UNIT = {"jsonl": "record"}  # what a position counts; rows elsewhere


@dataclass(eq=False)
class Run:
    """One release of a folder of shards into another.

    A worker reads a shard and asks this process to charge its documents, all in one transaction,
    before it releases the first. This process alone publishes the shard, after its entry in the
    state: whichever process dies, a document is in the output once, and never uncharged.
    """

    work: Work
    state: State
    engine: Engine
    charging: Charging | None = None
    ids: IdCheck = field(default_factory=IdCheck)
    tell: Callable[[str], None] = lambda _: None
    advance: Callable[[int], None] = lambda _: None
    resumed: int = 0  # documents that runs before have released
    _charges: dict[int, list[bool]] = field(default_factory=dict)  # by shard: what was granted
    _failed: list[str] = field(default_factory=list)
    _again: dict[int, str] = field(default_factory=dict)  # shards released before, and what changed

    @cached_property
    def shards(self) -> list[Shard]:
        """The files of the input, numbered in order of name, or as they were numbered before."""
        files = self.work.source.files()
        names = {file.name for file in files}
        for source, number in self.state.numbers.items():
            if source not in names and number in self.state.entries:
                raise InputError(
                    f"shard {number} was released before and is no longer in the input; put it "
                    "back under its name, or start over in another folder."
                )
        found = [Shard.of(self.state.number(file.name), file) for file in files]
        if not found:
            raise InputError("the folder holds no files.")
        if len({shard.kind for shard in found}) > 1:
            raise InputError("shards must be all of one kind; run each kind by itself.")
        self.state.note()
        return sorted(found, key=lambda shard: shard.number)

    @property
    def entries(self) -> list[Entry]:
        return [self.state.entries[shard.number] for shard in self.shards]

    @property
    def output(self) -> Output:
        """What was released, as a certificate states it."""
        return Output(self.shards[0].kind, hash_of(self.entries))

    @property
    def tally(self) -> Tally:
        entries = self.entries
        return Tally(
            released=sum(each.released for each in entries),
            withheld=sum(len(each.withheld) for each in entries),
            refused=sum(each.refused for each in entries),
            resumed=self.resumed,
            without_words=sum(each.without_words for each in entries),
            fields=next((tuple(each.fields) for each in entries if each.fields), ()),
        )

    def all(self) -> Tally:
        """Release every shard that is not there yet."""
        todo = [shard for shard in self.shards if not self._is_there(shard)]
        self._sweep()  # all that is still to come is made anew
        self.advance(len(self.shards) - len(todo))
        todo = self._checked(todo)
        by_number = {shard.number: shard for shard in todo}
        if todo:
            self.work.target.remove(SUCCESS)  # of a run that was killed at its very end
            try:
                self._map(todo, by_number)
            finally:
                self._sweep({entry.ready for entry in self.state.entries.values()})
        self._stop_for_failed()
        tally = self.tally
        if tally.refused and not tally.released:
            raise BudgetSpent(f"all {tally.refused:,} documents have {NO_ROOM} None is released.")
        if not tally.released and not tally.withheld:
            raise InputError("the input holds no document.")
        return tally

    def _checked(self, todo: list[Shard]) -> list[Shard]:
        """Refuse ids that tell an author before any shard is charged or released.

        Shards that cannot be read have failed: nothing of them is released.
        """
        if not self.ids.names:
            return todo
        checked = []
        for shard in todo:
            try:
                self._check_ids(shard)
            except InputError as error:
                self._fail(shard, str(error))
            else:
                checked.append(shard)
        return checked

    def _check_ids(self, shard: Shard) -> None:
        for position, record in enumerate(self._records(shard), start=1):
            if not record.unreadable:
                place = f"{shard.called}, {UNIT.get(shard.kind, 'row')} {position}"
                self.ids.one(place, raw(record.fields, self.ids.fields))

    def _map(self, todo: list[Shard], by_number: Mapping[int, Shard]) -> None:
        first = sorted(todo, key=lambda shard: shard.number not in self._again)
        with self.engine.open(self.work) as crew:
            done_in_any_order = crew.map(
                first, attrgetter("called"), count=len(todo), going_on=True, reply=self._granted
            )
            for done in done_in_any_order:
                if isinstance(done, Lost):
                    self._failed.append(str(done))
                else:
                    self._finish(by_number[done.number], done)
                self.advance(1)

    def conclude(self, certify: Callable[[], None]) -> None:
        """Say what the output consists of, and, last of all, that it is complete."""
        target, name = self.work.target, self.work.target.name
        self.state.check()
        expected = {entry.target for entry in self.entries}
        if strays := [each for each in target.names() if each not in expected]:
            raise InputError(
                f"{len(strays):,} files in the output are not of this release; remove them."
            )
        _write(target, MANIFEST, public(self.entries))
        _write(target.parent(private=True), f"{name}.shards.json", private(self.entries))
        certify()
        _write(target, SUCCESS, "")
        self.state.remove()

    def _is_there(self, shard: Shard) -> bool:
        """Whether a run before has released it, as it is now, and its output is as it was then."""
        entry, target = self.state.entries.get(shard.number), self.work.target
        if entry is None:
            if self.state.resumed and target.file(shard.target) is not None:
                raise PrivacyError(
                    f"{shard.called}: its output is there, and the record of its release is not; "
                    "remove the output and start over."
                )
            return False
        if entry.file != shard.file:
            return self._released_again(shard, entry, "its input was changed")
        if entry.target and not self._matches(entry.target, entry.sha256):
            if not self._matches(entry.ready, entry.sha256):
                return self._released_again(shard, entry, "its output is not as it was released")
            target.move(entry.ready, entry.target)  # killed before it could
        self.resumed += entry.released
        self._tell_withheld(shard, entry.withheld)
        return True

    def _released_again(self, shard: Shard, entry: Entry, why: str) -> bool:
        """Say that documents are released and charged again; refused where no ledger counts them.

        Noise that is drawn again for the same texts adds to what these have lost.
        """
        if not entry.released:
            self.tell(f"{shard.called}: {why}; no document had been released of it.")
        elif self.charging:
            self._again[shard.number] = why
        else:
            raise PrivacyError(
                f"{shard.called}: {why}. Its {entry.released:,} documents would be released a "
                "second time, with new noise, and no ledger charges them. Put the file back as it "
                "was; or release all documents again with --force in place of --resume."
            )
        return False

    def _granted(self, shard: Shard, digests: Sequence[Digests]) -> list[bool]:
        """For each document of a shard, True if it was charged: only those may be released.

        A worker that does a shard again, after another has died, is told the same.
        """
        if self.charging is None:
            raise PrivacyError(f"{shard.called}: there is no ledger to charge.")
        if shard.number not in self._charges:
            claims = list(map(self.charging.ledger.claims.of, digests))
            why = self._again.get(shard.number)
            self._charges[shard.number] = (
                self._charged_again(claims, self.charging, shard, why)
                if why
                else self.charging.granted(claims)
            )
        room = self._charges[shard.number]
        if len(room) != len(digests):
            raise PrivacyError(f"{shard.called} was changed while it was read; run it again.")
        return room

    def _charged_again(
        self, claims: Sequence[Claim], charging: Charging, shard: Shard, why: str
    ) -> list[bool]:
        """Charge all documents of a shard that was released before, or none of them.

        If there is no room for one, the output of the shard stays as it is.
        """
        entry = self.state.entries[shard.number]
        try:
            granted = charging.granted(claims, together=True)
        except BudgetSpent:
            raise PrivacyError(
                f"{shard.called}: {why}. Its {entry.released:,} documents would be released a "
                "second time, with new noise, and the ledger has no room for them; none of them "
                "was charged again. Put the file back as it was, or raise the limit."
            ) from None
        self.tell(
            f"{shard.called}: {why}; it is released again, after {entry.released:,} documents "
            f"before, and {len(claims):,} are charged again."
        )
        return granted

    def _matches(self, name: str, sha256: str) -> bool:
        target = self.work.target
        return target.file(name) is not None and target.sha256(name) == sha256

    def _records(self, shard: Shard) -> Iterator[Record]:
        work, name = self.work, shard.file.name
        delimiter = work.delimiter or delimiter_of(Path(name))
        with work.source.reading(name) as path:
            found = records_of(shard.kind, [path], [shard.called], work.fields, delimiter)
            yield from found.records

    def _finish(self, shard: Shard, done: Done) -> None:
        """Note it, then publish it: what was noted is found again if this process ends between."""
        if done.failed:
            self._fail(shard, done.failed)
            return
        room = self._charges.pop(shard.number, [])
        granted, refused = sum(room), len(room) - sum(room)
        if self.charging and done.released > granted:
            raise PrivacyError(f"{shard.called} holds more documents than were charged.")
        run = self.charging.run if self.charging else ""
        self.state.check()
        self.state.add(Entry.of(shard, done, charged=granted, refused=refused, run=run))
        if done.ready:
            self.work.target.move(done.ready, shard.target)
        else:
            self.work.target.remove(shard.target)  # of a run before, when there was something
        self._tell_withheld(shard, done.withheld)
        unit = UNIT.get(shard.kind, "row")
        for position, remark in done.remarks:
            self.tell(f"{shard.called}, {unit} {position}: {remark}.")

    def _tell_withheld(self, shard: Shard, withheld: Iterable[Sequence[Any]]) -> None:
        unit = UNIT.get(shard.kind, "row")
        for position, reason in withheld:
            self.tell(f"{shard.called}, {unit} {position}: withheld: {reason}")

    def _fail(self, shard: Shard, said: str) -> None:
        """A shard that cannot be read: the others go on, unless many are like it."""
        called = "" if said.startswith(shard.called) else f"{shard.called}: "
        self._failed.append(f"{called}{said}")
        if len(self._failed) == FAILED:
            self._stop_for_failed()

    def _stop_for_failed(self) -> None:
        if not self._failed:
            return
        *others, last = self._failed
        for said in others:
            self.tell(said)
        raise InputError(last)

    def _sweep(self, waiting: Set[str] = frozenset()) -> None:
        """Remove what workers that were killed have left, but for what waits to be published."""
        for name in self.work.target.unpublished():
            if name not in waiting:
                self.work.target.remove(name)


def _write(folder: Folder, name: str, text: str) -> None:
    """A file of the whole release, in place of what a run before may have begun of it."""
    folder.forget(name)
    folder.write_text(name, text)
