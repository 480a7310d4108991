"""What a worker process does: the work on each task it is sent, until its parent is gone."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, NoReturn

from nomdeplume import discreet
from nomdeplume.errors import PlumeError
from nomdeplume.threads import limit
from nomdeplume.workers.asking import asking
from nomdeplume.workers.messages import receive, send
from nomdeplume.workers.shared import received

TASK, CAREFUL, REPLY = 0, 1, 2  # first byte of a message to a worker
QUESTION, ANSWER = b"?", b"="  # first byte of a message from a worker
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); "
    "from nomdeplume.workers.worker import main; main()"
)


def main() -> NoReturn:
    """Get the work, say that it is there, then answer task by task."""
    discreet.install()
    tasks, results, file = map(int, sys.argv[1:])
    waiting: SimpleQueue[bytes] = SimpleQueue()
    replies: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(tasks, waiting, replies), daemon=True).start()
    limit(1)
    found: list[Callable[[Any], Any]] = []
    send(results, ANSWER + answer(lambda: found.append(received(file))))

    def ask(question: Any) -> Any:
        send(results, QUESTION + pickle.dumps(question, protocol=5))
        return pickle.loads(replies.get())  # noqa: S301 - from our own driver

    with asking(ask):
        while True:
            data = waiting.get()
            again = data[0] == CAREFUL
            send(results, ANSWER + answer(lambda d=data, a=again: done(found[0], d[1:], again=a)))  # type: ignore[misc]


def done(work: Callable[[Any], Any], data: bytes, *, again: bool) -> Any:
    """The work on a task; with more care, where it knows how, on one that a worker died of."""
    careful: Callable[[Any], Any] = getattr(work, "again", work)
    return (careful if again else work)(pickle.loads(data))  # noqa: S301 - from our own driver


def _listen(tasks: int, waiting: SimpleQueue[bytes], replies: SimpleQueue[bytes]) -> None:
    """Take in tasks and replies as they come; when the parent is gone, end the process."""
    while (data := receive(tasks)) is not None:
        if data[0] == REPLY:
            replies.put(data[1:])
        else:
            waiting.put(data)
    os._exit(0)


def heard(message: bytes) -> tuple[Any, PlumeError | None]:
    """An answer, taken apart again: a result, or the error that there was."""
    result, failed = pickle.loads(message)  # noqa: S301 - from our own worker
    if not failed:
        return result, None
    kind, said = failed
    return None, kind.__new__(kind, said)  # what it was made of may have been something else


def answer(call: Callable[[], Any]) -> bytes:
    """What came of it: a result, one of our errors, or where another one was.

    Nothing else of an error travels: its message may quote a text.
    """
    try:
        return pickle.dumps((call(), None), protocol=5)
    except PlumeError as error:
        return pickle.dumps((None, (type(error), str(error))))
    except MemoryError:
        return pickle.dumps((None, (PlumeError, "not enough memory for a worker; take fewer.")))
    except Exception as error:
        place = discreet.place(error.__traceback__)
        said = f"unexpected {type(error).__name__} at {place}, in a worker; please report it."
        return pickle.dumps((None, (PlumeError, said)))
