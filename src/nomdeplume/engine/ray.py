"""Ray: a pool of actors that Ray Data keeps, on this machine or on a cluster.

As an engine: a row of its dataset is the number of a task, for which an actor asks the driver
when it is free. It is told a shard, reads it, asks the driver to charge its documents, releases
and writes them; no text passes through Ray, only digests for the charge. (Those of an evaluation
do, as part of the work.) In a job of one's own,

    from nomdeplume.engine.ray import obfuscate
    released = obfuscate(ray.data.read_parquet("texts"), text="body", keep=["topic"], budget=20)

texts are in Ray's hands anyway, and the function is mapped over them.
"""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from nomdeplume import discreet
from nomdeplume.engine import made
from nomdeplume.engine.desk import Actor, Desk, Handing
from nomdeplume.errors import InputError, PlumeError, whole
from nomdeplume.extras import arrow, extra
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.identifying import AUTHOR, ID
from nomdeplume.threads import limit
from nomdeplume.workers import MOST
from nomdeplume.workers.isolate import Lost
from nomdeplume.workers.worker import heard

WAIT = 10.0  # seconds for a cluster to answer
SHORT = 40  # signs of a folder's name; names of sockets within it may have a hundred
LOOKS = 0.05  # seconds between two looks at what has come back
Answer = tuple[int, bytes]  # the number of a task, and what came of it
NOBODY = -1  # a number that no task has
STORE = 1 << 28  # bytes of shared memory, of a Ray that is started here: texts are not in it


def obfuscate(
    dataset: Any,
    obfuscator: Obfuscator | None = None,
    *,
    text: str = "text",
    keep: Sequence[str] = (),
    empty: str = "public",
    vectors: bool = False,
    workers: int | None = None,
    gpus: bool = False,
    id: str = ID,  # noqa: A002 - what the column is called everywhere
    author: str = AUTHOR,
    allow_identifying_ids: bool = False,
    **recipe: Any,
) -> Any:
    """The Ray dataset with released words in column `text`; of the others only those in `keep`.

    Without an obfuscator, that of a `recipe`: `budget`, `size`, `mechanism` and so on. Rows
    without a text, and those that are withheld, do not come out. It is computed at once, and
    what was computed is put into Ray's store as it is: a dataset that knows how it was made is
    made anew whenever it is used, or lost, and draws its noise anew. Kept ids (column
    `id`) that tell who wrote a text (column `author`) are refused, unless
    `allow_identifying_ids`.
    """
    ray, data = extra("ray", "engines", "ray"), extra("ray.data", "engines", "ray")
    releases = made(obfuscator, recipe)
    function = releases.batches(
        text=text,
        keep=keep,
        empty=empty,
        vectors=vectors,
        id=id,
        author=author,
        allow_identifying_ids=allow_identifying_ids,
    )
    if function.ids.names:
        there = [name for name in function.ids.fields if name in dataset.columns()]
        function.ids.all(dataset.select_columns(there).iter_rows())
    releases.releasing.prepare()
    most = whole("workers", workers or _there(ray, gpus=gpus), most=MOST * MOST)
    mapped = dataset.map_batches(
        Mapped,
        fn_constructor_args=([ray.put(function)],),
        batch_format="pyarrow",
        compute=data.ActorPoolStrategy(min_size=1, max_size=most),
        **_share(gpus=gpus),
    )
    return data.from_arrow_refs([ray.put(ray.get(block)) for block in mapped.to_arrow_refs()])


class Mapped:
    """The function as an actor of Ray Data: keyed in its own process."""

    def __init__(self, function: list[Any]) -> None:
        ray = extra("ray", "engines", "ray")
        limit(1)
        self._function = ray.get(function[0])
        self._careful = bool(ray.get_runtime_context().was_current_actor_reconstructed)

    def __call__(self, table: Any) -> Any:
        pa, text = arrow(), self._function.text
        batches = [
            self._function.outcome(batch, careful=self._careful).batch
            for batch in table.combine_chunks().to_batches()
        ]
        found = pa.Table.from_batches(batches, self._function.schema(table.schema))
        return found.filter(found.column(text).is_valid())


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
            most = whole("workers", self.workers or _there(ray, gpus=self.gpus), most=MOST * MOST)
            yield Actors(ray, ray.put(work), most, gpus=self.gpus)


@dataclass(frozen=True)
class Actors:
    """Workers on Ray that have one work to do."""

    ray: Any
    work: Any  # a reference to it
    workers: int
    gpus: bool = False

    def map(
        self,
        tasks: Iterable[Any],
        name: Callable[[Any], str] = str,
        *,
        count: int | None = None,
        going_on: bool = False,
        reply: Callable[[Any, Any], Any] | None = None,
    ) -> Iterator[Any]:
        """The work on each task, as it is done; tasks are read when actors ask for them."""
        if count is None:
            tasks = list(tasks)
            count = len(tasks)
        if not count:
            return
        desk = self.ray.remote(num_cpus=0)(Desk).remote([self.work])
        handing = Handing(iter(tasks), name, reply)
        answers: SimpleQueue[Answer | None] = SimpleQueue()
        thread = Thread(target=self._run, args=(desk, count, answers), daemon=True)
        thread.start()
        following = desk.heard.remote()
        try:
            while True:
                ready, _ = self.ray.wait([following], timeout=LOOKS)
                while not answers.empty():  # before another task is read
                    if (answer := answers.get()) is None:
                        return
                    handing.end(answer[0])
                    yield _result(answer[1])
                if ready:
                    asked = self.ray.get(following)
                    following = desk.heard.remote()
                    told = None
                    try:
                        told = handing.told(asked)
                    except Lost as error:
                        if not going_on:
                            raise
                        yield error
                    desk.tell.remote(asked.ticket, told)
        finally:
            desk.close.remote()
            thread.join()
            self.ray.kill(desk)

    def _run(self, desk: Any, count: int, answers: SimpleQueue[Answer | None]) -> None:
        """Let Ray Data go through all numbers; this thread waits for what comes back."""
        data, pa = extra("ray.data", "engines", "ray"), arrow()
        try:
            numbers = data.from_arrow([pa.table({"number": [i]}) for i in range(count)])
            done = numbers.map_batches(
                Actor,
                fn_constructor_args=(desk,),
                batch_format="pyarrow",
                batch_size=1,
                compute=data.ActorPoolStrategy(min_size=1, max_size=min(self.workers, count)),
                **_share(gpus=self.gpus),
            )
            for batch in done.iter_batches(batch_format="pyarrow", batch_size=1):
                for each in batch.to_pylist():
                    answers.put((each["number"], each["answer"]))
        except Exception as error:
            said = f"Ray failed: {type(error).__name__} at {discreet.place(error.__traceback__)}."
            answers.put((NOBODY, pickle.dumps((None, (PlumeError, said)))))
        answers.put(None)


def _result(message: bytes) -> Any:
    result, error = heard(message)
    if error:
        raise error
    return result


def _share(*, gpus: bool) -> dict[str, int]:
    """Of a machine, for an actor."""
    return {"num_gpus": 1} if gpus else {"num_cpus": 1}


def _there(ray: Any, *, gpus: bool) -> int:
    """Cores, or cards, of the cluster."""
    unit = "GPU" if gpus else "CPU"
    found = int(ray.cluster_resources().get(unit, 0))
    if not found:
        raise InputError(f"the Ray cluster has no {unit}.")
    return found


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Ray: the one that runs, at an address or in this process, or one that runs meanwhile."""
    address = address or os.environ.get("RAY_ADDRESS")
    _prepare(alone=address is None)
    ray = extra("ray", "engines", "ray")
    _quieten()
    if ray.is_initialized():
        yield ray
        return
    with _place(address, workers) as place:
        try:
            with _silent():
                ray.init(address=address, log_to_driver=False, logging_level="ERROR", **place)
            yield ray
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            if ray.is_initialized() or isinstance(error, PlumeError):
                raise
            said = f"no Ray cluster {'at that address' if address else 'could be started'}"
            raise InputError(f"{said}: {type(error).__name__}.") from None
        finally:
            with suppress(Exception):
                ray.shutdown()


def _prepare(*, alone: bool) -> None:
    """What Ray must be told before it is loaded."""
    if "ray" in sys.modules:
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the machine
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if alone and "RAY_AUTH_MODE" not in os.environ:  # else anybody here could send it work
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


@contextmanager
def _place(address: str | None, workers: int | None) -> Iterator[dict[str, Any]]:
    """What Ray needs beside an address; without one, a folder of its own for logs and sockets."""
    if address is not None:
        _answers(address)
        yield {}
        return
    usual = tempfile.gettempdir()
    short = usual if len(usual) < SHORT else "/tmp"  # noqa: S108 - private in any case
    with tempfile.TemporaryDirectory(prefix="plume-", dir=short, ignore_cleanup_errors=True) as own:
        inner = Path(own) / "r"  # which Ray opens to everybody; nobody gets past `own`
        inner.mkdir()
        yield {
            "num_cpus": workers,
            "include_dashboard": False,
            "object_store_memory": STORE,
            "_temp_dir": str(inner),
        }


@contextmanager
def _silent() -> Iterator[None]:
    """Let Ray's own processes and libraries say nothing as they begin, past Python's streams."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _answers(address: str) -> None:
    """Refuse an address where nobody is, which Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and port.isdecimal()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=WAIT).close()
    except (OSError, OverflowError):
        raise InputError("no Ray cluster at that address: nobody answers.") from None


def _quieten() -> None:
    """Let Ray Data say nothing by itself: progress is told by this program."""
    context = extra("ray.data", "engines", "ray").DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
