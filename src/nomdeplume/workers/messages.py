"""Messages through a pipe: a length, then so many bytes, whole or not at all."""

from __future__ import annotations

import os

HEAD = 8  # bytes of the length


def send(pipe: int, data: bytes) -> None:
    """Write a message; it waits until the other side has room for it."""
    left = memoryview(len(data).to_bytes(HEAD, "little") + data)
    while left:
        left = left[os.write(pipe, left) :]


def receive(pipe: int) -> bytes | None:
    """The next message; none if the other side is gone, though it had begun one."""
    head = _exactly(pipe, HEAD)
    return None if head is None else _exactly(pipe, int.from_bytes(head, "little"))


def _exactly(pipe: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(pipe, min(size - len(parts), 1 << 20))
        if not part:
            return None
        parts += part
    return bytes(parts)
