"""What every search is, and the searches by name."""

from __future__ import annotations

from typing import Protocol

from nomdeplume.errors import InputError, got
from nomdeplume.extras import installed
from nomdeplume.nearest.auto import Auto
from nomdeplume.nearest.exact import Exact
from nomdeplume.nearest.rows import Floats, Ids
from nomdeplume.nearest.scan import LEAST, Scan
from nomdeplume.table import Table

INDEXES = ("auto", "exact", "scan")


class Index(Protocol):
    """Finds the id of the word nearest to each query."""

    def nearest(self, queries: Floats) -> Ids: ...


def checked(name: str) -> str:
    """The name of a search that can be had here."""
    if name not in INDEXES:
        raise InputError(f"index must be auto, exact or scan, got {got(name)}.")
    if name == "scan":
        installed("faiss", "compressed scans", "scan")
    return name


def index(name: str, table: Table, ids: Ids | None = None) -> Index:
    """The search of that name among the words of a table, or those with the given ids.

    `auto` is exact, by the fastest products that this machine has, on its card if that pays;
    `exact` by float32 ones alone; `scan` compressed, where there are enough words for it.
    """
    if checked(name) == "scan" and len(table if ids is None else ids) >= LEAST:
        return Scan(table, ids)
    return Auto(table, ids) if name == "auto" else Exact(table, ids, plain=name == "exact")
