"""Folders at any address that fsspec knows."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any

from nomdeplume.engine.folders import File, Folder, is_shard, is_unpublished
from nomdeplume.errors import InputError, at
from nomdeplume.extras import extra
from nomdeplume.formats.streams import unnamed

COPIED = 1 << 20  # bytes at a time
STAMPS = (  # by which stores tell that a file is another
    *("ETag", "etag", "md5Hash", "LastModified", "last_modified", "mtime"),
    *("modificationTime", "modify", "updated", "created"),
)
CACHES = ("simplecache", "filecache", "blockcache", "cached")  # of fsspec


@dataclass(frozen=True)
class Remote:
    """A folder at an address: files are brought here without a name, and what is made is sent.

    Texts are on this machine's disk while they are worked on, in a file that nobody else can
    open and that is gone with the process, however it ends.
    """

    address: str

    @property
    def name(self) -> str:
        return self.address.rpartition("/")[2]

    def files(self) -> list[File]:
        fs, root = self._opened
        with self._told():
            found = fs.find(root, detail=True)
        names = {path.removeprefix(f"{root}/"): info for path, info in found.items()}
        if self._is_file:
            names = {self.name: found[root]}
        if not names:
            raise InputError(f"no file or folder at {at(self.address)}.")
        return [_told(name, info) for name, info in sorted(names.items()) if is_shard(name)]

    def file(self, name: str) -> File | None:
        fs, _ = self._opened
        with self._told(), suppress(FileNotFoundError):
            fs.invalidate_cache()
            return _told(name, fs.info(self._at(name)))
        return None

    @contextmanager
    def reading(self, name: str) -> Iterator[Path]:
        fs, _ = self._opened
        with _nameless() as (file, path):
            with self._told(), fs.open(self._at(name), "rb") as source:
                shutil.copyfileobj(source, file, COPIED)
            file.flush()
            yield path

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """A place here, from where it goes to its place there if all went well."""
        fs, _ = self._opened
        with tempfile.TemporaryDirectory() as here:  # released words only
            made = Path(here) / Path(name).name
            yield made
            with self._told(), made.open("rb") as source, fs.open(self._at(name), "wb") as file:
                shutil.copyfileobj(source, file, COPIED)

    def move(self, name: str, other: str) -> None:
        with self._told():
            self._opened[0].mv(self._at(name), self._at(other))

    def remove(self, name: str) -> None:
        with self._told(), suppress(FileNotFoundError):
            self._opened[0].rm_file(self._at(name))

    def sha256(self, name: str) -> str:
        with self._told(), self._opened[0].open(self._at(name), "rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def read_text(self, name: str) -> str:
        with self._told():
            return bytes(self._opened[0].cat_file(self._at(name))).decode("utf-8", "replace")

    def write_text(self, name: str, text: str) -> None:
        with self._told():
            self._opened[0].pipe_file(self._at(name), text.encode())

    def forget(self, name: str) -> None:
        """Stores show a file when all of it is there, and nothing before."""

    def names(self) -> list[str]:
        fs, root = self._opened
        with self._told():
            fs.invalidate_cache()
            found = [path.removeprefix(f"{root}/") for path in fs.find(root)]
        return [name for name in found if is_shard(name)]

    def unpublished(self) -> list[str]:
        fs, root = self._opened
        with self._told(), suppress(FileNotFoundError):
            fs.invalidate_cache()
            names = [path.rpartition("/")[2] for path in fs.ls(root, detail=False)]
            return [name for name in names if is_unpublished(name)]
        return []

    def parent(self, *, private: bool = False) -> Folder:  # noqa: ARG002 - who may read is set there
        return Remote(self.address.rpartition("/")[0])

    def inner(self, name: str) -> Folder:
        return Remote(f"{self.address}/{name}")

    def make(self) -> None:
        fs, root = self._opened
        with self._told():
            fs.makedirs(root, exist_ok=True)

    def clear(self) -> None:
        fs, root = self._opened
        with self._told(), suppress(FileNotFoundError):
            fs.rm(root, recursive=True)

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        fsspec = extra("fsspec", "addresses", "ray")
        if any(each.partition(":")[0] in CACHES for each in self.address.split("::")):
            raise InputError("an address that keeps copies would leave texts behind; take another.")
        try:
            fs, root = fsspec.core.url_to_fs(self.address)
        except ImportError as error:
            raise InputError(f"{at(self.address)}: {_first_line(error)}") from None
        except ValueError:
            raise InputError(f"{at(self.address)} is no address that fsspec knows.") from None
        return fs, root.rstrip("/")

    def _at(self, name: str) -> str:
        root = self._opened[1]
        return root if self._is_file and name == self.name else f"{root}/{name}"

    @cached_property
    def _is_file(self) -> bool:
        fs, root = self._opened
        with self._told():
            return bool(fs.isfile(root))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Failures of a far system by their kind: its messages may name anything."""
        with unnamed(at(self.address)):
            try:
                yield
            except (OSError, InputError):
                raise
            except Exception as error:
                raise InputError(f"{at(self.address)}: {type(error).__name__}.") from None

    def __getstate__(self) -> dict[str, Any]:
        return {"address": self.address}  # connections are made anew in each worker


@contextmanager
def _nameless() -> Iterator[tuple[IO[bytes], Path]]:
    """A file that has a path for this process only; where that cannot be, a private one."""
    if Path("/proc/self/fd").is_dir():
        with tempfile.TemporaryFile() as file:
            yield file, Path(f"/proc/self/fd/{file.fileno()}")
    else:
        with tempfile.NamedTemporaryFile() as file:
            yield file, Path(file.name)


def _told(name: str, info: dict[str, Any]) -> File:
    """A file, by what its store says of it: the surest mark it has."""
    stamp = next((str(info[key]) for key in STAMPS if key in info), "")
    return File(name, int(info.get("size") or 0), stamp)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
