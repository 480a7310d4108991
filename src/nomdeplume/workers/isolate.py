"""Items that spoil a batch: found by halves, and left out, so that the others come through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from nomdeplume import discreet
from nomdeplume.errors import PlumeError

T = TypeVar("T")
R = TypeVar("R")

TRIES = 2  # of an item by itself
MOST = 8  # items of a batch; if so many fail, it is not they that are at fault


class Lost(PlumeError):
    """Worker processes ended over a task, one after the other."""


def isolated(work: Callable[[Sequence[T]], list[R]], items: Sequence[T]) -> list[R | None]:
    """What comes of each, as they are worked on together; nothing of one that fails by itself.

    What is refused on purpose is refused for all. If many fail, or nothing comes of any, it is
    not they that are at fault: the last failure is told, by its kind and its place.
    """
    left_out, said = 0, ""

    def halves(some: Sequence[T]) -> list[R | None]:
        nonlocal left_out, said
        for _ in range(TRIES if len(some) == 1 else 1):
            try:
                return list(work(some))
            except Lost:
                said = "worker processes ended over them; is memory short?"
            except PlumeError:
                raise
            except Exception as error:
                where = discreet.place(error.__traceback__)
                said = f"unexpected {type(error).__name__} at {where}; please report it."
        if len(some) > 1:
            half = len(some) // 2
            return halves(some[:half]) + halves(some[half:])
        left_out += 1
        if 1 < left_out in (len(items), MOST):
            raise PlumeError(f"{left_out} documents of one batch could not be released: {said}")
        return [None]

    return halves(items) if items else []
