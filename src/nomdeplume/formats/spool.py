"""What a run has released so far, in a hidden file beside its output, so that it can be resumed.

A line for each released document, by its number in the input; texts and fields are read
again. The file is private, only one run can hold it, and it goes when the output is there.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.random import Generator

from nomdeplume import strict_json
from nomdeplume._version import __version__
from nomdeplume.errors import InputError
from nomdeplume.formats.reading import rereadable
from nomdeplume.formats.texts import files_in
from nomdeplume.mechanism.contract import Released
from nomdeplume.privacy.random import keyed

try:
    import fcntl
except ImportError:  # Windows: two runs can write one output there, as without a spool
    fcntl = None  # type: ignore[assignment]


KEY = re.compile("[0-9a-f]{64}")
WAITING = 1 << 13  # bytes that are not yet in the file, at most


class Spool:
    """Released documents by number: those of interrupted runs, then those of this one."""

    def __init__(self, output: Path, digest: str, run: str, *, resume: bool) -> None:
        """Begin a spool for what `digest` stands for, or go on with the one that is there."""
        self.path = spool_of(output)
        self._file = held(self.path)
        found = Found.read(self._file)
        self.resumed = resume and found.digest != ""
        self.started_over = not resume and len(found.numbers) > 0
        try:
            if self.resumed and found.digest != digest:
                raise InputError(
                    "the interrupted run had other inputs or options; resume it with the same, or "
                    "leave --resume out to start over."
                )
            self.found = found if self.resumed else Found()
            self._at, self.documents = 0, len(self.found.numbers)
            self._file.truncate(self.found.end)
            self._file.seek(self.found.end)
            self._put(*([] if self.resumed else [{"digest": digest}]), {"run": run})
            self._file.flush()
        except BaseException as error:
            if not (isinstance(error, InputError) or len(found.numbers)):
                self.path.unlink(missing_ok=True)  # an interrupt: nobody else knows of it yet
            self._file.close()
            raise
        _open.add(self)

    def take(self, number: int) -> Released | None:
        """What was released for a document before, if it was; numbers are asked for in order."""
        while self._at < len(self.found.numbers) and self.found.numbers[self._at] < number:
            self._at += 1  # what is not asked for now is withheld
        if self._at == len(self.found.numbers) or self.found.numbers[self._at] != number:
            return None
        self._before.seek(self.found.offsets[self._at])
        _, text, mean, kept = json.loads(self._before.readline())
        self._at += 1
        return Released(text, mean, kept)

    def generator(self) -> Generator:
        """A generator under a secret key that the spool keeps: resumed runs draw the same."""
        if not self.found.key:
            self.found.key = secrets.token_hex(32)
            self._put({"key": self.found.key})
            self._file.flush()
        return keyed(bytes.fromhex(self.found.key))

    @cached_property
    def _before(self) -> IO[bytes]:
        return self.path.open("rb")

    def add(self, number: int, released: Released, *, vectors: bool) -> None:
        """Keep what was released, before it is written anywhere else."""
        self._put([number, released.text, released.mean if vectors else None, released.kept])
        self.documents += 1

    def finish(self, sha: str, code: int) -> None:
        """Note what the output will be: if it is there under its name, all is done."""
        self._put({"done": f"{sha} {code}"})
        self._file.flush()

    def remove(self) -> None:
        _open.discard(self)
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Leave it behind, for a run that resumes."""
        for file in (self._file, *filter(None, [vars(self).get("_before")])):
            file.close()

    def _put(self, *lines: Any) -> None:
        for line in lines:
            self._file.write(json.dumps(line, ensure_ascii=False).encode("utf-8") + b"\n")


_open: set[Spool] = set()


def resumable() -> bool:
    """Whether this process leaves released documents behind that --resume can go on with."""
    return any(spool.documents for spool in _open)


class Found:
    """What is in a spool, as far as it is sound."""

    def __init__(self) -> None:
        self.digest = self.done = ""  # done: the hash of the output, and how it ended
        self.key = ""  # of the generator that resumed runs share
        self.runs: list[str] = []  # that wrote to it, by what a ledger calls them
        self.numbers = self.offsets = np.empty(0, dtype=np.int64)
        self.end = 0  # bytes that are sound

    @classmethod
    def read(cls, file: IO[bytes]) -> Found:
        """Line after line; whatever a crash tore off is as if it had not been written."""
        found, numbers, offsets = cls(), array("q"), array("q")
        file.seek(0)
        for line in file:
            data = _line(line)
            if isinstance(data, list) and found.digest:
                numbers.append(data[0])
                offsets.append(found.end)
            elif isinstance(data, dict):
                found.runs += filter(None, [data.pop("run", "")])
                found.digest = data.get("digest", found.digest)
                found.done = data.get("done", found.done)
                found.key = data.get("key", found.key)
            else:
                break
            found.end += len(line)
        order = np.argsort(np.frombuffer(numbers, dtype=np.int64), kind="stable")
        found.numbers = np.frombuffer(numbers, dtype=np.int64)[order]
        found.offsets = np.frombuffer(offsets, dtype=np.int64)[order]
        return found


def _line(line: bytes) -> list[Any] | dict[str, str] | None:
    """A document, or what is said about all, if the line is whole."""
    try:
        data: Any = strict_json.loads(line.decode()) if line.endswith(b"\n") else None
    except ValueError:
        return None
    match data:
        case [int(number), str(), None | list(), bool()] if 0 < number < 1 << 60:
            return list(data)
        case {"digest": str()} | {"run": str()} | {"done": str()} if len(data) == 1:
            return dict(data)
        case {"key": str(key)} if len(data) == 1 and KEY.fullmatch(key):
            return dict(data)
    return None


def spool_of(output: Path) -> Path:
    resolved = output.resolve()
    return resolved.with_name(f".{resolved.name}.resume")


def digest_of(inputs: Sequence[str], settings: Mapping[str, Any]) -> str:
    """What a run is: what it reads, as it is on the disk, and all that shapes a release.

    Nothing if its inputs cannot be read again.
    """
    if not rereadable(inputs):
        return ""
    files = []
    for name in inputs:
        path = Path(name)
        for inner, file in files_in(path):
            if file.exists():
                seen = file.stat()
                files.append((str(path.resolve()), inner, seen.st_size, seen.st_mtime_ns))
    whole = json.dumps([__version__, files, settings], sort_keys=True, default=str)
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def held(path: Path) -> IO[bytes]:
    """The file, open for this run alone."""
    while True:
        flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
        file = os.fdopen(os.open(path, flags, 0o600), "r+b", WAITING)
        try:
            seen = os.fstat(file.fileno())
            if os.name == "posix" and (seen.st_uid != os.geteuid() or seen.st_mode & 0o077):
                raise InputError(f"{path} is somebody else's, or open to others; remove it.")
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file  # else another run finished meanwhile, and took it away
        except BlockingIOError:
            file.close()
            raise InputError("another run is writing this output; wait for it.") from None
        except BaseException:
            file.close()
            raise
        file.close()
