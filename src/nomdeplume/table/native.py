"""The native form of a table: a safetensors file, memory-mapped, its fingerprint inside.

It is written here, not by the safetensors package, whose files differ from one
time to the next; that package reads them.

Tensors: `vectors` (float32 or float16), or `codes` (int8) with one `scale` per
row; `words`, UTF-8 joined by line feeds. Metadata: name, language, fingerprint,
and whatever notes (source, licence) the builder gave. The fingerprint is that
of the float32 vectors that come out, so the metric is that of the stored file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.table import Table, Vectors

FORMAT = "nomdeplume table 1"
TYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1", "U8": "u1"}
HEADER_LIMIT = 1 << 20


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


@dataclass(frozen=True, eq=False)
class Packed(Sequence[str]):
    """Words as bytes in a file, decoded when first asked for."""

    joined: NDArray[np.uint8]
    size: int

    @cached_property
    def _words(self) -> list[str]:
        try:
            words = self.joined.tobytes().decode("utf-8").split("\n")
        except UnicodeDecodeError:
            raise TableError("words must be UTF-8; the file is damaged.") from None
        if len(words) != self.size:
            raise TableError(f"the file must hold {self.size} words, got {len(words)}.")
        return words

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        return self._words[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)


def write(table: Table, path: Path, *, dtype: str, notes: Mapping[str, str]) -> None:
    """Write `table` with its vectors as float32, float16, or int8 with one scale per row."""
    tensors = _encode(table.vectors[:], dtype)
    stored = Table(table.words, _decode(tensors), table.name, table.language)
    tensors["words"] = np.frombuffer("\n".join(table.words).encode(), dtype=np.uint8)
    metadata = {
        **notes,
        "format": FORMAT,
        "name": table.name,
        "language": table.language,
        "fingerprint": stored.fingerprint,
    }
    partial = path.with_name(f".{path.name}.{token_hex(4)}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(_serialised(tensors, metadata))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def is_native(start: bytes) -> bool:
    """Whether a file that begins so is a safetensors file: a length, then a JSON object."""
    return len(start) >= 9 and start[8:9] == b"{"


def read(path: Path) -> Table:
    """Open a native table without reading its vectors."""
    header, offset = _header(path)
    notes = header.pop("__metadata__", {})
    if not isinstance(notes, dict) or notes.get("format") != FORMAT or not notes.get("fingerprint"):
        raise TableError(
            f"{path} is not a nomdeplume table; build one with 'nomdeplume tables build'."
        )
    tensors = {name: _map(path, offset, entry) for name, entry in header.items()}
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
    return {"vectors": np.ascontiguousarray(vectors.astype(dtype))}


def _decode(tensors: Mapping[str, NDArray[Any]]) -> Vectors:
    if "codes" in tensors:
        return Stored(tensors["codes"], tensors["scale"])
    vectors = tensors["vectors"]
    if vectors.dtype == np.float32:
        return vectors
    return Stored(vectors, np.ones((len(vectors), 1), dtype=np.float32))


def _serialised(tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, str]) -> Iterator[bytes]:
    """The bytes of a safetensors file, the same every time: widest numbers first, keys sorted."""
    ordered = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(sorted(notes.items()))}
    end = 0
    for name in ordered:
        start, end = end, end + tensors[name].nbytes
        kind = next(code for code, dtype in TYPES.items() if tensors[name].dtype == np.dtype(dtype))
        shape = list(tensors[name].shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for name in ordered:
        yield np.ascontiguousarray(tensors[name]).tobytes()


def _header(path: Path) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= HEADER_LIMIT:
            raise TableError(
                f"{path} must begin with a header of at most 1 MiB, got {length} bytes."
            )
        try:
            header = json.loads(file.read(length))
        except ValueError:
            raise TableError(f"{path} must begin with a JSON header; it is damaged.") from None
    if not isinstance(header, dict):
        raise TableError(f"{path} must begin with a JSON object; it is damaged.")
    return header, 8 + length


def _map(path: Path, offset: int, entry: Mapping[str, Any]) -> NDArray[Any]:
    """One tensor of the file, mapped into memory if the header tells the truth about it."""
    try:
        dtype = np.dtype(TYPES[entry["dtype"]])
        shape = tuple(int(n) for n in entry["shape"])
        start, end = (int(n) for n in entry["data_offsets"])
    except (KeyError, TypeError, ValueError):
        raise TableError(f"{path} has a tensor that cannot be read; build it again.") from None
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if min(shape, default=0) < 1 or end - start != size or offset + end > path.stat().st_size:
        raise TableError(f"{path} is shorter than its header says; fetch or build it again.")
    return np.memmap(path, dtype=dtype, mode="r", offset=offset + start, shape=shape)
