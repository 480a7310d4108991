"""A value that processes share: its large arrays lie once in a file that all of them map.

The file has no name: only who was handed it can open it, and it is gone when the last of
them is, however they end.
"""

from __future__ import annotations

import mmap
import pickle
import tempfile
from typing import IO, Any

import numpy as np

from nomdeplume.errors import InputError, PrivacyError

SMALL = 1 << 12  # bytes; smaller arrays are pickled like anything else
ALIGNED = 64  # bytes that arrays begin at a multiple of
TAIL = 8  # bytes of the length of the index, which ends the file


def shared(value: Any) -> IO[bytes]:
    """A nameless file of the value. What must not be copied, such as a generator, refuses."""
    buffers: list[pickle.PickleBuffer] = []

    def apart(buffer: pickle.PickleBuffer) -> bool:
        small = buffer.raw().nbytes < SMALL
        if not small:
            buffers.append(buffer)
        return small

    file = tempfile.TemporaryFile()  # noqa: SIM115 - it is the caller's to close
    try:
        _Pickler(file, protocol=5, buffer_callback=apart).dump(value)
        index = [(0, file.tell())]
        for buffer in buffers:
            file.write(bytes(-file.tell() % ALIGNED))
            start = file.tell()
            file.write(buffer.raw())
            index.append((start, file.tell()))
        listed = pickle.dumps(index)
        file.write(listed + len(listed).to_bytes(TAIL, "little"))
        file.flush()
    except BaseException:
        file.close()
        raise
    return file


def can_be_shared(value: Any) -> bool:
    """Whether a value can be sent to another process; no large array is copied to find out."""
    try:
        _Pickler(_Nowhere(), protocol=5, buffer_callback=lambda _: None).dump(value)
    except (pickle.PicklingError, AttributeError, TypeError, PrivacyError):
        return False
    return True


def received(file: int) -> Any:
    """The value in a file that was handed over; its arrays are mapped, and cannot be written to."""
    content = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    listed = int.from_bytes(content[-TAIL:], "little")
    (start, end), *parts = pickle.loads(content[-TAIL - listed : -TAIL])  # noqa: S301 - our own
    buffers = [content[first:last] for first, last in parts]
    try:
        return pickle.loads(content[start:end], buffers=buffers)  # noqa: S301
    except (AttributeError, ImportError):
        raise InputError(
            "a worker cannot find all that it is to use: what is defined in a script or a "
            "notebook must be in a module, which others can import."
        ) from None


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, data: Any, /) -> int:
        return len(data)


class _Pickler(pickle.Pickler):
    """Takes arrays that are mapped from a file for what they are: NumPy would copy them whole."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) is np.memmap:
            return value.view(np.ndarray).__reduce_ex__(5)
        return NotImplemented
