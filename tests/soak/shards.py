"""SIGKILL at random moments of sharded runs: of a worker, of the driver, of the whole run.

A story is one folder of shards, killed and resumed until it is released. At the end every
document is in the output once, and the ledger holds one charge for each, and one more for each
that a run said it had charged in vain.

    python -m tests.soak.shards --kills 200 --engine pool --json results.json
    python -m tests.soak.shards --kills 40 --engine ray --json results.json
"""

import argparse
import json
import random
import signal
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pyarrow.parquet as pq

from tests.engine.conftest import shards, written_table
from tests.engine.faults import LEDGER, TOKEN, begun, check_whole, children, cluster, end

SHARDS, EACH = 24, 60
TARGETS = ("worker", "driver", "whole run")
ENGINES = ("pool", "ray")
LATEST = 1.1  # of the time that a run takes here: until then it may be killed


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--kills", type=int, default=200)
    asked.add_argument("--engine", choices=ENGINES, default="pool")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--json", type=Path)
    options = asked.parse_args()
    found = soak(options.engine, options.kills, random.Random(options.seed))
    print(json.dumps(found, indent=1))
    if options.json:
        told = json.loads(options.json.read_text()) if options.json.exists() else {}
        options.json.write_text(json.dumps(told | {options.engine: found}, indent=1) + "\n")


def soak(engine, kills, rng):
    """As many stories as it takes."""
    done, told = Counter(), Counter()
    with ExitStack() as stack:
        ray = stack.enter_context(cluster()) if engine == "ray" else None
        how = ["--engine", engine, *(["--address", ray.address] if ray else ["--workers", "2"])]
        longest = LATEST * undisturbed(how, ray)
        while sum(done.values()) < kills:
            with tempfile.TemporaryDirectory() as folder:
                vain = story(Path(folder), how, ray, rng, done, longest)
            told.update(stories=1, documents=SHARDS * EACH, in_vain=vain)
            print(f"{sum(done.values())} kills, {told['stories']} stories", flush=True)
    return {"kills": dict(done), **told}


def undisturbed(how, ray):
    """Seconds that a run takes which nobody kills; the second one, as the first reads programs."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as name:
            folder = given(Path(name))
            start = time.monotonic()
            process = begun(folder, *how, *LEDGER, **(TOKEN if ray else {}))
            process.communicate(timeout=200)
    return time.monotonic() - start


def given(folder):
    """A folder with shards to release."""
    written_table(folder / "table.txt")
    shards(folder / "in", count=SHARDS, each=EACH)
    return folder


def story(folder, how, ray, rng, done, longest):  # noqa: PLR0917
    """One folder until it is released; how many documents were charged in vain."""
    given(folder)
    said, times = "", 0
    while True:
        resume = ["--resume"] if times else []
        process = begun(folder, *how, *LEDGER, *resume, **(TOKEN if ray else {}))
        target = rng.choice(TARGETS)
        ends = time.monotonic() + rng.uniform(0, longest)
        while process.poll() is None and time.monotonic() < ends:
            time.sleep(0.005)
        if process.poll() is None:
            done[target] += kill(process, target, ray, rng)
        said += process.communicate(timeout=200)[1].decode()
        times += 1
        if process.returncode == 0:
            return check_whole(folder, said, SHARDS * EACH)
        assert process.returncode == -signal.SIGKILL, said
        assert whole(folder / "out")


def kill(process, target, ray, rng):
    """Send it; how many were sent."""
    if target == "worker":
        workers = ray.actors() if ray else children(process.pid)
        victims = [rng.choice(workers)] if workers else []
    else:
        inner = children(process.pid) if target == "whole run" else []
        victims = [*inner, process.pid]
        if target == "whole run" and ray:
            victims += ray.actors()
    for pid in victims:
        end(pid)
    return min(len(victims), 1)


def whole(out):
    """Whatever is there under its name can be read, and is not said to be all unless it is."""
    found = sorted(out.glob("part-*")) if out.exists() else []
    rows = sum(pq.read_table(path).num_rows for path in found)
    return not (out / "_SUCCESS").exists() or rows == SHARDS * EACH


if __name__ == "__main__":
    main()
