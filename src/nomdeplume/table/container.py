"""The safetensors container: a JSON header, then plain arrays. Mapped, and written by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError

TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2",
    "I64": "<i8", "I32": "<i4", "I8": "i1", "U8": "u1",
}  # fmt: skip
WRITTEN = ("F32", "F16", "I8", "U8")
HEADER_LIMIT = 1 << 20
MOST = 500  # tensors of a file that is looked through: each is mapped, if only to be left out

Arrays = Mapping[str, NDArray[Any]]


def is_container(start: bytes) -> bool:
    """Whether a file that begins so is a safetensors file: a length, then a JSON object."""
    return len(start) >= 9 and start[8:9] == b"{" and not start[5:8].strip(b"\0")


def notes(path: Path) -> dict[str, str]:
    """The metadata of a file: names to strings."""
    found = _header(path)[0].get("__metadata__", {})
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise TableError(f"{path} must have metadata of names and strings; it is damaged.")
    return found


def tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, mapped into memory; those of a kind that no table has are left out."""
    header, offset = _header(path)
    header.pop("__metadata__", None)
    if len(header) > MOST:
        raise TableError(f"{path} must hold a table, got {len(header):,} tensors; name another.")
    found, left = {}, path.stat().st_size
    for name, entry in header.items():
        if (array := _map(path, offset, entry)) is None:
            continue
        left -= array.nbytes
        if left < 0:
            raise TableError(f"{path} has tensors that share their bytes; build it again.")
        found[name] = _widened(array) if entry["dtype"] == "BF16" else array
    return found


def serialised(arrays: Arrays, metadata: Mapping[str, str]) -> Iterator[bytes | memoryview]:
    """The bytes of a file, the same every time: widest numbers first, keys sorted."""
    ordered = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    end = 0
    for name in ordered:
        start, end = end, end + arrays[name].nbytes
        kind = next(code for code in WRITTEN if arrays[name].dtype == np.dtype(TYPES[code]))
        shape = list(arrays[name].shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > HEADER_LIMIT or not all(isinstance(each, str) for each in metadata.values()):
        raise TableError("notes on a table must be strings, of less than 1 MiB together.")
    yield len(text).to_bytes(8, "little") + text
    for name in ordered:
        yield np.ascontiguousarray(arrays[name]).data


def _header(path: Path) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= HEADER_LIMIT:
            raise TableError(
                f"{path} must begin with a header of at most 1 MiB, got {length} bytes."
            )
        try:
            header = json.loads(file.read(length))
        except (ValueError, RecursionError):
            raise TableError(f"{path} must begin with a JSON header; it is damaged.") from None
    if not isinstance(header, dict):
        raise TableError(f"{path} must begin with a JSON object; it is damaged.")
    return header, 8 + length


def _map(path: Path, offset: int, entry: Any) -> NDArray[Any] | None:
    """One array of the file, mapped if the header tells the truth about it."""
    try:
        kind, shape, (start, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        numbers = (*shape, start, end)
    except (KeyError, TypeError, ValueError):
        raise TableError(f"{path} has a tensor that cannot be read; build it again.") from None
    if not isinstance(kind, str) or any(type(n) is not int or n < 0 for n in numbers):
        raise TableError(f"{path} has a tensor that cannot be read; build it again.")
    if kind not in TYPES or len(shape) not in (1, 2) or not all(shape):
        return None
    dtype = np.dtype(TYPES[kind])
    if end - start != prod(shape) * dtype.itemsize or offset + end > path.stat().st_size:
        raise TableError(f"{path} is shorter than its header says; fetch or build it again.")
    return np.memmap(path, dtype=dtype, mode="r", offset=offset + start, shape=tuple(shape))


def _widened(halves: NDArray[np.uint16]) -> NDArray[np.float32]:
    """bfloat16 is the upper half of float32."""
    wide = np.empty(halves.shape, dtype=np.float32)
    wide.view(np.uint16)[..., 1::2] = halves
    wide.view(np.uint16)[..., ::2] = 0
    return wide
