"""One thread ahead: a task is worked on while its caller reads the next and uses the last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import Generic, NoReturn, TypeVar

from nomdeplume.threads import stop

T = TypeVar("T")
R = TypeVar("R")


def ahead(work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """`work` on each task, one at a time and in order, in a thread that does nothing else.

    Tasks are read and results used by the caller's thread. Whoever stops early stops the
    work that is under way.
    """
    running: _Running[R] | None = None
    try:
        for call in calls(work, tasks):
            done = [] if running is None else [running.result()]
            running = _Running(call)
            yield from done
        if running is not None:
            yield running.result()
    finally:
        if running is not None:
            running.stop()


def calls(work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[Callable[[], R]]:
    """What is to be done for each task; where reading them fails, the last call fails so."""
    try:
        for task in tasks:
            yield partial(work, task)
    except Exception as error:
        yield partial(_fail, error)


def _fail(error: Exception) -> NoReturn:
    raise error


class _Running(Generic[R]):
    """A call in a thread of its own."""

    def __init__(self, call: Callable[[], R]) -> None:
        self._future: Future[R] = Future()
        self._thread = Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def result(self) -> R:
        return self._future.result()

    def stop(self) -> None:
        """End it before it has done all, where it can."""
        stop(self._thread)
        self._thread.join()

    def _run(self, call: Callable[[], R]) -> None:
        try:
            self._future.set_result(call())
        except BaseException as error:
            self._future.set_exception(error)
