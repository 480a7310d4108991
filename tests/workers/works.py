"""What worker processes of the tests do: they find it here by its name."""

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from nomdeplume import InputError, PrivacyError, secure
from nomdeplume.threads import cores
from nomdeplume.workers.asking import ask


def until_it_fails(results):
    """What comes before an error, and the error."""
    got = []
    try:
        for each in results:
            got.append(each)  # noqa: PERF402
    except Exception as error:
        return got, error
    raise AssertionError("it does not fail")


def doubled(number):
    return 2 * number


def slow_first(number):
    time.sleep(0.2 if number == 0 else 0)
    return number


def who(_):
    time.sleep(0.05)
    return os.getpid()


def loud(text):
    print(text)
    print(text, file=sys.stderr)
    return text


def failing(kind):
    if kind == "ours":
        raise PrivacyError("it may not be.")
    if kind == "theirs":
        return {}["a secret word"]
    return kind


def allowed(_):
    products = [pool["num_threads"] for pool in threadpool_info()]
    return cores(), max(products, default=1), sorted(os.sched_getaffinity(0))


class Refused:
    """Cannot be had in another process."""

    def __call__(self, task):
        return task

    def __reduce__(self):
        return _refuse, ()


def _refuse():
    raise InputError("it must be here.")


@dataclass
class Deadly:
    """Dies of some tasks, as often as it is told; the folder counts."""

    folder: str
    fatal: int
    times: int

    def __call__(self, number):
        marks = Path(self.folder)
        if number == self.fatal and len(list(marks.iterdir())) < self.times:
            (marks / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number


def asking(_):
    return [ask("half of it"), ask("its double")]


@dataclass
class DiesAfterAsking:
    """Dies when it has its first reply; the folder remembers."""

    folder: str

    def __call__(self, _):
        told, mark = ask("may I?"), Path(self.folder) / "died"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return told


@dataclass
class DiesAtStart:
    """Ends the process that it comes to."""

    here: int = field(default_factory=os.getpid)

    def __setstate__(self, state):
        os.kill(os.getpid(), signal.SIGKILL)

    def __call__(self, task):
        return task


@dataclass
class Holding:
    """Has an array, and tells how it came."""

    array: np.ndarray

    def __call__(self, row):
        return self.array[row].tolist(), self.array.flags.writeable, _resident()


def _resident():
    """Bytes that this process has for itself alone."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_"))


class Drawing:
    """Draws from a generator of its process."""

    @cached_property
    def rng(self):
        return secure()

    def __call__(self, count):
        time.sleep(0.02)
        return os.getpid(), self.rng.integers(2**63, size=count).tolist()


class Shares(Drawing):
    """The planted fault: every process draws from the same stream."""

    @cached_property
    def rng(self):
        return np.random.default_rng(1)
