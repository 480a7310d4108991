"""Long work in a process of its own, which tells how far it is and can be ended at once."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import Any

from nomdeplume import discreet
from nomdeplume.errors import InputError, PlumeError

Told = tuple[float, str]  # the share that is done, and what is being done
Message = tuple[str, Any]

TOLD, RETURNED, REFUSED, FAILED = "told", "returned", "refused", "failed"
BEGUN: Told = (0.0, "")
PATIENCE = 1.0  # seconds that a process has to go once it has said all


class Failed(PlumeError):
    """Work that did not come to its end."""


class Cancelled(PlumeError):
    """Work that nobody wanted any more."""


class Job:
    """A function at work in another process, for an event loop that it never blocks.

    A thread sends the function, listens, and sees to it that process and pipe are gone in
    the end: they close when the child has said all, and when it dies.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self._loop = asyncio.get_running_loop()
        self._latest = BEGUN
        self._changed, self._done = asyncio.Event(), asyncio.Event()
        self._outcome: Message = (FAILED, "")
        self._cancelled, self._closed, self._lock = False, False, Lock()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_child, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._thread = Thread(target=self._listen, args=((function, args),), daemon=True)
        self._thread.start()

    @classmethod
    def start(cls, function: Callable[..., Any], *args: Any) -> Job:
        """Begin `function(*args, tell)`, a function of a module; needs a running event loop."""
        return cls(function, args)

    @property
    def done(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self._done.is_set()

    async def progress(self) -> AsyncIterator[Told]:
        """How far it is, now and whenever that has changed, until it is done."""
        seen = BEGUN
        while self._latest is not seen or not self.done:
            if self._latest is seen:
                await self._changed.wait()
            else:
                seen = self._latest
                yield seen

    async def result(self) -> Any:
        """What the function returned; an error in its place is safe to show."""
        await self._done.wait()
        kind, content = self._outcome
        if self._cancelled:
            raise Cancelled("cancelled.")
        if kind == RETURNED:
            return content
        raise (InputError if kind == REFUSED else Failed)(content)

    def cancel(self) -> None:
        """End it now; process and pipe are gone when this returns."""
        with self._lock:
            self._cancelled = self._cancelled or not self._closed
            if not self._closed:
                self._process.kill()
        self._thread.join(PATIENCE)

    def _listen(self, work: tuple[Callable[..., Any], tuple[Any, ...]]) -> None:
        """In a thread: send the work, pass on what is told, and clear up after the last word."""
        outcome = _exchange(self._pipe, work, self._pass_on)
        self._pipe.close()
        self._process.join(PATIENCE)
        with self._lock:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._closed = True
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._finish, outcome)

    def _pass_on(self, told: Told) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._show, told)

    def _show(self, told: Told) -> None:
        self._latest = told
        self._wake()

    def _finish(self, outcome: Message) -> None:
        self._outcome = outcome
        self._done.set()
        self._wake()

    def _wake(self) -> None:
        """Whoever waits for a change goes on, and waits for the next one."""
        woken, self._changed = self._changed, asyncio.Event()
        woken.set()


def _exchange(pipe: Connection, work: object, told: Callable[[Told], None]) -> Message:
    """Send the work and hear the child out: its last word, or that it had none."""
    try:
        pipe.send(work)
        while True:
            kind, content = pipe.recv()
            if kind == RETURNED:
                return kind, pickle.loads(content)  # noqa: S301 - of our own child
            if kind != TOLD:
                return kind, content
            told(content)
    except (EOFError, OSError):
        return FAILED, "the work was cut off: its process ended, perhaps for lack of memory."
    except Exception as error:
        return FAILED, _unexpected(error)


def _child(pipe: Connection) -> None:
    """In the child: silent, discreet, and deaf to Ctrl-C, which is its parent's."""
    _silence()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    discreet.install()
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(OSError):  # nobody listens any more
        pipe.send(_worked(pipe))


def _worked(pipe: Connection) -> Message:
    """What the work came to, packed; of an error no more than is safe to show."""
    try:
        function, args = pipe.recv()
        found = function(*args, lambda share, said: pipe.send((TOLD, (share, said))))
        return RETURNED, pickle.dumps(found)
    except InputError as error:
        return REFUSED, str(error)
    except PlumeError as error:
        return FAILED, str(error)
    except Exception as error:
        return FAILED, _unexpected(error)


def _end_with_parent() -> None:
    """A parent that was killed leaves no work behind."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _unexpected(error: Exception) -> str:
    return f"unexpected {type(error).__name__} at {discreet.place(error.__traceback__)}."


def _silence() -> None:
    """Whatever libraries print goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
