"""Whose program asks: the user at the other end of a connection on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

LISTS = ("tcp", "tcp6")  # of all connections, where Linux tells to whom each end belongs
LOCAL, REMOTE, OWNER = 1, 2, 7  # columns
ROOT = 0


def is_somebody_else(scope: dict[str, Any]) -> bool:
    """Whether another user of this machine sent a request; never, where nobody can tell.

    Browsers are started with the address, token and all, on a command line, which everybody
    on the machine can read. Root may do all that this user may.
    """
    if not scope.get("client") or not scope.get("server"):
        return False
    return bool(owners(scope["client"][1], scope["server"][1]) - {ROOT, os.geteuid()})


def owners(port: int, to: int) -> set[int]:
    """Users who have a connection on this machine from one port to another."""
    ends = (f"{port:04X}", f"{to:04X}")
    rows = [line.split() for name in LISTS for line in _lines(Path("/proc/net") / name)]
    return {
        int(row[OWNER])
        for row in rows
        if (row[LOCAL].rpartition(":")[2], row[REMOTE].rpartition(":")[2]) == ends
    }


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()[1:]
    except OSError:  # another system, or one that hides it
        return []
