"""The native form of a table: a safetensors file, memory-mapped, its fingerprint inside.

It is written here, not by the safetensors package, whose files differ from one
time to the next; that package reads them.

Tensors: `vectors` (float32 or float16), or `codes` (int8) with one `scale` per
row; `words`, UTF-8 joined by line feeds. Metadata: name, language, fingerprint,
and whatever notes (source, licence) the builder gave. The fingerprint is that
of the float32 vectors that come out, so the metric is that of the stored file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError, got
from nomdeplume.table import container
from nomdeplume.table.packed import Packed
from nomdeplume.table.table import Table, Vectors, digest

FORMAT = "nomdeplume table 1"
SMALL = 1 << 23  # numbers, that are held as float32 in 32 MB at most
LARGEST = {"float32": np.inf, "float16": 65504, "int8": 1e38}  # numbers that each can store
NAME = 200  # signs of a name and a language, which messages show
DTYPES = tuple(LARGEST)


@dataclass(frozen=True, eq=False)
class Stored:
    """Vectors kept small on disk and turned into float32 row by row."""

    codes: NDArray[Any]  # (V, k) int8 or float16
    scale: NDArray[np.float32]  # (V, 1), ones where the codes are the numbers themselves

    @property
    def shape(self) -> tuple[int, ...]:
        return self.codes.shape

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any, /) -> NDArray[np.float32]:
        if self.codes.size <= SMALL:
            return np.asarray(self._decoded[rows])
        return self._rows(rows)

    @cached_property
    def _decoded(self) -> NDArray[np.float32]:
        """All rows of a small table, which is looked through several times."""
        found = self._rows(slice(None))
        found.flags.writeable = False
        return found

    def _rows(self, rows: Any) -> NDArray[np.float32]:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused later
            return np.asarray(np.multiply(self.codes[rows], self.scale[rows], dtype=np.float32))


def write(table: Table, path: Path, *, dtype: str, notes: Mapping[str, str]) -> None:
    """Write `table` with its vectors as float32, float16, or int8 with one scale per row."""
    _ = table.fingerprint  # a table that was changed on the disk is not written again as if whole
    tensors = _encode(table.vectors[:], dtype)
    fingerprint = digest(table.words, _decode(tensors))
    tensors["words"] = Packed.of(table.words).joined
    metadata = {
        **notes,
        "format": FORMAT,
        "name": table.name,
        "language": table.language,
        "fingerprint": fingerprint,
    }
    partial = path.with_name(f".{path.name}.{token_hex(4)}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(container.serialised(tensors, metadata))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def is_native(path: Path) -> bool:
    """Whether a safetensors file is a table of ours, of whatever version."""
    return container.notes(path).get("format", "").startswith("nomdeplume")


def read(path: Path) -> Table:
    """Open a native table without reading its vectors."""
    notes, tensors = container.notes(path), container.tensors(path)
    stated = notes.get("fingerprint", "")
    if notes.get("format") != FORMAT or not re.fullmatch("[0-9a-f]{64}", stated):
        raise TableError(f"{path} was written by another version, or is damaged; build it again.")
    name, language = notes.get("name", path.stem), notes.get("language", "en")
    if not (name + language).isprintable() or len(name + language) > NAME:
        raise TableError(f"{path} must have a short name and a language that can be printed.")
    if not _shaped(tensors):
        raise TableError(f"{path} must hold words and vectors; build it again.")
    vectors = _decode(tensors)
    words = Packed(tensors["words"], len(vectors))
    return Table(words, vectors, name, language, seal=stated)


def _shaped(tensors: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the arrays are those of a table."""
    if set(tensors) == {"words", "vectors"}:
        fits = tensors["vectors"].ndim == 2 and tensors["vectors"].dtype.kind == "f"
    elif set(tensors) == {"words", "codes", "scale"}:
        codes, scale = tensors["codes"], tensors["scale"]
        fits = codes.ndim == 2 and codes.dtype == np.int8 and scale.shape == (len(codes), 1)
    else:
        return False
    return fits and tensors["words"].ndim == 1 and tensors["words"].dtype == np.uint8


def _encode(vectors: NDArray[np.float32], dtype: str) -> dict[str, NDArray[Any]]:
    if dtype not in DTYPES:
        raise TableError(f"dtype must be {', '.join(DTYPES)}, got {got(dtype)}.")
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if largest.max() > LARGEST[dtype]:
        raise TableError(f"the vectors are too large for {dtype}; use float32.")
    if dtype == "int8":
        scale = np.maximum(largest, np.float32(1e-30)) / np.float32(127)
        return {"codes": np.rint(vectors / scale).astype(np.int8), "scale": scale}
    return {"vectors": np.ascontiguousarray(vectors, dtype=dtype)}


def _decode(tensors: Mapping[str, NDArray[Any]]) -> Vectors:
    if "codes" in tensors:
        return Stored(tensors["codes"], tensors["scale"])
    vectors = tensors["vectors"]
    if vectors.dtype == np.float32:
        return vectors
    return Stored(vectors, np.ones((len(vectors), 1), dtype=np.float32))
