"""A pool of worker processes: one work on many tasks, whichever worker dies."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Generic, Self, TypeVar

from nomdeplume.errors import InputError, PlumeError, whole
from nomdeplume.workers import MOST
from nomdeplume.workers.isolate import Lost
from nomdeplume.workers.process import Process, Task
from nomdeplume.workers.shared import shared
from nomdeplume.workers.worker import QUESTION, heard

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S")

HELD = 2  # tasks that a worker has: one in work, one to go on with
AHEAD = 4  # tasks for each worker that may be read before the first of them is done
TRIES = 3  # workers that a task may end, or that may end as they start, one after the other


class Pool(Generic[T, R]):
    """Some worker processes that do one work, and share what is large in it.

    A worker that dies is replaced, and what it had is done again from the start: by `again` of
    the work, if it has that, with more care. A task that `tries` of them die of ends it all.
    Workers end with the pool, or with this process. Each has `held` tasks at a time.
    """

    def __init__(
        self,
        work: Callable[[T], R],
        workers: int,
        *,
        tries: int = TRIES,
        held: int = HELD,
        ordered: bool = True,
    ) -> None:
        self.most, self.tries = whole("workers", workers, most=MOST), tries
        self._held, self.ordered = held, ordered
        if os.name != "posix":
            raise InputError("workers need a system such as Linux or macOS; do without them.")
        self._file = shared(work)
        self._selector = DefaultSelector()
        self._workers: list[Process] = []
        self._stillborn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._workers:
            self._workers.pop().end()
        self._selector.close()
        self._file.close()

    def map(
        self,
        tasks: Iterable[T],
        name: Callable[[T], str] = str,
        *,
        count: int | None = None,  # noqa: ARG002 - which other engines must know
        going_on: bool = False,
        reply: Callable[[T, Any], Any] | None = None,
    ) -> Iterator[Any]:
        """The work on each task, in order or, if the pool is not `ordered`, as it is done.

        `name` labels a task in error messages when its worker dies; that ends all or, if this is
        `going_on`, comes back as a `Lost`. `reply` answers what workers ask about a task.
        """
        for _, result in self.pairs(tasks, name=name, going_on=going_on, reply=reply):
            yield result

    def pairs(
        self,
        tasks: Iterable[S],
        *,
        message: Callable[[S], Any] = lambda task: task,
        name: Callable[[S], str] = str,
        going_on: bool = False,
        reply: Callable[[S, Any], Any] | None = None,
    ) -> Iterator[tuple[S, Any]]:
        """Each task with its result, as `map` gives them; workers are sent its `message`."""
        queue = _Queue(tasks, message, name, self, going_on=going_on, reply=reply)
        try:
            while True:
                if queue.ready:
                    yield queue.result()  # before another task is read
                    continue
                while self._free and (task := queue.following()):
                    self._least().give(task)
                if queue.over:
                    return
                if not queue.ready:
                    for key, _ in self._selector.select():
                        self._hear(key.data, queue)
        finally:
            self._forget()

    @property
    def workers(self) -> int:
        """How many there may be at a time."""
        return self.most

    @property
    def _free(self) -> bool:
        """Whether another task can be handed out."""
        return len(self._workers) < self.most or len(self._least().held) < self._held

    def _least(self) -> Process:
        """The worker with least to do, or a new one rather than one that has something."""
        least = min(self._workers, key=lambda worker: len(worker.held), default=None)
        if least is None or (least.held and len(self._workers) < self.most):
            least = Process.started(self._file.fileno())
            self._workers.append(least)
            self._selector.register(least.results, EVENT_READ, least)
        return least

    def _forget(self) -> None:
        """End workers that have something nobody waits for: it is not for who asks next."""
        for worker in [worker for worker in self._workers if worker.held]:
            self._selector.unregister(worker.results)
            self._workers.remove(worker)
            worker.end()

    def _hear(self, worker: Process, queue: _Queue[Any]) -> None:
        message = worker.message()
        if message is None:
            self._bury(worker, queue)
            return
        if message[:1] == QUESTION:
            worker.reply(queue.reply(worker.held[0].number, message[1:]))
            return
        result, error = heard(message[1:])
        if worker.ready:
            queue.done[worker.held.popleft().number] = result, error
        elif error:
            raise error
        else:
            worker.ready, self._stillborn = True, 0

    def _bury(self, worker: Process, queue: _Queue[Any]) -> None:
        """Another one will do again what a dead worker had; the first of it may be to blame."""
        self._selector.unregister(worker.results)
        self._workers.remove(worker)
        worker.end()
        if worker.ready and worker.held:
            worker.held[0].deaths += 1
        elif not worker.ready:
            self._stillborn += 1
        if self._stillborn == TRIES:
            raise PlumeError(f"{TRIES} worker processes ended as they began; is memory short?")
        queue.redo(worker.held)


class _Queue(Generic[T]):
    """Tasks, read as they are needed, and what came of them, to be used in order."""

    def __init__(
        self,
        tasks: Iterable[T],
        message: Callable[[T], Any],
        name: Callable[[T], str],
        pool: Pool[Any, Any],
        *,
        going_on: bool,
        reply: Callable[[T, Any], Any] | None,
    ) -> None:
        self._going_on, self._message, self._reply = going_on, message, reply
        self._tasks, self._name, self._ordered = iter(tasks), name, pool.ordered
        self._given: dict[int, T] = {}  # tasks whose results are still to come
        self._ahead, self._tries = AHEAD * pool.most, pool.tries
        self._again: list[Task] = []
        self._all_read = False
        self._read = self._turn = 0
        self.done: dict[int, tuple[Any, Exception | None]] = {}

    @property
    def ready(self) -> bool:
        return self._turn in self.done if self._ordered else bool(self.done)

    @property
    def over(self) -> bool:
        return self._all_read and self._turn == self._read

    def following(self) -> Task | None:
        """What is to be done next, if it may be read yet. Errors of reading wait for their turn."""
        if self._again:
            return self._again.pop(0)
        if self._all_read or self._read - self._turn >= self._ahead:
            return None
        try:
            task = next(self._tasks)
        except StopIteration:
            self._all_read = True
            return None
        except Exception as error:
            self._all_read = True
            self.done[self._read] = None, error
            self._read += 1
            return None
        number, self._read = self._read, self._read + 1
        self._given[number] = task
        return Task(number, pickle.dumps(self._message(task), protocol=5), self._name(task))

    def redo(self, tasks: Iterable[Task]) -> None:
        """Do tasks again, the earliest first; not one that ended too many workers."""
        for task in tasks:
            if task.deaths < self._tries:
                self._again.append(task)
            else:
                said = f"{task.name}: {self._tries} worker processes ended over it"
                self.done[task.number] = None, Lost(f"{said}; is memory short?")
        self._again.sort(key=lambda task: task.number)

    def reply(self, number: int, question: bytes) -> bytes:
        """The reply to a question about a task."""
        if self._reply is None:
            raise PlumeError("a worker asks what this pool cannot answer.")
        asked = pickle.loads(question)  # noqa: S301 - from our own worker
        return pickle.dumps(self._reply(self._given[number], asked), protocol=5)

    def result(self) -> tuple[T, Any]:
        """The task whose turn it is, and its result."""
        number = self._turn if self._ordered else min(self.done)
        result, error = self.done.pop(number)
        self._turn += 1
        if error and not (self._going_on and isinstance(error, Lost)):
            raise error
        return self._given.pop(number), error or result
