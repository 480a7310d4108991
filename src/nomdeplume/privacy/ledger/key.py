"""The key of a ledger: made on first use, beside it, readable by its owner only."""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from nomdeplume.errors import PrivacyError, at

KEY = re.compile(rb"[0-9a-f]{64}\n")


def place(ledger: Path) -> Path:
    return ledger.with_name(f"{ledger.name}.key")


def read(path: Path) -> bytes | None:
    """The key, if there is one; one that others can read is refused."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as opened:
        seen = os.fstat(opened.fileno())
        mode, owner = seen.st_mode, seen.st_uid
        content = opened.read(66)
    if os.name == "posix" and owner not in (os.geteuid(), 0) and os.geteuid():
        raise PrivacyError(f"the ledger's key {at(path)} is somebody else's.")
    if os.name == "posix" and (not stat.S_ISREG(mode) or mode & 0o077):
        raise PrivacyError(
            f"the ledger's key {at(path)} can be read by others, who could guess what the ledger "
            "holds; make it private with chmod 600."
        )
    if not KEY.fullmatch(content):
        raise PrivacyError(f"{at(path)} is not the key of a ledger; put the right one back.")
    return bytes.fromhex(content.decode())


def make(path: Path) -> bytes:
    """A new key that appears whole; who is first has made it for all."""
    partial = hidden(path)
    file = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(secrets.token_hex(32).encode() + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        appear(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    found = read(path)
    if found is None:
        raise PrivacyError(f"no key could be made at {at(path)}.")
    return found


def hidden(path: Path) -> Path:
    """A name beside `path` that nobody else has, for what is not yet whole."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")


def appear(partial: Path, path: Path) -> None:
    """Give a whole file its name, unless somebody else did; and see that the name lasts."""
    with suppress(FileExistsError):
        path.hardlink_to(partial)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
