"""Hands damaged files to every reader and counts what becomes of them.

    python -m tests.soak.fuzz --cases 2000000 --json counts.json

A case is made from the name of its reader, its number and the seed, so each can be made again.
They run in a child with little memory; one that dies or stays silent is counted against the case
that it was at, and another goes on after it.
"""

import argparse
import json
import mmap
import os
import random
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.soak.mutate import damaged

HANG = 10.0  # seconds that a case may take
SILENCE = 30.0  # and after which a child that cannot even be interrupted is ended
MEMORY = 2 << 30  # bytes that a child may have beside what it begins with
SLOW = {
    "certificate, checked": 0.05,
    "release, frame": 0.5,
    "parquet": 0.5,
    "release, parquet": 0.5,
}
# Arrow's own pool keeps what a case was refused, and the next ones would run out of addresses
GIVES_BACK = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
ENDS = ("accepted", "refused", "crashes", "hangs")
MEMORY_DISK = "/dev/shm" if Path("/dev/shm").is_dir() else None


class Hang(BaseException):
    """A case that takes too long; no reader catches it by mistake."""


def case(name, number, seed, seeds):
    """The bytes of one case, the same each time."""
    return damaged(seeds, random.Random(f"{seed}/{name}/{number}"))


def share(names, cases, least=100):
    """How many cases each reader has: equally many, but fewer of those that take long."""
    weights = {name: SLOW.get(name, 1.0) for name in names}
    total = sum(weights.values())
    return {name: max(least, round(cases * weights[name] / total)) for name in names}


def attempt(read, data, folder):
    """What becomes of one case: how it ended, and where if it should not have."""
    from tests.soak.oracle import outcome

    signal.setitimer(signal.ITIMER_REAL, HANG)
    try:
        return outcome(read, data, folder), ""
    except Hang as error:
        return "hangs", _place(error)
    except Exception as error:
        return "crashes", _place(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _place(error):
    """What was raised, by which line: it tells one fault from another."""
    last = traceback.extract_tb(error.__traceback__)
    ours = [each for each in last if "nomdeplume" in each.filename] or last
    lines = [f"{Path(each.filename).name}:{each.lineno}" for each in (last[-1], ours[-1])]
    where = " < ".join(dict.fromkeys(lines))
    said = re.sub(r"\d+", "#", f"{error!s:.80}")
    return f"{type(error).__name__} at {where}: {said}"


def smaller(read, data, folder, place, seconds=3.0):
    """Fewer bytes with which the same happens."""
    until, step = time.monotonic() + seconds, max(1, len(data) // 2)
    while step and time.monotonic() < until:
        at = 0
        while at < len(data) and time.monotonic() < until:
            less = data[:at] + data[at + step :]
            if attempt(read, less, folder)[1] == place:
                data = less
            else:
                at += step
        step //= 2
    return data


@dataclass
class Work:
    """Some cases of one reader, and how far they are: in a file, which a child writes to."""

    name: str
    cases: int
    seed: int
    until: float  # a time at which to stop
    shared: str = ""

    def child(self):
        """Run the cases that are left, here."""
        from tests.soak.readers import READERS
        from tests.soak.seeds import of

        read, seeds = READERS[self.name], of(self.name)
        warnings.simplefilter("error")  # a warning is a line more on standard error
        signal.signal(signal.SIGALRM, _hang)
        with (
            tempfile.TemporaryDirectory(dir=MEMORY_DISK, prefix="soak") as name,
            Path(self.shared).open("r+b") as file,
            mmap.mmap(file.fileno(), 64) as marks,
        ):
            folder, counts = Path(name), memoryview(marks).cast("Q")
            for data in seeds:  # what is loaded late is loaded before memory is bounded
                attempt(read, data, folder)
            _bound()
            while counts[0] < self.cases and time.time() < self.until:
                self.one(read, seeds, folder, counts)
            counts[7] = max(counts[7], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            counts.release()

    def one(self, read, seeds, folder, counts):
        data, start = case(self.name, counts[0], self.seed, seeds), time.monotonic()
        ended, place = attempt(read, data, folder)
        counts[5] = max(counts[5], int(1e6 * (time.monotonic() - start)))
        if place:
            found = smaller(read, data, folder, place) if ended == "crashes" else data
            said = {"fault": place, "number": counts[0], "data": found.hex()}
            sys.__stdout__.write(json.dumps(said) + "\n")
            sys.__stdout__.flush()
        counts[1 + ENDS.index(ended)] += 1
        counts[0] += 1

    def all(self, tell):
        """Run all cases in as many children as it takes; `tell` is told of every fault."""
        began = time.monotonic()
        with tempfile.NamedTemporaryFile(dir=MEMORY_DISK) as shared:
            shared.write(bytes(64))
            shared.flush()
            self.shared = shared.name
            while self.count(0) < self.cases and time.time() < self.until:
                if code := self._watched(tell):
                    self._lost(code, tell)
            found = {name: self.count(i) for i, name in enumerate(("cases", *ENDS))}
            found |= {"slowest": self.count(5) / 1e6, "peak_mib": self.count(7) >> 10}
        return {**found, "seconds": round(time.monotonic() - began, 2)}

    def count(self, which):
        return int.from_bytes(Path(self.shared).read_bytes()[8 * which :][:8], "little")

    def _watched(self, tell):
        """The code of a child, once it has ended; a silent one is."""
        command = [sys.executable, "-m", "tests.soak.fuzz", "--child", json.dumps(asdict(self))]
        before, heard = None, time.monotonic()
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **GIVES_BACK},
        ) as child:
            while child.poll() is None:
                while select.select([child.stdout], [], [], 0.1)[0] and (
                    line := child.stdout.readline()
                ):
                    said = json.loads(line)
                    tell(self.name, said["fault"], said["number"], bytes.fromhex(said["data"]))
                if (now := self.count(0)) != before:
                    before, heard = now, time.monotonic()
                elif time.monotonic() - heard > SILENCE:
                    child.kill()
                    child.wait()
                    return "silent"
        return child.returncode

    def _lost(self, code, tell):
        """Count the case that ended a child, and go on after it."""
        from tests.soak.seeds import of

        number, ended = self.count(0), "hangs" if code == "silent" else "crashes"
        data = case(self.name, number, self.seed, of(self.name))
        tell(self.name, f"the child ended: {code}", number, data)
        counts = [self.count(i) for i in range(8)]
        counts[1 + ENDS.index(ended)] += 1
        counts[0] += 1
        Path(self.shared).write_bytes(struct.pack("<8Q", *counts))


def _hang(*_):
    raise Hang


def _bound():
    """Leave room for a little more memory than there is in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * mmap.PAGESIZE + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


class Faults:
    """A folder with one file for each fault, told once."""

    def __init__(self, folder):
        self.folder, self.seen = folder, set()

    def __call__(self, name, fault, number, data):
        if (name, fault) in self.seen:
            return
        self.seen.add((name, fault))
        self.folder.mkdir(exist_ok=True)
        file = self.folder / f"{name.replace(', ', '-').replace(' ', '-')}-{number}"
        file.write_bytes(data)
        print(f"{name}, case {number}: {fault} ({len(data)} bytes in {file})", flush=True)


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--cases", type=int, default=10_000)
    asked.add_argument("--readers", help="names between semicolons; all if none are given")
    asked.add_argument("--seconds", type=float, default=1e9)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--json", type=Path, help="where the counts go")
    asked.add_argument("--faults", type=Path, default=Path("soak-faults"), help="where cases go")
    asked.add_argument("--child", help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.child:
        Work(**json.loads(given.child)).child()
        return
    from tests.soak.readers import READERS

    names = [each.strip() for each in given.readers.split(";")] if given.readers else list(READERS)
    until, tell, found = time.time() + given.seconds, Faults(given.faults), {}
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NOMDEPLUME_CACHE"] = cache
        for name, cases in share(names, given.cases).items():
            found[name] = Work(name, cases, given.seed, until).all(tell)
            print(f"{name}: {found[name]}", flush=True)
    total = {key: sum(each[key] for each in found.values()) for key in ("cases", *ENDS)}
    if given.json:
        whole = {"total": total, "readers": found, "seed": given.seed}
        given.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    print(total)
    sys.exit(bool(total["crashes"] or total["hangs"]))


if __name__ == "__main__":
    main()
