"""The shelf: a folder of tables that were fetched, each in the native form under its name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nomdeplume.errors import TableError, got
from nomdeplume.table.native import DTYPES
from nomdeplume.table.shelf.archive import open_published
from nomdeplume.table.shelf.download import Advance, fetch, silent
from nomdeplume.table.shelf.partial import places
from nomdeplume.table.shelf.provenance import Origin, Provenance
from nomdeplume.table.shelf.sources import PINNED, Source
from nomdeplume.table.table import Table

if sys.platform != "win32":
    import fcntl

SUFFIX = ".safetensors"


def folder() -> Path:
    """Where fetched tables are: NOMDEPLUME_TABLES, or the user's folder for data."""
    if chosen := os.environ.get("NOMDEPLUME_TABLES"):
        return Path(os.path.expanduser(chosen))  # noqa: PTH111 - which leaves a strange ~ alone
    from platformdirs import user_data_path

    return user_data_path("nomdeplume") / "tables"


@dataclass(frozen=True)
class Shelf:
    """A folder of fetched tables, with a record of the files that they came in.

    Every file is held to the SHA-256 that is known for it, or else to that of its first
    download. One that several tables come in stays, and any that a build was interrupted on,
    so that it is fetched once.
    """

    folder: Path

    def tables(self) -> dict[str, Path]:
        """The tables that are here, by name."""
        found = sorted(self.folder.glob(f"[!.]*{SUFFIX}"))
        return {path.name.removesuffix(SUFFIX): path for path in found if path.is_file()}

    def find(self, name: str) -> Path | None:
        return self.tables().get(name)

    def _whole(self, name: str) -> Path | None:
        """The table of that name, unless it is damaged: then it is fetched again."""
        path = self.find(name)
        try:
            _ = path and Table.open(path)
        except TableError:
            return None
        return path

    def kept(self, source: Source) -> int:
        """Bytes of its file that are here, whole or in part."""
        file = self.folder / source.file
        return max(path.stat().st_size if path.exists() else 0 for path in (file, places(file)[0]))

    def origin(self, source: Source) -> Origin | None:
        """What is recorded of its file."""
        return self._provenance.origin(source.file)

    def get(
        self,
        source: Source,
        *,
        mirror: str | None = None,
        dtype: str = "float32",
        advance: Advance = silent,
        force: bool = False,
    ) -> Path:
        """The table of `source`, fetched and built if it is not here, or again by `force`."""
        if dtype not in DTYPES:
            raise TableError(f"dtype must be one of {', '.join(DTYPES)}, got {got(dtype)}.")
        if not force and (path := self._whole(source.name)):
            return path
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self._fetched(source, mirror or source.url, advance)
        with self._turn():
            if not force and (path := self._whole(source.name)):
                return path  # another process was faster
            return self._build(source, found, dtype)

    @property
    def _provenance(self) -> Provenance:
        return Provenance(self.folder / "sources.json")

    def _fetched(self, source: Source, url: str, advance: Advance) -> Origin:
        """The file of `source`, on the shelf and as recorded; fetched unless it is already."""
        file = self.folder / source.file
        recorded, pinned = self._provenance.origin(source.file), PINNED.get(source.file)
        if file.is_file():
            found = Origin.of(file, url)
            due = pinned or (recorded.sha256 if recorded else found.sha256)
            if found.sha256 == due:
                return found
            file.unlink()
        fetch(url, file, advance=advance)
        found = Origin.of(file, url)
        try:
            _hold(source.file, found, pinned)
            self._provenance.hold(source.file, found)
        except TableError:
            file.unlink()
            raise
        return found

    def _build(self, source: Source, found: Origin, dtype: str) -> Path:
        """Put the table on the shelf; a file that does not hold it goes, and leaves no record."""
        file, place = self.folder / source.file, self.folder / f"{source.name}{SUFFIX}"
        with self._bench() as bench:
            try:
                table = open_published(file, source, bench)
            except Exception as error:
                if not (source.shares_its_file and self.origin(source)):
                    file.unlink(missing_ok=True)
                if isinstance(error, TableError):
                    raise TableError(f"{found.url} is not what it should be: {error}") from None
                raise
            notes = {"source": source.page, "licence": source.licence, "file": source.file}
            table.save(bench / place.name, dtype=dtype, sha256=found.sha256, **notes)
            self._provenance.add(source.file, found)
            (bench / place.name).replace(place)
        if not source.shares_its_file:
            file.unlink(missing_ok=True)
        return place

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until no other process builds a table here."""
        if sys.platform == "win32":
            yield
            return
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def _bench(self) -> Iterator[Path]:
        """A hidden folder to work in, emptied of what a killed process left there."""
        bench = self.folder / ".unpacked"
        shutil.rmtree(bench, ignore_errors=True)
        bench.mkdir()
        try:
            yield bench
        finally:
            shutil.rmtree(bench, ignore_errors=True)


def _hold(file: str, found: Origin, pinned: str | None) -> None:
    """Refuse a file that is not the one of its name that is known."""
    if pinned not in (None, found.sha256):
        raise TableError(
            f"{file} must have the SHA-256 {str(pinned)[:16]}… that is known for it, got "
            f"{found.sha256[:16]}… from {found.url}; it was removed. Fetch it again or elsewhere; "
            "a file that is wanted all the same is read by 'nomdeplume tables build'."
        )
