"""SIGKILL at random moments of real runs: nothing half that looks whole, no release uncharged.

Half of the moments are random times. Starting takes most of a run, so the other half come while
documents are released: once the file of released documents has a random size.

A story is one corpus, killed and resumed until it is released. After every kill whatever lies
there is looked at; at the end every document is in the output once, and the ledger holds one
charge for each and one more for each that a run said it had charged in vain.

    python -m tests.soak.kills --kills 1000 --json results.json
"""

import argparse
import csv
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from nomdeplume.privacy.ledger import Ledger
from nomdeplume.privacy.verify import hash_of
from tests.cli.starter import LOADED, started

WORDS = ["rain", "harbour", "bread", "snow", "lake", "river", "pear", "apple", "stone", "garden"]
CANARY = "zyxoquant"  # in every text; no table knows it
DOCUMENTS = 600
MANY = 20  # broken stories after which no more are told
EACH = 25  # kills of one story, at most
LONG = 600  # seconds within which every run ends
RELEASED = 30_000  # bytes, about half of the file of released documents
VAIN = re.compile(r"([\d,]+) documents? w(?:ere|as) charged and not written")
COMMON = ["--table", "table.txt", "--language", "en", "--quiet", "--size", "10"]
STORIES = {  # what is killed: arguments, name of the output, whether it goes on or starts over
    "words, JSONL": (["--epsilon", "2"], "out.jsonl", True),
    "documents, JSONL": (["--budget", "5"], "out.jsonl", True),
    "CSV": (["--epsilon", "2"], "out.csv", True),
    "packed JSONL": (["--epsilon", "2"], "out.jsonl.gz", True),
    "Parquet": (["--epsilon", "2"], "out.parquet", True),
    "authors charged": (["--epsilon", "2", "--author-field", "author"], "out.jsonl", True),
    "units": (["--epsilon", "2", "--unit-field", "author", "--keep", "author"], "out.jsonl", True),
    "in two processes": (["--epsilon", "2", "--workers", "2"], "out.jsonl", True),
    "no ledger": (["--epsilon", "2"], "out.jsonl", True),
    "no ledger, from the start again": (["--epsilon", "2"], "out.jsonl", False),
    "a list of what is withheld": (["--epsilon", "2", "--withheld", "list"], "out.jsonl", True),
    "empty texts, now and then in two processes": (
        ["--epsilon", "2", "--empty", "withhold"],
        "out.jsonl",
        True,
    ),
}


class Broken(AssertionError):
    """A promise that a kill has broken."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--stories", help="names, with ; between; all if none are given")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    for name in LOADED:
        import_module(name)
    names = given.stories.split(";") if given.stories else list(STORIES)
    found = run(given.kills, given.seed, names)
    print(json.dumps(found, indent=2))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(bool(found["broken"]))


def run(kills: int, seed: int, names: list[str]) -> dict[str, object]:
    """Story after story, until so many kills have been seen."""
    rng, began, tally, broken = random.Random(seed), time.monotonic(), Counter(), []
    while tally["kills"] < kills and len(broken) < MANY:
        name = names[tally["stories"] % len(names)]
        tally["stories"] += 1
        with _folder() as folder:
            try:
                tally.update(Story(folder, name, rng).told(kills - tally["kills"]))
            except Broken as error:
                broken.append(f"{name}: {error}")
    seconds = round(time.monotonic() - began)
    return {"seed": seed, "seconds": seconds, **tally, "broken": broken}


class Story:
    """One corpus and what becomes of it."""

    def __init__(self, folder: Path, name: str, rng: random.Random) -> None:
        self.folder, self.name, self.rng = folder, name, rng
        arguments, output, self.resumes = STORIES[name]
        self.output, self.vain = folder / output, 0
        self.units = "--unit-field" in arguments
        self.empty = DOCUMENTS // 50 if "--empty" in arguments else 0
        self.charges: Counter[int] = Counter()  # of documents, before the run that is killed
        self.before: set[int] = set()  # documents that were released by then
        self.ledger = None if name.startswith("no ledger") else folder / "a.ledger"
        charged = ["--ledger", "a.ledger", "--limit", "1e6"] if self.ledger else []
        kept = [] if self.units else ["--keep", "id"]
        asked = [*COMMON, *kept, *arguments, *charged]
        self.arguments = ["obfuscate", "in.jsonl", "-o", output, *asked]
        self._write_inputs()
        self.attempts = 0

    def told(self, most: int) -> Counter[str]:
        """Kill, look, and start again until it is done; what was seen."""
        tally: Counter[str] = Counter()
        longest, most = self._whole_run(), min(most, self.rng.randint(1, EACH))
        while True:
            patience, size = float(LONG), 0
            if tally["kills"] < most and self.rng.random() < 0.5:
                patience = self.rng.uniform(0, 1.05 * longest)
            elif tally["kills"] < most:
                size = self.rng.randint(1, RELEASED)
            if self._killed_after(patience, size):
                tally["kills"] += 1
                tally[f"kills: {self.name}"] += 1
                tally["with an output"] += self.output.exists()
                tally["with documents to resume"] += self._spooled() > 0
                self._look()
                if not self.output.exists() or self._spooled():
                    continue  # else it was killed when all was done
            self._look_at_the_end()
            tally["documents"] += DOCUMENTS
            tally["charged in vain, and said"] += self.vain
            return tally

    def _write_inputs(self) -> None:
        rng = self.rng
        rows = [f"{word} " + " ".join(f"{rng.gauss(0, 1):.3f}" for _ in range(3)) for word in WORDS]
        (self.folder / "table.txt").write_text("\n".join(rows) + "\n")
        with (self.folder / "in.jsonl").open("w") as file:
            for number in range(DOCUMENTS):
                empty = self.empty and number % 50 == 7
                text = " ".join([CANARY, *([] if empty else rng.choices(WORDS, k=20))])
                file.write(json.dumps({"id": number, "author": f"a{number % 9}", "text": text}))
                file.write("\n")

    def _whole_run(self) -> float:
        """How long it takes when nobody kills it, seen in a folder of its own."""
        with _folder() as other:
            for name in ("table.txt", "in.jsonl"):
                shutil.copy(self.folder / name, other)
            began = time.monotonic()
            code, said = _waited(_start(self.arguments, other), other, LONG)
            _hold(code == self._due_code, f"an undisturbed run ended with {code}: {said}")
            return time.monotonic() - began

    def _killed_after(self, patience: float, size: int) -> bool:
        """Run on, and return True if it was killed: after a time, or at a size of the spool.

        A run that ends by itself must end well.
        """
        again = ["--resume"] if self.resumes else ["--force"]
        again += ["--workers", "2"] if self.empty and self.attempts % 2 else []
        self.attempts += 1
        child, spool = _start([*self.arguments, *again], self.folder), self._spool
        before = _size(spool)

        def due() -> bool:
            return 0 < size <= _size(spool) - before

        code, said = _waited(child, self.folder, patience, due)
        for found in VAIN.findall(said):
            self.vain = int(found.replace(",", ""))  # so far
        if code == -signal.SIGKILL:
            return True
        _hold(code == self._due_code, f"ended with {code}: {said}")
        return False

    @property
    def _due_code(self) -> int:
        return 4 if self.empty else 0

    def _look(self) -> None:
        """What a kill has left must not look whole, nor hold anything that was not charged."""
        if self.output.exists():
            self._whole()
        for path in self.folder.iterdir():
            if path.name in ("in.jsonl", "table.txt"):
                continue
            _hold(CANARY not in path.name, "a name tells")
            _hold(CANARY.encode() not in path.read_bytes(), f"{path.name} holds a private word")
            private = path.name.startswith((".", "a.ledger"))
            shared = path.stat().st_mode & 0o077
            finished = path.name.endswith(".partial") and path.stat().st_size  # about to appear
            _hold(not (private and shared) or bool(finished), f"{path.name} can be read by others")
        if self.ledger and self.ledger.exists():
            self._look_at_charges()

    def _look_at_charges(self) -> None:
        """Whatever was released since the last look was charged once more than then."""
        done = self.output.exists()
        now = set(range(DOCUMENTS)) if done and not self.empty else self._spooled_ids()
        with Ledger(self.ledger) as ledger:
            ledger.verify()
            accounts = dict(ledger.accounts(authors=False))
            names = {number: ledger.claims.by_id(number) for number in range(DOCUMENTS)}
        charges = Counter(
            {n: accounts[name].releases for n, name in names.items() if name in accounts}
        )
        if not self.units:
            for number in now - self.before:
                new = charges[number] - self.charges[number]
                _hold(new > 0, f"document {number} was released and not charged")
            for number in self._ids_in_partials():
                _hold(charges[number] > 0, f"document {number} is written and not charged")
        self.charges, self.before = charges, now

    def _ids_in_partials(self) -> list[int]:
        """Of documents that are in a file that was not finished, as far as it can be read."""
        found = []
        for path in self.folder.glob(".out.jsonl.????????.partial"):
            for line in path.read_bytes().splitlines(keepends=True):
                whole = line.endswith(b"\n") and not self.units
                found += [json.loads(line)["id"]] if whole else []
        return found

    def _spooled(self) -> int:
        return len(self._spooled_ids())

    @property
    def _spool(self) -> Path:
        return self.folder / f".{self.output.name}.resume"

    def _spooled_ids(self) -> set[int]:
        """Of documents that were released so far; numbers begin with 1, and ids with 0."""
        path = self._spool
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.startswith(b"[") and line.endswith(b"\n")]
        return {json.loads(line)[0] - 1 for line in whole}

    def _look_at_the_end(self) -> None:
        self._look()
        ids = self._whole()
        left = [path.name for path in self.folder.glob(".out*")]
        _hold(not left or not self.resumes, f"left behind: {left}")
        if not self.ledger:
            return
        with Ledger(self.ledger) as ledger:
            charged = sum(documents for _, _, documents in ledger.runs())
            due = len(ids) + self.vain
            exact = charged == due or (self.empty and charged >= due)  # some are charged as empty
            _hold(exact, f"{charged} charged, {self.vain} in vain")
            for number in () if self.units else ids:
                spent = ledger.spent(ledger.claims.by_id(number))
                _hold(spent.releases >= 1, f"document {number} was not charged")

    def _whole(self) -> list[object]:
        """The ids of an output that is there: it must hold all, once, and be as certified."""
        certificate = self.output.with_name(f"{self.output.name}.certificate.json")
        _hold(certificate.exists(), "an output without its certificate")
        stated = json.loads(certificate.read_text())
        _hold(stated["output"]["sha256"] == hash_of(self.output), "not what is certified")
        ids = _ids(self.output)
        due = 9 if self.units else DOCUMENTS - self.empty
        _hold(stated["documents"] == len(ids) == len(set(ids)) == due, f"{len(ids)} documents")
        return ids


@contextmanager
def _folder() -> Iterator[Path]:
    """One that is not removed by whatever ends a forked process."""
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _size(path: Path) -> int:
    """Bytes of a file that a running command may remove; 0 if it is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _ids(path: Path) -> list[object]:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path)["id"].to_pylist()
    if path.suffix == ".gz":
        import gzip

        return [json.loads(line)["id"] for line in gzip.open(path)]
    if path.suffix == ".csv":
        return [row["id"] for row in csv.DictReader(path.open())]
    return [json.loads(line)["id"] for line in path.open()]


def _start(arguments: list[str], folder: Path) -> int:
    """The command in a process of its own, which knows nothing of this one."""
    said = os.open(folder / "said", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    nothing = os.open(os.devnull, os.O_RDWR)
    if child := os.fork():
        os.close(said)
        os.close(nothing)
        return child
    try:
        os.setsid()
        started([nothing, os.dup(nothing), said], arguments, str(folder), dict(os.environ))
    finally:
        os._exit(70)  # after `started` nothing of this process may go on


def _waited(
    child: int, folder: Path, patience: float, due: Callable[[], bool] = lambda: False
) -> tuple[int, str]:
    """Its exit code and what it said; killed with all it started when `due`, or too late."""
    end = time.monotonic() + patience
    while time.monotonic() < end and not due():
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(min(0.001, max(0, end - time.monotonic())))
    else:
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:  # it has no group yet
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    said = folder / "said"
    text = said.read_text() if said.exists() else ""
    said.unlink(missing_ok=True)
    return os.waitstatus_to_exitcode(status), text


def _hold(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Broken(otherwise)


if __name__ == "__main__":
    main()
