"""Matrix products on several cores: one BLAS thread in each of several Python threads.

What follows a product then runs in parallel too, on data still in the cache.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock, Thread, current_thread
from typing import Any, TypeVar
from weakref import WeakSet

from threadpoolctl import ThreadpoolController

T = TypeVar("T")


class _Allowed:
    """How many cores this process was told to use at most."""

    cores = 1 << 16


def cores() -> int:
    """Cores that this process may use."""
    able = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(able, _Allowed.cores)


def limit(most: int) -> None:
    """Use so many cores at most from now on, in matrix products too: a worker is one of several."""
    _Allowed.cores = most
    _blas().limit(limits=most, user_api="blas")


def each(work: Callable[[int], T], starts: range, threads: int) -> list[T]:
    """`work` on every start: one matrix product per thread, several threads at a time."""
    threads = min(threads, _Allowed.cores)
    if threads > 1 and len(starts) == 1:
        return [work(start) for start in starts]  # its products may use all cores
    caller = current_thread()

    def one(start: int) -> T:
        if caller in _stopped:
            raise Stopped
        return work(start)

    with ONE_THREAD_EACH:
        if threads == 1:
            return [one(start) for start in starts]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, starts))


class Stopped(Exception):
    """Nobody waits for this work any more."""


_stopped: WeakSet[Thread] = WeakSet()


def stop(thread: Thread) -> None:
    """Let what `each` does for a thread end at its next start, however much is left."""
    _stopped.add(thread)


class _OneThreadEach:
    """Keeps products to one thread while anybody is inside; the last to leave restores it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limit: Any = None
        self._torch: tuple[Any, int] | None = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                _take_over()
                self._limit = _blas().limit(limits=1, user_api="blas")
            torch = sys.modules.get("torch")
            if torch is not None and hasattr(torch, "set_num_threads"):
                self._torch = self._torch or (torch, torch.get_num_threads())
                torch.set_num_threads(1)  # of this thread, and of those that are new
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            self._restore(all_of_them=not self._inside)

    def _restore(self, *, all_of_them: bool = True) -> None:
        if self._torch:
            torch, count = self._torch
            torch.set_num_threads(count)
        if all_of_them:
            _take_over()
            self._limit.restore_original_limits()
            self._torch = None

    def after_fork(self) -> None:
        """In a child nobody is inside, whatever threads of the parent were."""
        if self._inside:
            self._restore()
        self._lock, self._inside = Lock(), 0


ONE_THREAD_EACH = _OneThreadEach()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ONE_THREAD_EACH.after_fork)


def _take_over() -> None:
    """Let this thread set how many threads BLAS has: else only the first that did so may."""
    for library in _blas().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    return ThreadpoolController()
