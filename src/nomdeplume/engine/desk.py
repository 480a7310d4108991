"""Who does what on Ray: actors ask at a desk for a task, and the driver answers there."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from nomdeplume import discreet
from nomdeplume.extras import arrow, extra
from nomdeplume.threads import limit
from nomdeplume.workers.isolate import Lost
from nomdeplume.workers.worker import answer, done

TRIES = 3  # actors that a task may end, one after the other


class Desk:
    """Where actors ask, and the driver answers; it is an actor itself, and does nothing else."""

    def __init__(self, work: list[Any]) -> None:
        self._work = work  # a reference to it
        self._asked: asyncio.Queue[int] = asyncio.Queue()
        self._waiting: dict[int, list[asyncio.Future[Any]]] = {}
        self._closed = False

    async def work(self) -> list[Any]:
        return self._work

    async def ask(self, number: int) -> Any:
        """A task for a number, and whether to take care with it."""
        if self._closed:
            return None, False
        told = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(number, []).append(told)
        await self._asked.put(number)
        return await told

    async def heard(self) -> int:
        """The next number that is asked for."""
        return await self._asked.get()

    async def tell(self, number: int, task: Any) -> None:
        for told in self._waiting.pop(number, []):
            if not told.done():
                told.set_result(task)

    async def close(self) -> None:
        """Nobody waits for results any more."""
        self._closed = True
        for number in list(self._waiting):
            await self.tell(number, (None, False))


class Actor:
    """What Ray Data keeps on a core or a card: it asks for tasks, and does them."""

    def __init__(self, desk: Any) -> None:
        ray = extra("ray", "engines", "ray")
        discreet.install()
        limit(1)
        [work] = ray.get(desk.work.remote())
        self._work, self._desk, self._get = ray.get(work), desk, ray.get

    def __call__(self, batch: Any) -> Any:
        pa, numbers, answers = arrow(), [], []
        for number in batch.column("number").to_pylist():
            task, again = self._get(self._desk.ask.remote(number))
            if task is not None:
                numbers.append(number)
                answers.append(answer(lambda t=task, a=again: done(self._work, t, again=a)))  # type: ignore[misc]
        said = {"number": pa.array(numbers, pa.int64())}
        return pa.table(said | {"answer": pa.array(answers, pa.large_binary())})


@dataclass
class Handing:
    """Tasks by the numbers that were asked for: who asks again for one has lost an actor."""

    tasks: Iterator[Any]
    name: Callable[[Any], str]
    _given: dict[int, tuple[bytes, str]] = field(default_factory=dict)
    _times: dict[int, int] = field(default_factory=dict)
    _ended: set[int] = field(default_factory=set)

    def task(self, number: int) -> tuple[bytes | None, bool]:
        """What to do, and whether with care; nothing if all is done, or this is.

        An actor can end between its answer and the end of what Ray asked of it: Ray asks again
        then, and listens to no other answer.
        """
        if number in self._ended:
            return None, False
        if number not in self._given:
            task = next(self.tasks, None)
            if task is None:
                return None, False
            self._given[number] = pickle.dumps(task, protocol=5), self.name(task)
        self._times[number] = times = self._times.get(number, 0) + 1
        data, name = self._given[number]
        if times > TRIES:
            raise Lost(f"{name}: {TRIES} Ray actors ended over it; is memory short?")
        return data, times > 1

    def end(self, number: int) -> None:
        """Its answer is here: a task is large, and not needed any more."""
        self._ended.add(number)
        self._given.pop(number, None)
        self._times.pop(number, None)
