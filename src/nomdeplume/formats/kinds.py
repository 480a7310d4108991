"""What kind of file holds texts: told by its name, and by how it begins."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

Kind = Literal["text", "folder", "jsonl", "csv", "parquet", "arrow"]
Records = Literal["jsonl", "csv", "parquet", "arrow"]
KINDS: tuple[str, ...] = ("text", *get_args(Records))

SUFFIXES: dict[str, Records] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
PACKINGS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
PACKABLE = ("jsonl", "csv", "text")  # the others are packed inside
STARTS: dict[bytes, Records] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # a stream of batches
}


def packing_of(name: str) -> str:
    """How a file of that name is packed: gzip, zstd, or not at all."""
    return PACKINGS.get(Path(name.lower()).suffix, "")


def unpacked_name(name: str) -> str:
    """The name without what tells its packing."""
    return name[: -len(Path(name).suffix)] if packing_of(name) else name


def named(path: Path) -> Records | None:
    """The kind of records that a file is called, if it is."""
    return SUFFIXES.get(Path(unpacked_name(path.name.lower())).suffix)


def begins(start: bytes) -> Records | None:
    """The kind of columns that a file with these first bytes holds, if it does."""
    return next((kind for mark, kind in STARTS.items() if start.startswith(mark)), None)


def delimiter_of(path: Path) -> str | None:
    """The sign between fields that a file's name promises."""
    name = unpacked_name(path.name.lower())
    return "\t" if re.search(r"\.(tsv|tab)$", name) else None
