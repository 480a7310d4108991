"""Matrix products on several cores: one BLAS thread in each of several Python threads.

What follows a product then runs in parallel too, on data still in the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[int], T], starts: range, threads: int) -> list[T]:
    """`work` on every start: one matrix product per thread, several threads at a time."""
    if threads == 1 or len(starts) == 1:
        return [work(start) for start in starts]
    with _ONE_BLAS_THREAD, ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, starts))


class _OneBlasThread:
    """Keeps BLAS to one thread while anybody is inside; the last to leave restores it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()

    def after_fork(self) -> None:
        """In a child nobody is inside, whatever threads of the parent were."""
        if self._inside:
            self._limit.restore_original_limits()
        self._lock, self._inside = Lock(), 0


_ONE_BLAS_THREAD = _OneBlasThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ONE_BLAS_THREAD.after_fork)


@lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    return ThreadpoolController()
