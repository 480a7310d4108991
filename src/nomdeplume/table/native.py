"""The native form of a table: a safetensors file, memory-mapped, its fingerprint inside.

It is written here, not by the safetensors package, whose files differ from one
time to the next; that package reads them.

Tensors: `vectors` (float32 or float16), or `codes` (int8) with one `scale` per
row; `words`, UTF-8 joined by line feeds. Metadata: name, language, fingerprint,
and whatever notes (source, licence) the builder gave. The fingerprint is that
of the float32 vectors that come out, so the metric is that of the stored file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table import container
from nomdeplume.table.packed import Packed
from nomdeplume.table.table import Table, Vectors, digest

FORMAT = "nomdeplume table 1"


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
        return np.asarray(self.codes[rows].astype(np.float32) * self.scale[rows])


def write(table: Table, path: Path, *, dtype: str, notes: Mapping[str, str]) -> None:
    """Write `table` with its vectors as float32, float16, or int8 with one scale per row."""
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
    """Whether a safetensors file is a table of ours."""
    found = container.notes(path)
    return found.get("format") == FORMAT and bool(found.get("fingerprint"))


def read(path: Path) -> Table:
    """Open a native table without reading its vectors."""
    notes, tensors = container.notes(path), container.tensors(path)
    if set(tensors) not in ({"words", "vectors"}, {"words", "codes", "scale"}):
        raise TableError(f"{path} must hold words and vectors; build it again.")
    vectors = _decode(tensors)
    return Table(
        words=Packed(tensors["words"], len(vectors)),
        vectors=vectors,
        name=notes.get("name", path.stem),
        language=notes.get("language", "en"),
        seal=notes["fingerprint"],
    )


def _encode(vectors: NDArray[np.float32], dtype: str) -> dict[str, NDArray[Any]]:
    if dtype == "int8":
        scale = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-30) / np.float32(127)
        return {"codes": np.rint(vectors / scale).astype(np.int8), "scale": scale}
    if dtype not in ("float32", "float16"):
        raise TableError(f"dtype must be float32, float16 or int8, got {dtype}.")
    if dtype == "float16" and np.abs(vectors).max() > 65504:
        raise TableError("the vectors are too large for float16; use float32 or int8.")
    return {"vectors": np.ascontiguousarray(vectors, dtype=dtype)}


def _decode(tensors: Mapping[str, NDArray[Any]]) -> Vectors:
    if "codes" in tensors:
        return Stored(tensors["codes"], tensors["scale"])
    vectors = tensors["vectors"]
    if vectors.dtype == np.float32:
        return vectors
    return Stored(vectors, np.ones((len(vectors), 1), dtype=np.float32))
