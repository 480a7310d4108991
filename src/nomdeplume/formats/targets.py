"""Where bytes go: standard output, or a file that appears whole or never."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import sys
from collections.abc import Sequence
from glob import escape
from itertools import combinations, product
from pathlib import Path
from typing import IO, Any, Protocol

from nomdeplume.errors import InputError, at


class Target(Protocol):
    """Where bytes go, and what happens when they are all there."""

    file: IO[bytes]

    def close(self) -> None: ...
    def publish(self) -> None: ...
    def discard(self) -> None: ...


class Stream:
    """Standard output: what is written is published, and cannot be taken back."""

    def __init__(self) -> None:
        if sys.stdout is None:
            raise InputError("standard output is closed; name a file with -o.")
        self.file: IO[bytes] = sys.stdout.buffer

    def close(self) -> None:
        self.file.flush()

    def publish(self) -> None: ...
    def discard(self) -> None: ...


class AtomicFile:
    """A file that appears under its name complete or never.

    It is written beside its place under a hidden name, readable by its owner only, which it
    stays if it is private.
    """

    def __init__(self, path: Path, *, force: bool = False, private: bool = False) -> None:
        vacant(path, force=force)
        self._path, self._force, self._private = path.resolve(), force, private
        self._partial = hidden(self._path)
        self._open()

    def close(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def publish(self) -> None:
        """Take the name; if it was taken meanwhile, only by force."""
        if not self._force:
            vacant(self._path)
        if not self._private:
            self._partial.chmod(0o666 & ~umask())
        self._partial.replace(self._path)
        _unfinished.discard(self._partial)

    def renew(self) -> Path:
        """Begin again in another hidden file; the one so far is the caller's to read and remove."""
        self.file.close()
        old, self._partial = self._partial, hidden(self._path)
        self._open()
        return old

    def content(self) -> io.BufferedReader[Any]:
        """What was written so far, to be read."""
        self.file.flush()
        return self._partial.open("rb")

    def discard(self) -> None:
        self.file.close()
        self._partial.unlink(missing_ok=True)
        _unfinished.discard(self._partial)

    def _open(self) -> None:
        _unfinished.add(self._partial)  # before it is there: an interrupt may come at any time
        opened = os.open(self._partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        self.file: IO[bytes] = os.fdopen(opened, "wb")


_unfinished: set[Path] = set()


def sweep() -> None:
    """Remove what was being written: after an interrupt nobody else may know of it."""
    for path in _unfinished:
        path.unlink(missing_ok=True)


def sweep_partials(path: Path) -> None:
    """Remove what runs that were killed have left beside `path`, whoever knows that none runs."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.partial")
    for found in path.resolve().parent.iterdir():
        if ours.fullmatch(found.name):
            shutil.rmtree(found) if found.is_dir() else found.unlink(missing_ok=True)


def write_whole(path: Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """A small file that appears complete or never; signs that UTF-8 lacks become question marks."""
    file = AtomicFile(path, force=force, private=private)
    try:
        file.file.write(text.encode("utf-8", "replace"))
        file.close()
        file.publish()
    except BaseException:
        file.discard()
        raise


def vacant(path: Path, *, force: bool = False, folder: bool = False) -> None:
    """Refuse to write where something is, unless `force` allows it and it is of the same kind."""
    if not path.name:
        raise InputError(f"the output must have a name, got {at(path)!r}.")
    if not path.resolve().parent.is_dir():
        raise InputError(f"no folder {at(path.parent)} to write into; make it first.")
    if not os.access(path.resolve().parent, os.W_OK):
        raise InputError(f"no permission to write into the folder of {at(path)}.")
    if os.path.lexists(path) and not force:
        raise InputError(f"{at(path)} exists; choose another name, or say --force to replace it.")
    if path.exists() and not (path.is_dir() if folder else path.is_file()):
        raise InputError(
            f"{at(path)} is not a {'folder' if folder else 'file'}; choose another name."
        )


def separate(places: Sequence[Path | None], inputs: Sequence[str]) -> None:
    """Refuse to write over what is read, or to write two things to one place."""
    texts = [Path(name).resolve() for name in inputs if name != "-"]
    resolved = [place.resolve() for place in places if place]
    for one, other in (*product(resolved, texts), *combinations(resolved, 2)):
        if one == other or one in other.parents or other in one.parents:
            raise InputError("inputs, output and certificate must not be or hold one another.")


def hidden(path: Path) -> Path:
    """A name beside `path` that nobody else has."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")


def forget_partials(path: Path) -> None:
    """Remove what writers of a file have left who were killed; nobody else may write it now."""
    for each in path.parent.glob(f".{escape(path.name)}.{8 * '[0-9a-f]'}.partial"):
        each.unlink(missing_ok=True)


def umask() -> int:
    """The permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
