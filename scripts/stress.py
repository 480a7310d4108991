"""Run all tests several times in random order, every second time beside busy loops.

    python scripts/stress.py
    python scripts/stress.py --runs 10 --seed 7 tests/cli tests/workers

Prints the failures of each run, and the seed of its order. A test that fails in some runs
only depends on the order, on the machine's speed or on chance.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--seed", type=int, default=1, help="of the first run's order")
    arguments.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("tests", nargs="*", help="files and folders; all if none are given")
    given = arguments.parse_args()
    failed = 0
    for run in range(given.runs):
        loops = given.cores + 1 if run % 2 else 0
        seed = given.seed + run
        with busy(loops):
            code, failures = shuffled(seed, given.cores, given.tests)
        found = failures or ["nothing failed" if code == 0 else f"pytest ended with {code}"]
        print(f"run {run + 1}, order {seed}, {loops} busy loops:", *found, sep="\n  ", flush=True)
        failed += code != 0
    sys.exit(bool(failed))


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Processes that use as much of the CPU as they get, until the end of the block."""
    command = [sys.executable, "-c", "while True: pass"]
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.extend(subprocess.Popen(command) for _ in range(loops))
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def shuffled(seed: int, cores: int, tests: list[str]) -> tuple[int, list[str]]:
    """The exit code of a run, and the tests that failed.

    Modules come in random order, and so do the tests within each: a fixture of a module is
    made once.
    """
    order = ["--random-order-bucket=module", f"--random-order-seed={seed}"]
    spread = ["-n", str(cores), "--dist", "worksteal"]
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--hypothesis-profile=new cases"]
    done = subprocess.run(
        [*command, *order, *spread, *tests],
        cwd=ROOT,
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, re.findall(r"^(?:FAILED|ERROR) .*", done.stdout, re.MULTILINE)


if __name__ == "__main__":
    main()
