"""Where large products run: on this machine's cores, or on its graphics card.

One choice holds for the process, as the number of cores does: what is computed is the same on
both, and what is promised does not depend on it. `auto` wakes a card only for work that pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nomdeplume.errors import InputError, got
from nomdeplume.extras import extra

NAMES = ("auto", "cpu", "cuda")
DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # there is a card behind one of these
FIRST = 2.0**40  # multiply-adds that pay for loading torch and waking a card
THEN = 2.0**33  # for a trip to one that is awake


@dataclass(frozen=True)
class Card:
    """A device of torch, and whether our own kernels run on it, or torch's products alone."""

    torch: Any
    at: Any
    fused: bool = False

    def put(self, array: Any) -> Any:
        """A NumPy array as a tensor there."""
        return self.torch.from_numpy(array if array.flags.writeable else array.copy()).to(self.at)


class _Chosen:
    device: str | Card = "auto"
    awake = False


@contextmanager
def on(device: str | Card) -> Iterator[None]:
    """Let large products run on `auto`, `cpu` or `cuda` while this is open, in all threads.

    It is for one thread to open and close: what it closes to is what was when it opened.
    """
    before = _Chosen.device
    choose(device)
    try:
        yield
    finally:
        _Chosen.device = before


def choose(device: str | Card) -> None:
    """The same from now on."""
    _Chosen.device = checked(device)


def checked(device: str | Card) -> str | Card:
    """A device that can be had here."""
    if isinstance(device, Card):
        return device
    if device not in NAMES:
        raise InputError(f"device must be auto, cpu or cuda, got {got(device)}.")
    if device == "cuda" and not _cuda():
        raise InputError("device cuda needs a card and torch with CUDA, and finds no card here.")
    return device


def chosen() -> str | Card:
    """What was asked for, to be asked for again in another process."""
    return _Chosen.device


def card(work: float) -> Card | None:
    """The card, if one was asked for, or if so many multiply-adds are worth a trip there."""
    device = _Chosen.device
    if isinstance(device, Card) or device == "cpu":
        return device if isinstance(device, Card) else None
    if device == "auto" and (work < (THEN if _Chosen.awake else FIRST) or not _likely()):
        return None
    found = _cuda()
    _Chosen.awake = found is not None
    return found


def possible() -> bool:
    """Whether a card may come to be used, as far as can be told without loading anything."""
    return _Chosen.device != "cpu" and (_Chosen.device != "auto" or _likely())


def _likely() -> bool:
    """Whether there may be a card, before anything is loaded to see it."""
    return find_spec("torch") is not None and any(map(Path.exists, map(Path, DRIVERS)))


@cache
def _cuda() -> Card | None:
    torch = extra("torch", "graphics cards", "gpu")
    if not torch.cuda.is_available():
        return None
    able = torch.cuda.get_device_capability() >= (8, 0) and torch.version.hip is None
    at = torch.device("cuda", torch.cuda.current_device())
    return Card(torch, at, able and find_spec("triton") is not None)
