"""A worker process as its parent sees it: a fresh interpreter, with a pipe each way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from nomdeplume.workers.messages import receive, send
from nomdeplume.workers.worker import CAREFUL, REPLY, START, TASK

ROOM = 1 << 18  # bytes that a pipe should hold, so that nobody waits for room in it
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


@dataclass
class Task:
    """A task on its way: its number, its content, and how many workers ended over it."""

    number: int
    data: bytes
    name: str
    deaths: int = 0


@dataclass(eq=False)
class Process:
    """A worker on one core, and the tasks that it has; of its parent it has what it is handed."""

    child: subprocess.Popen[bytes]
    tasks: int  # pipes
    results: int
    held: deque[Task] = field(default_factory=deque)
    ready: bool = False

    @classmethod
    def started(cls, file: int) -> Process:
        """One that is handed a file. What it prints goes nowhere, and a terminal's signals, too."""
        theirs, tasks = os.pipe()
        try:
            results, answers = os.pipe()
        except BaseException:
            os.close(theirs)
            os.close(tasks)
            raise
        handed, path = (theirs, answers, file), json.dumps([*map(str, sys.path)])
        try:
            _widen(tasks)
            _widen(answers)
            child = subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-P", "-c", START, *map(str, handed), path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=handed,
                env={**os.environ, **ONE_THREAD},
                process_group=0,
            )
        except BaseException:
            os.close(tasks)
            os.close(results)
            raise
        finally:
            os.close(theirs)
            os.close(answers)
        return cls(child, tasks, results)

    def give(self, task: Task) -> None:
        """Send a task; if nobody is there, the end of the results will tell."""
        self.held.append(task)
        self._send(CAREFUL if task.deaths else TASK, task.data)

    def reply(self, data: bytes) -> None:
        """Send the reply to its question."""
        self._send(REPLY, data)

    def _send(self, kind: int, data: bytes) -> None:
        with suppress(BrokenPipeError):
            send(self.tasks, bytes([kind]) + data)

    def message(self) -> bytes | None:
        """Its next question or answer, once there is one; None if it is dead."""
        return receive(self.results)

    def end(self) -> None:
        self.child.kill()
        os.close(self.tasks)
        os.close(self.results)
        self.child.wait()


def _widen(pipe: int) -> None:
    """Let a pipe hold more, where the system can and allows it."""
    import fcntl

    if size := getattr(fcntl, "F_SETPIPE_SZ", None):
        with suppress(OSError):
            fcntl.fcntl(pipe, size, ROOM)
