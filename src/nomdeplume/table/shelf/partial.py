"""The part of a download that is there already, and what it is a part of."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from nomdeplume import strict_json
from nomdeplume.errors import TableError

if sys.platform != "win32":
    import fcntl


class Lost(TableError):
    """The connection ended before the file did: what came is worth keeping."""


@dataclass(frozen=True)
class Note:
    """What a partial is a part of: an address, the version that was there, its size in bytes."""

    url: str
    version: str  # an ETag or a date of change
    total: int | None


class Partial:
    """A hidden file beside its target that grows by what arrives; one process holds it.

    With a note it outlives a lost connection and an interruption. Any other error
    removes it, and so does the lack of a note: nobody could tell what to continue.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self.path, self._note_path = places(target)
        self._file = _held(self.path)
        self.size = self._file.seek(0, os.SEEK_END)
        self.note = _read(self._note_path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        published = error is None
        useless = isinstance(error, Exception) and not isinstance(error, Lost)
        if not published and (useless or not self.continuable):
            self.path.unlink(missing_ok=True)
            self._note_path.unlink(missing_ok=True)
        self._file.close()

    @property
    def continuable(self) -> bool:
        return self.note is not None and self.size > 0

    def restart(self, note: Note | None) -> None:
        """Begin again. What was there goes before the note changes: the two never disagree."""
        self._file.truncate(0)
        self.size, self.note = 0, note
        if note:
            self._note_path.write_text(json.dumps(asdict(note)), encoding="utf-8")
        else:
            self._note_path.unlink(missing_ok=True)

    def append(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                count = self._file.write(rest)
            except OSError as error:
                raise TableError(
                    f"{self._target.parent} must have room for the download, got: "
                    f"{error.strerror}; make room and fetch again, nothing is kept."
                ) from None
            rest = rest[count:]
            self.size += count

    def publish(self) -> None:
        """Take the target's name, all bytes on disk."""
        os.fsync(self._file.fileno())
        if sys.platform == "win32":
            self._file.close()  # an open file keeps its name there
        self.path.replace(self._target)
        self._note_path.unlink(missing_ok=True)


def places(target: Path) -> tuple[Path, Path]:
    """Where the part of `target` is, and the note on it."""
    partial = target.with_name(f".{target.name}.partial")
    return partial, partial.with_name(f"{partial.name}.json")


def _held(path: Path) -> FileIO:
    """The file at `path`, which no other process holds, nor took away meanwhile."""
    file = path.open("a+b", buffering=0)
    if not _ours(file, path):
        file.close()
        raise TableError(
            f"only one download of {path.name.removeprefix('.').removesuffix('.partial')} at a "
            "time; another one is under way, wait until it is done."
        )
    return file


def _ours(file: FileIO, path: Path) -> bool:
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())


def _read(path: Path) -> Note | None:
    """The note at `path`, if there is one and it is whole."""
    try:
        note = Note(**strict_json.loads(path.read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError):
        return None
    total = note.total is None or type(note.total) is int
    return note if type(note.url) is type(note.version) is str and total else None
