"""Studios in processes of their own, as somebody starts them on a terminal."""

import http.client
import os
import re
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import nomdeplume
from nomdeplume.privacy.ledger import Ledger
from nomdeplume.web.studio import ledgers

SOURCE = Path(nomdeplume.__file__).parents[1]
FOLDERS = {"HOME": "home", "XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp"}
PASSWORD = "correct horse battery"  # of a studio that others can reach
PATIENCE = 300  # seconds that a start may take, or an end


@dataclass(frozen=True)
class Opened:
    """A studio that runs, all that it can write to, and what it said."""

    address: str
    folder: Path
    process: subprocess.Popen

    @property
    def port(self):
        return int(re.search(r":(\d+)/", self.address)[1])

    @property
    def token(self):
        return self.address.partition("token=")[2]

    @property
    def name(self):
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self):
        return f"http://{self.name}"

    @property
    def said(self):
        return (self.folder / "said").read_text(encoding="utf-8")

    @property
    def ledger(self):
        return self.folder / "a.ledger"

    def spent(self, author):
        """What an author has spent, and how many releases there are of all, in both ledgers."""
        budget = runs = 0
        for path in ledgers(self.ledger):
            with Ledger(path) as ledger:
                budget += ledger.spent(ledger.claims.by_author(author)).budget
                runs += len(ledger.runs())
        return budget, runs

    def ask(self, path="/", method="GET", body=None, patience=PATIENCE, **headers):
        """Status, headers and body of an answer; names of headers with _ for -, None for none."""
        given = {"host": self.name, **{key.replace("_", "-"): headers[key] for key in headers}}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)) as line:
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, values in given.items():
                for value in [values] if isinstance(values, str) else values or []:
                    line.putheader(name, value)
            if body is not None and "content-length" not in given:
                line.putheader("content-length", str(len(body)))
            line.endheaders(body)
            answer = line.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def children(self):
        """Processes of jobs that it started and that still run."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                command = (place / "cmdline").read_bytes()
            except OSError:  # it has just ended
                continue
            if int(parent) == self.process.pid and state != "Z" and b"spawn_main" in command:
                found.append(int(place.name))
        return found


def environment(folder):
    """Of a machine where nothing has ever been."""
    for name in FOLDERS.values():
        (folder / name).mkdir(parents=True, exist_ok=True)
    folders = {key: str(folder / name) for key, name in FOLDERS.items()}
    return {**os.environ, **folders, "PYTHONPATH": str(SOURCE)}


@contextmanager
def opened(folder, *options, **variables):
    """A studio in an empty folder, which is ended afterwards."""
    env = environment(folder) | variables
    command = [sys.executable, "-m", "nomdeplume", "studio", "--no-browser"]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [*command, "--ledger", "a.ledger", *options],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    try:
        yield Opened(_address(folder / "said", process), folder, process)
    finally:
        process.kill()
        process.wait(timeout=PATIENCE)


def _address(said, process):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        if found := re.search(r"the studio is at (http\S+)\n", said.read_text(encoding="utf-8")):
            return found[1]
        time.sleep(0.02)
    raise AssertionError(f"no studio came up; it said: {said.read_text(encoding='utf-8')}")
