"""Ray: a pool of actors that Ray Data keeps, on this machine or on a cluster.

No text passes through Ray: a row of the dataset is the number of a task, for which an actor
asks this process when it is free. What it is told then is a task that this process has just
read, and, of a shard, charged.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from nomdeplume import discreet
from nomdeplume.errors import InputError, PlumeError, whole
from nomdeplume.extras import arrow, extra
from nomdeplume.threads import limit
from nomdeplume.workers import MOST
from nomdeplume.workers.isolate import Lost
from nomdeplume.workers.worker import answer, done

if TYPE_CHECKING:
    pass

TRIES = 3  # actors that a task may end, one after the other
LOOKS = 0.05  # seconds between two looks at what has come back
STORE = 1 << 28  # bytes of shared memory beside the work itself, of a Ray that is started here


@dataclass(frozen=True)
class OnRay:
    """An engine: so many actors on a core, or a card, each.

    Without an address, the cluster that this process is in, or else a Ray on this machine.
    """

    workers: int | None = None
    address: str | None = None
    gpus: bool = False

    @contextmanager
    def open(self, work: Callable[[Any], Any]) -> Iterator[Actors]:
        with _connected(self.address, self.workers) as ray:
            unit = "GPU" if self.gpus else "CPU"
            there = int(ray.cluster_resources().get(unit, 0))
            if not there:
                raise InputError(f"the Ray cluster has no {unit}.")
            workers = whole("workers", self.workers or there, most=MOST * MOST)
            yield Actors(ray, ray.put(work), workers, gpus=self.gpus)


@dataclass
class Actors:
    """Workers on Ray that have one work to do."""

    ray: Any
    work: Any  # a reference to it
    workers: int
    gpus: bool = False

    def map(
        self, tasks: Iterable[Any], name: Callable[[Any], str] = str, *, count: int | None = None
    ) -> Iterator[Any]:
        """The work on each task, as it is done; tasks are read when actors ask for them."""
        if count is None:
            tasks = list(tasks)
            count = len(tasks)
        if not count:
            return
        desk = self.ray.remote(num_cpus=0)(Desk).remote([self.work])
        handing = _Handing(iter(tasks), name)
        answers: SimpleQueue[bytes | None] = SimpleQueue()
        thread = Thread(target=self._run, args=(desk, count, answers), daemon=True)
        thread.start()
        asked = desk.heard.remote()
        try:
            while True:
                ready, _ = self.ray.wait([asked], timeout=LOOKS)
                if ready:
                    number = self.ray.get(asked)
                    asked = desk.heard.remote()
                    desk.tell.remote(number, handing.task(number))
                while not answers.empty():
                    message = answers.get()
                    if message is None:
                        return
                    yield _result(message)
        finally:
            desk.close.remote()
            thread.join()
            self.ray.kill(desk)

    def _run(self, desk: Any, count: int, answers: SimpleQueue[bytes | None]) -> None:
        """Let Ray Data go through all numbers; this thread waits for what comes back."""
        data, pa = extra("ray.data", "engines", "ray"), arrow()
        try:
            numbers = data.from_arrow([pa.table({"number": [i]}) for i in range(count)])
            made = numbers.map_batches(
                Actor,
                fn_constructor_args=(desk,),
                batch_format="pyarrow",
                batch_size=1,
                compute=data.ActorPoolStrategy(min_size=1, max_size=min(self.workers, count)),
                **({"num_gpus": 1} if self.gpus else {"num_cpus": 1}),
            )
            for batch in made.iter_batches(batch_format="pyarrow", batch_size=1):
                for message in batch.column("answer").to_pylist():
                    answers.put(message)
        except Exception as error:
            said = f"Ray failed: {type(error).__name__} at {discreet.place(error.__traceback__)}."
            answers.put(pickle.dumps((None, (PlumeError, said))))
        answers.put(None)


class Actor:
    """What Ray keeps on a core or a card: it asks for a task, and does it."""

    def __init__(self, desk: Any) -> None:
        ray = extra("ray", "engines", "ray")
        discreet.install()
        limit(1)
        [work] = ray.get(desk.work.remote())
        self._work, self._desk, self._get = ray.get(work), desk, ray.get

    def __call__(self, batch: Any) -> Any:
        pa, answers = arrow(), []
        for number in batch.column("number").to_pylist():
            task, again = self._get(self._desk.ask.remote(number))
            if task is not None:
                answers.append(answer(lambda t=task, a=again: done(self._work, t, again=a)))  # type: ignore[misc]
        return pa.table({"answer": pa.array(answers, pa.large_binary())})


class Desk:
    """Where actors ask, and the driver answers."""

    def __init__(self, work: list[Any]) -> None:
        self._work = work  # a reference to it
        self._asked: asyncio.Queue[int] = asyncio.Queue()
        self._waiting: dict[int, list[asyncio.Future[Any]]] = {}
        self._closed = False

    async def ask(self, number: int) -> Any:
        """A task for a number; the driver knows if it was told before."""
        if self._closed:
            return None, False
        told = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(number, []).append(told)
        await self._asked.put(number)
        return await told

    async def work(self) -> list[Any]:
        return self._work

    async def heard(self) -> int:
        """The next number that is asked for."""
        return await self._asked.get()

    async def tell(self, number: int, task: Any) -> None:
        for told in self._waiting.pop(number, []):
            told.set_result(task)

    async def close(self) -> None:
        """Nobody waits for results any more."""
        self._closed = True
        for number in list(self._waiting):
            await self.tell(number, (None, False))


@dataclass
class _Handing:
    """Tasks by the numbers that were asked for: who asks again for one has lost an actor."""

    tasks: Iterator[Any]
    name: Callable[[Any], str]
    _given: dict[int, tuple[bytes, str]] = field(default_factory=dict)
    _times: dict[int, int] = field(default_factory=dict)

    def task(self, number: int) -> tuple[bytes | None, bool]:
        """What to do, and whether with care; nothing if all is done."""
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


def _result(message: bytes) -> Any:
    result, failed = pickle.loads(message)  # noqa: S301 - from our own worker
    if failed:
        raise failed[0](failed[1])
    return result


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Ray: the one that runs, at an address or in this process, or one that runs meanwhile."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the machine
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    ray = extra("ray", "engines", "ray")
    _quieten()
    if ray.is_initialized():
        yield ray
        return
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None and "RAY_ADDRESS" not in os.environ:
        how |= {"num_cpus": workers, "include_dashboard": False, "object_store_memory": STORE}
    try:
        ray.init(address=address, **how)
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = "at that address" if address else "on this machine"
        raise InputError(f"no Ray cluster {where}: {type(error).__name__}.") from None
    try:
        yield ray
    finally:
        with suppress(Exception):
            ray.shutdown()


def _quieten() -> None:
    """Let Ray Data say nothing by itself: progress is told by this program."""
    import logging

    context = extra("ray.data", "engines", "ray").DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
