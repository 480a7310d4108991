"""Folders of shards: what engines need of them, and those on this machine."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Protocol

from nomdeplume.errors import InputError, at
from nomdeplume.formats.targets import forget_partials, umask, write_whole
from nomdeplume.formats.texts import files_in


@dataclass(frozen=True)
class File:
    """A file of a folder, and what tells that it is still the same."""

    name: str
    size: int
    stamp: str


class Folder(Protocol):
    """What engines need of a folder. Workers read and write in it, the driver publishes."""

    @property
    def address(self) -> str: ...
    @property
    def name(self) -> str: ...
    def files(self) -> list[File]: ...
    def file(self, name: str) -> File | None: ...
    def reading(self, name: str) -> Any: ...  # a context with a path of this machine
    def writing(self, name: str) -> Any: ...  # the same, to write; it is there afterwards
    def move(self, name: str, other: str) -> None: ...
    def remove(self, name: str) -> None: ...
    def sha256(self, name: str) -> str: ...
    def read_text(self, name: str) -> str: ...
    def write_text(self, name: str, text: str) -> None: ...
    def forget(self, name: str) -> None: ...  # what killed writers of a file have left of it
    def unpublished(self) -> list[str]: ...  # what workers left, whole or not
    def names(self) -> list[str]: ...  # of all files but hidden ones and those that tell of them
    def parent(self, *, private: bool = False) -> Folder: ...
    def inner(self, name: str) -> Folder: ...
    def make(self) -> None: ...
    def clear(self) -> None: ...


def folder(address: str) -> Folder:
    """The folder at a path or an address; what has :// in it is one."""
    if address.startswith("file://"):
        address = address.removeprefix("file://")
    if "://" in address or "::" in address:
        from nomdeplume.engine.remote import Remote

        return Remote(address.rstrip("/"))
    return Local(Path(address).absolute(), typed=address)


@dataclass(frozen=True)
class Local:
    """A folder on this machine, or one that all machines see under the same path."""

    path: Path
    private: bool = False
    typed: str = ""

    @property
    def address(self) -> str:
        return self.typed or str(self.path)

    @property
    def name(self) -> str:
        return self.path.resolve().name

    def files(self) -> list[File]:
        """All that hold texts, in order of name; a file stands for a folder of one."""
        if self.path.is_file():
            return [self._seen(self.path.name, self.path)]
        if not self.path.is_dir():
            raise InputError(f"no file or folder at {at(self.address)}.")
        found = [(path.relative_to(self.path).as_posix(), path) for _, path in files_in(self.path)]
        return [self._seen(name, path) for name, path in found if is_shard(name)]

    def file(self, name: str) -> File | None:
        path = self._at(name)
        return self._seen(name, path) if path.is_file() else None

    @contextmanager
    def reading(self, name: str) -> Iterator[Path]:
        yield self._at(name)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        yield self.path / name

    def move(self, name: str, other: str) -> None:
        source = self.path / name
        if not self.private:
            source.chmod(0o666 & ~umask())
        source.replace(self.path / other)
        _sync(self.path)

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def sha256(self, name: str) -> str:
        with self._at(name).open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def read_text(self, name: str) -> str:
        return (self.path / name).read_text(encoding="utf-8", errors="replace")

    def write_text(self, name: str, text: str) -> None:
        write_whole(self.path / name, text, force=True, private=self.private)
        _sync(self.path)

    def forget(self, name: str) -> None:
        forget_partials(self.path / name)

    def names(self) -> list[str]:
        found = [each.relative_to(self.path).as_posix() for each in self.path.rglob("*")]
        return [name for name in found if is_shard(name)]

    def unpublished(self) -> list[str]:
        return [path.name for path in self.path.iterdir() if is_unpublished(path.name)]

    def parent(self, *, private: bool = False) -> Folder:
        return Local(self.path.resolve().parent, private)

    def inner(self, name: str) -> Folder:
        return Local(self.path / name, self.private)

    def make(self) -> None:
        if self.path.is_file():
            raise InputError(f"{at(self.address)} is a file; an engine writes a folder.")
        if not self.path.resolve().parent.is_dir():
            raise InputError(f"no folder {at(self.path.parent)} to write into; make it first.")
        self.path.mkdir(mode=0o700 if self.private else 0o777, exist_ok=True)

    def clear(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _at(self, name: str) -> Path:
        return self.path if self.path.is_file() else self.path / name

    @staticmethod
    def _seen(name: str, path: Path) -> File:
        try:
            seen = path.stat()
        except OSError:
            return File(name, 0, "gone")  # a link to nowhere; workers will not find it either
        return File(name, seen.st_size, str(seen.st_mtime_ns))


def ready_name(name: str) -> str:
    """A hidden name for a whole shard that is not published yet."""
    return f".{secrets.token_hex(4)}.ready.{name}"


def is_unpublished(name: str) -> bool:
    return re.match(r"\.{1,2}[0-9a-f]{8}\.ready\.", name) is not None


def is_shard(name: str) -> bool:
    """Engines leave others, called _SUCCESS and so on; hidden files are nobody's."""
    return not any(part.startswith(("_", ".")) for part in name.split("/"))


def _sync(path: Path) -> None:
    """See that a name lasts."""
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
