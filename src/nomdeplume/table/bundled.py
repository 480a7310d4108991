"""The table that ships with the package, built by scripts/bundled_table.py."""

from __future__ import annotations

from pathlib import Path

from nomdeplume.table import native
from nomdeplume.table.table import Table

NAME = "glove-6b-100d-50k"
PATH = Path(__file__).parent / "data" / f"{NAME}.safetensors"


def open_bundled() -> Table:
    return native.read(PATH)
