"""A stopwatch."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter


def best(work: Callable[[], object], rounds: int = 3) -> float:
    """Seconds of the fastest of some rounds."""

    def once() -> float:
        began = perf_counter()
        work()
        return perf_counter() - began

    return min(once() for _ in range(rounds))
