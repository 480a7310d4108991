"""Changes the code that privacy rests on, one small thing at a time, and sees whether a test minds.

    python scripts/mutation.py cover          # which tests run which lines, and for how long
    python scripts/mutation.py run noise bag  # mutants of these, against tests of their lines
    python scripts/mutation.py run mechanism --sample 400 --seed 1

A mutant is tried in a copy of the tree, in a process forked from one that has imported what is
not ours: so nothing of ours is there before the change is. `cover` copies the tree anew. Results
are added to build/mutation/results.jsonl; `python scripts/mutation_page.py` makes the page of them.
"""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

os.environ |= dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "TRITON_INTERPRET",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    ),
    "1",
)
ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "mutation"
TREE, COVERED, RESULTS = WORK / "tree", WORK / "covered.json", WORK / "results.jsonl"
CONTROL = WORK / "control.json"
PACKAGES = ("bag.py", "noise", "privacy", "mechanism")
TESTS = (
    *(f"tests/unit/test_{name}.py" for name in (
        "bag", "certificate", "choice", "compose", "decode", "features", "ground", "learning",
        "ledger", "levels", "loss_law", "obfuscator", "on_card", "partial", "random", "recipe",
        "units",
    )),
    *(f"tests/property/test_{name}.py" for name in ("accountant", "bag", "means")),
    "tests/exact", "tests/contract/test_mechanisms.py", "tests/statistical",
    "tests/card/test_stream.py", "tests/card/test_release.py",
    "tests/cli/test_certificate.py", "tests/cli/test_documents.py",
    *(f"src/nomdeplume/{name}" for name in PACKAGES),
)  # fmt: skip
LONGEST = 8.0  # seconds of a test that is asked, watched; slower ones say little more
ELSEWHERE = "tests/cli/"  # in processes of their own, where nobody sees what they run
FIRST = 60  # tests that are asked before all others are
OPTIONS = (
    "-q", "-x", "--tb=no", "--no-header", "--assert=plain", "-p", "no:cacheprovider",
)  # fmt: skip


def files() -> list[str]:
    """What is mutated; kernels are in Triton's own language."""
    found = (path for name in PACKAGES for path in _python(ROOT / "src/nomdeplume" / name))
    kept = (path for path in found if path.name != "kernels.py")
    return [path.relative_to(ROOT).as_posix() for path in kept]


def _python(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0"):
        if name and (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)


class Recorder:
    """Who runs what, and for how long."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: list[str] = []

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logfinish(self) -> None:
        self.coverage.switch_context("")


def cover(names: list[str]) -> None:
    """Run tests once, with nothing changed: all, or some of which more is known then."""
    import coverage
    import pytest

    copy_tree()
    os.chdir(TREE)
    sys.path.insert(0, str(TREE / "src"))
    os.environ["PYTHONPATH"] = str(TREE / "src")
    traced = [str(TREE / file) for file in files()]
    watch = coverage.Coverage(data_file=None, config_file=False, include=traced)
    recorder = Recorder(watch)
    calm()
    watch.start()
    pytest.main([*(o for o in OPTIONS if o != "-x"), *(names or TESTS)], plugins=[recorder])
    watch.stop()
    made: dict[str, Any] = {"lines": {}, "seconds": {}, "failed": []}
    if names:
        made = json.loads(COVERED.read_text(encoding="utf-8"))
    for file in files():
        lines = made["lines"].setdefault(file, {})
        for line, tests in watch.get_data().contexts_by_lineno(str(TREE / file)).items():
            lines[str(line)] = sorted({*tests, *lines.get(str(line), [])})
    made["seconds"] |= recorder.seconds
    told = set(made["failed"]) - set(recorder.seconds)
    made["failed"] = sorted(told.union(recorder.failed))
    COVERED.write_text(json.dumps(made), encoding="utf-8")
    print(f"{len(recorder.seconds)} tests, {len(recorder.failed)} failed")


def calm() -> None:
    """Property-based tests without a clock and without chance."""
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "calm", derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    settings.load_profile("calm")


class Asked:
    """Only some tests, in an order, and who failed."""

    def __init__(self, tests: list[str], out: int) -> None:
        self.order, self.out = {test: i for i, test in enumerate(tests)}, out

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order),
            key=lambda item: self.order[item.nodeid],
        )

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            os.write(self.out, report.nodeid.encode())

    pytest_collectreport = pytest_runtest_logreport


class Runner:
    """Tries mutants against the tests that run their lines."""

    def __init__(self, most: float) -> None:
        covered = json.loads(COVERED.read_text(encoding="utf-8"))
        self.lines, self.seconds, self.most = covered["lines"], covered["seconds"], most
        slow = {test for test, seconds in self.seconds.items() if seconds > LONGEST}
        self.barred = slow.union(covered["failed"], [""])
        self.kills: dict[str, Counter[str]] = defaultdict(Counter)  # by file, of tests
        places = (place for lines in self.lines.values() for place in lines.values())
        self.broad = Counter(test for place in places for test in place)
        idle = {test for test in self.seconds if not self.broad[test]}
        self.elsewhere = {test for test in idle if test.startswith(ELSEWHERE)}
        self.looking = idle - self.elsewhere  # at constants, perhaps
        self.broad.update(dict.fromkeys(self.looking, 100))
        self.broad.update(dict.fromkeys(self.elsewhere, 1000))  # they come last
        for row in results():
            self.kills[row["file"]][row["by"]] += 1

    def tests(self, mutant: Any) -> list[str]:
        """Tests of the lines; of the whole file where a line is also run before any test.

        Those first that have killed, are quick and run little else; one case of each test
        before the next case of any. All of them, or as many as take so long.
        """
        lines = self.lines.get(mutant.file, {})
        known = {int(line) for line in lines}
        first = max((i for i in known if i <= mutant.line), default=0)  # of its statement
        places = (lines.get(str(i), []) for i in range(first, mutant.last + 1))
        found = {test for place in places for test in place}
        if "" in found:
            found |= {test for place in lines.values() for test in place} | self.looking
        if not found - {""} or ("" in found and first < mutant.line):
            found |= self.elsewhere
        kills, case = self.kills[mutant.file], Counter[str]()
        ranked: list[tuple[int, int, int, str]] = []
        allowed = (found - self.barred) or (found - {""})
        for test in sorted(allowed, key=lambda test: self.seconds[test] * self.broad[test]):
            function = test.split("[")[0]
            ranked.append((-kills[test], case[function], len(ranked), test))
            case[function] += 1
        asked: list[str] = []
        spent = 0.0
        for *_, test in sorted(ranked):
            spent += self.seconds[test]
            if asked and spent > self.most:
                break
            asked.append(test)
        return asked

    def tried(self, mutant: Any) -> dict[str, Any]:
        """What became of a mutant: killed, timeout, survived, or no test runs it."""
        began, tests = time.monotonic(), self.tests(mutant)
        status, by = ("survived", "") if tests else ("untested", "")
        with changed(TREE / mutant.file, mutant.source):
            first = self._near(mutant.file, tests)
            rest = [test for test in tests if test not in set(first)]
            for asked in filter(None, (first, rest)):
                status, by = self.asked(asked)
                if status != "survived":
                    break
        if by in self.seconds:
            self.kills[mutant.file][by] += 1
        kept = ("file", "number", "line", "kind", "before", "after")
        made = {name: getattr(mutant, name) for name in kept}
        spent = round(time.monotonic() - began, 2)
        return made | {"status": status, "by": by, "tests": len(tests), "seconds": spent}

    def _near(self, file: str, tests: list[str]) -> list[str]:
        """The tests that are likeliest to mind and quick to load: few, and of two files."""
        homes = Counter[str]()
        for test in tests:
            homes[test.split("::")[0]] += 1 + 100 * self.kills[file][test]
        near = {home for home, _ in homes.most_common(2)}
        return [test for test in tests[:FIRST] if test.split("::")[0] in near]

    def asked(self, tests: list[str]) -> tuple[str, str]:
        limit = 120 + 3 * sum(self.seconds[test] for test in tests)  # what tests share may be slow
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _child(tests, writing, limit)
        os.close(writing)
        code = _waited(child, 3 * limit)
        by = os.read(reading, 10_000).decode()
        os.close(reading)
        if code is None or -code in {signal.SIGXCPU, signal.SIGKILL}:
            return "timeout", ""
        return ("survived", "") if code == 0 else ("killed", by or f"exit {code}")


def _child(tests: list[str], out: int, limit: float) -> None:
    import pytest

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    for kind, most in ((resource.RLIMIT_CPU, int(limit) + 1), (resource.RLIMIT_AS, 24 << 30)):
        resource.setrlimit(kind, (most, most))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.chdir(TREE)
    sys.path.insert(0, str(TREE / "src"))
    os.environ |= {"PYTHONPATH": str(TREE / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    homes = dict.fromkeys(test.split("::")[0] for test in tests)
    code = 3
    try:
        own = f"--basetemp={WORK / 'files'}"
        code = int(pytest.main([*OPTIONS, own, *homes], plugins=[Asked(tests, out)]))
    finally:
        os._exit(code)


def _waited(child: int, limit: float) -> int | None:
    """The exit status of a process, or None if it had to be ended; what it started ends with it."""
    until, pause, code = time.monotonic() + limit, 0.01, None
    while code is None and time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if done else None
        if code is None:
            time.sleep(pause)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return code


@contextmanager
def changed(path: Path, source: str) -> Iterator[None]:
    """A file with other contents, for a while."""
    was, times = path.read_bytes(), (path.stat().st_atime, path.stat().st_mtime)
    path.write_text(source, encoding="utf-8")
    try:
        yield
    finally:
        path.write_bytes(was)
        os.utime(path, times)


def run(names: list[str], sample: int | None, seed: int, most: float, *, again: bool) -> None:
    """Try mutants of the files whose paths have one of the names, package by package in turn."""
    from mutants import mutants

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that a change is undone first
    for file in files():  # and should one have been left, it goes
        if (TREE / file).read_bytes() != (ROOT / file).read_bytes():
            shutil.copy2(ROOT / file, TREE / file)
    chance = random.Random(seed)
    done = {known(row): row["status"] for row in results()}
    turns = []
    for package in PACKAGES:
        chosen = [f for f in files() if any(n in f for n in names) and f.split("/")[2] == package]
        made = [each for file in chosen for each in mutants(TREE, file) if not each.wording]
        if sample is not None:
            made = chance.sample(made, min(sample, len(made)))
        turns.append(made)
    told = {(each["file"], each["before"], each["after"]) for each in explained()}
    preload()
    runner = Runner(most)
    for mutant in filter(None, chain.from_iterable(zip_longest(*turns))):
        was = done.get((mutant.file, mutant.number))
        if was and not (again and was in {"survived", "untested"}):
            continue
        if again and (mutant.file, mutant.before, mutant.after) in told:
            continue
        row = runner.tried(mutant)
        with RESULTS.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        if row["status"] in {"survived", "untested"}:
            said = f"{row['before']} → {row['after']}"
            print(f"{row['file']}:{row['line']} {row['kind']}: {said}", flush=True)


def control(count: int, seed: int, most: float) -> None:
    """Try mutants that change nothing: whoever kills one of them would kill any."""
    from mutants import mutants

    made = [each for file in files() for each in mutants(TREE, file) if not each.wording]
    preload()
    runner = Runner(most)
    found = Counter[str]()
    for mutant in random.Random(seed).sample(made, count):
        row = runner.tried(replace(mutant, changed=mutant.node))
        found[row["status"]] += 1
        if row["status"] in {"killed", "timeout"}:
            print(f"{row['file']}:{row['line']} without a change: {row['status']} {row['by']}")
    CONTROL.write_text(json.dumps(found), encoding="utf-8")
    print(dict(found))


def known(row: dict[str, Any]) -> tuple[str, int]:
    return row["file"], row["number"]


def results() -> list[dict[str, Any]]:
    """The last word on each mutant."""
    if not RESULTS.exists():
        return []
    rows = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return list({known(row): row for row in rows}.values())


def explained() -> list[dict[str, str]]:
    """Changes of which is told why no test can mind them."""
    told = json.loads((ROOT / "tests/soak/mutants.json").read_text(encoding="utf-8"))
    return [each for listed in told["explained"].values() for each in listed]


def preload() -> None:
    """What is not ours and slow to import, once for all."""
    import hypothesis  # noqa: F401
    import pytest  # noqa: F401
    import scipy.integrate
    import scipy.optimize
    import scipy.spatial
    import scipy.special
    import scipy.stats  # noqa: F401
    import torch
    import triton  # noqa: F401

    torch.set_num_threads(1)
    calm()
    gc.freeze()  # what is there already is no garbage, in any child


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["cover", "run", "control"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=float, default=60.0, help="seconds of tests for a mutant")
    parser.add_argument("--again", action="store_true", help="try once more what survived")
    given = parser.parse_args()
    if given.what == "cover":
        cover(given.names)
    elif given.what == "control":
        control(given.sample or 60, given.seed, given.most)
    else:
        run(given.names or ["src"], given.sample, given.seed, given.most, again=given.again)
