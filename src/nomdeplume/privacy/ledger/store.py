"""The file behind a ledger: SQLite in WAL mode, whose every write is on the disk before it counts.

A file with anything in it but the tables below is refused before it is read: a trigger
could take charges back.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from urllib.parse import quote

from nomdeplume.errors import InputError, PlumeError, PrivacyError, at
from nomdeplume.privacy.ledger import key

APPLICATION = 0x6E6D6470  # by which SQLite's header names the program
FORMAT = 2
WAIT = 60.0  # seconds for others to finish
TABLES = (
    "CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), distance TEXT NOT NULL, "
    "most INTEGER NOT NULL, check_key BLOB, latest INTEGER NOT NULL, accounts INTEGER NOT NULL, "
    "releases INTEGER NOT NULL, runs INTEGER NOT NULL, documents INTEGER NOT NULL, "
    "limits INTEGER NOT NULL, seal BLOB)",
    "CREATE TABLE prices (number INTEGER PRIMARY KEY, micro INTEGER NOT NULL, "
    "data TEXT NOT NULL, seal BLOB NOT NULL)",
    "CREATE TABLE accounts (name BLOB NOT NULL, price INTEGER NOT NULL, "
    "releases INTEGER NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (name, price)) WITHOUT ROWID",
    "CREATE TABLE runs (token TEXT PRIMARY KEY, began INTEGER NOT NULL, price INTEGER NOT NULL, "
    "documents INTEGER NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE limits (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, most INTEGER NOT NULL, "
    "seal BLOB NOT NULL)",
)
SAID = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "it cannot be written",
    "SQLITE_BUSY": "others have held it for too long",
    "SQLITE_CORRUPT": "it is damaged",
    "SQLITE_CANTOPEN": "it cannot be opened",
    "SQLITE_IOERR": "the disk fails",
}


class Store:
    """One connection to the file, for one thread at a time."""

    def __init__(self, path: Path, *, writable: bool = True) -> None:
        self.path, self._lock, self._process = path, RLock(), os.getpid()
        self._absolute = path.absolute()
        with refusing(path):
            self.db = _connected(path, writable=writable)
        try:
            with refusing(path):
                self._check_form()
                if writable:
                    self.db.execute("PRAGMA synchronous = FULL")
                    self.db.execute("PRAGMA fullfsync = ON")
                    if self.db.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                        raise PrivacyError(f"the ledger {at(path)} is not in WAL mode.")
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One moment of the ledger, whatever others write meanwhile."""
        with self._lock, refusing(self.path):
            try:
                self._begin("BEGIN")
                yield self.db
            finally:
                self._undo()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Alone; all that is written counts together, once it is on the disk, or not at all."""
        with self._lock, refusing(self.path):
            try:
                self._begin("BEGIN IMMEDIATE")
                files = self._files()
                yield self.db
                self.db.execute("COMMIT")
                if files != self._files():  # what was written is in no file that others see
                    raise PrivacyError(f"the ledger {at(self.path)} was replaced meanwhile.")
            finally:
                self._undo()

    def _begin(self, how: str) -> None:
        """SQLite's locks are a process's own: in a fork of it they are not held."""
        if os.getpid() != self._process:
            raise PrivacyError("a ledger cannot be used in a fork of the process that opened it.")
        self.db.execute(how)

    def _files(self) -> list[tuple[int, int]]:
        """Which files the ledger and its journal are; there are no others while one is open.

        Whoever opens and closes the file within this process, as a text say, drops the locks
        on it, and another process may then take the journal away.
        """
        there = [self._absolute, self._absolute.with_name(f"{self._absolute.name}-wal")]
        return [(seen.st_dev, seen.st_ino) for seen in (path.stat() for path in there)]

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            self.db.close()

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")

    def _check_form(self) -> None:
        [application] = self.db.execute("PRAGMA application_id").fetchone()
        [version] = self.db.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise no_ledger(self.path)
        if version != FORMAT:
            raise InputError(
                f"this program reads ledgers of format {FORMAT}; {at(self.path)} differs."
            )
        found = self.db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if len(found) != len(TABLES) or {sql for (sql,) in found} != set(TABLES):
            raise PrivacyError(
                f"the ledger {at(self.path)} was altered: its tables are not as made."
            )


def create(path: Path, most: int, now: int) -> None:
    """An empty ledger that appears whole; who is first has made it for all."""
    partial = key.hidden(path)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with refusing(path):
            db = _connected(partial, writable=True)
            try:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = FULL")
                db.execute("BEGIN IMMEDIATE")
                for table in TABLES:
                    db.execute(table)
                db.execute(
                    "INSERT INTO state VALUES (1, '', ?, NULL, ?, 0, 0, 0, 0, 0, NULL)", (most, now)
                )
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {FORMAT}")
                db.execute("COMMIT")
            finally:
                db.close()
        key.appear(partial, path)
    finally:
        for left in ("", "-wal", "-shm"):
            partial.with_name(partial.name + left).unlink(missing_ok=True)


def no_ledger(path: Path) -> PlumeError:
    """What is no ledger is a wrong name; unless it has a key, which says that it was one."""
    if key.place(path).exists():
        return PrivacyError(f"the ledger {at(path)} is damaged. Put a sound copy back.")
    return InputError(f"{at(path)} is not a ledger of nomdeplume.")


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Whatever goes wrong with the file is a refusal."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name == "SQLITE_NOTADB":
            raise no_ledger(path) from None
        said = next((text for code, text in SAID.items() if name.startswith(code)), "it fails")
        raise PrivacyError(
            f"the ledger {at(path)} cannot be used: {said}. Nothing is released."
        ) from None
    except UnicodeDecodeError:  # of SQLite's own words about what is damaged
        raise no_ledger(path) from None
    except OSError as error:
        raise PrivacyError(
            f"the ledger {at(path)} cannot be used: {error.strerror or 'it fails'}. "
            "Nothing is released."
        ) from None


def _connected(path: Path, *, writable: bool) -> sqlite3.Connection:
    mode = "rw"  # also to read: SQLite shares a ledger through files beside it, and clears them up
    if not writable and not os.access(path.parent, os.W_OK):
        if path.with_name(f"{path.name}-wal").exists():
            raise PrivacyError(
                f"the ledger {at(path)} was not closed; read it where it can be written."
            )
        mode = "ro&immutable=1"
    db = sqlite3.connect(
        f"file://{quote(os.fsencode(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute(f"PRAGMA query_only = {not writable}")
    except BaseException:
        db.close()
        raise
    return db
