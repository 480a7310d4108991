"""Actors on Ray ask at a desk for tasks, and about tasks; the driver answers there."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from nomdeplume import discreet
from nomdeplume.errors import PlumeError
from nomdeplume.extras import arrow, extra
from nomdeplume.threads import limit
from nomdeplume.workers.asking import asking
from nomdeplume.workers.isolate import Lost
from nomdeplume.workers.worker import answer, done

TRIES = 3  # actors that a task may end, one after the other


class Asked(NamedTuple):
    """A request of an actor: for a task by its number, or a question about its task."""

    ticket: int  # by which it gets its reply
    number: int
    question: bytes | None = None


class Desk:
    """An actor where other actors ask and the driver replies."""

    def __init__(self, work: list[Any]) -> None:
        self._work = work  # a reference to it
        self._asked: asyncio.Queue[Asked] = asyncio.Queue()
        self._waiting: dict[int, asyncio.Future[bytes | None]] = {}
        self._tickets = count()
        self._closed = False

    async def work(self) -> list[Any]:
        return self._work

    async def ask(self, number: int, question: bytes | None = None) -> bytes | None:
        """The reply; None if nobody waits for the result of the task."""
        if self._closed:
            return None
        ticket = next(self._tickets)
        reply: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._waiting[ticket] = reply
        await self._asked.put(Asked(ticket, number, question))
        return await reply

    async def heard(self) -> Asked:
        """The next request."""
        return await self._asked.get()

    async def tell(self, ticket: int, reply: bytes | None) -> None:
        waiting = self._waiting.pop(ticket, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    async def close(self) -> None:
        """Let nobody wait for a reply any more."""
        self._closed = True
        for ticket in list(self._waiting):
            await self.tell(ticket, None)


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
            told = self._get(self._desk.ask.remote(number))
            if told is not None:
                numbers.append(number)
                with asking(partial(self._ask, number)):
                    answers.append(answer(partial(done, self._work, told[1:], again=told[0] > 0)))
        said = {"number": pa.array(numbers, pa.int64())}
        return pa.table(said | {"answer": pa.array(answers, pa.large_binary())})

    def _ask(self, number: int, question: Any) -> Any:
        """The driver's reply to a question about a task."""
        data = pickle.dumps(question, protocol=5)
        reply = self._get(self._desk.ask.remote(number, data))
        if reply is None:
            raise PlumeError("the driver does not wait for this task any more.")
        return pickle.loads(reply)  # noqa: S301 - from our own driver


@dataclass
class Handing:
    """Tasks by the numbers that were asked for: a number asked for again has lost its actor."""

    tasks: Iterator[Any]
    name: Callable[[Any], str]
    reply: Callable[[Any, Any], Any] | None = None  # to what is asked about a task
    _given: dict[int, Any] = field(default_factory=dict)
    _times: dict[int, int] = field(default_factory=dict)
    _ended: set[int] = field(default_factory=set)

    def told(self, asked: Asked) -> bytes | None:
        """The reply to a request; None if its task is done, or if no task is left."""
        if asked.number in self._ended:
            return None
        if asked.question is None:
            return self._task(asked.number)
        if self.reply is None:
            raise PlumeError("an actor asks what this driver cannot answer.")
        question = pickle.loads(asked.question)  # noqa: S301 - from our own actor
        return pickle.dumps(self.reply(self._given[asked.number], question), protocol=5)

    def _task(self, number: int) -> bytes | None:
        """A task, after a byte that is 1 if an actor has ended over it.

        An actor can end between its answer and the end of what Ray asked of it: Ray asks again
        then, and listens to no other answer.
        """
        if number not in self._given:
            task = next(self.tasks, None)
            if task is None:
                return None
            self._given[number] = task
        task = self._given[number]
        self._times[number] = times = self._times.get(number, 0) + 1
        if times > TRIES:
            raise Lost(f"{self.name(task)}: {TRIES} Ray actors ended over it; is memory short?")
        return bytes([times > 1]) + pickle.dumps(task, protocol=5)

    def end(self, number: int) -> None:
        """Forget a task whose answer is here."""
        self._ended.add(number)
        self._given.pop(number, None)
        self._times.pop(number, None)
