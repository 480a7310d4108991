"""Runs that are begun to be killed, a cluster of Ray for them, and a look at what they leave."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from nomdeplume import Ledger
from tests.cli.conftest import COMMAND, environment
from tests.engine.conftest import CANARY, WITH, released
from tests.waiting import until

LEDGER = ["--ledger", "l", "--limit", "1e6"]
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}  # of clusters that last for tests
PUBLISHED = "nomdeplume.engine.folders:Local.move"  # by the driver, once for each shard
VAIN = re.compile(r"([\d,]+) documents? w\w+ charged and not written")


def begun(folder, *arguments, **more):
    """The command in a folder, just begun."""
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [str(COMMAND), "obfuscate", "in", "-o", "out", *WITH, *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment(folder) | more,
        process_group=0,
    )


def children(pid):
    """Of a process, theirs included."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, check=False
    )
    pids = [int(each) for each in found.stdout.split()]
    return pids + [inner for each in pids for inner in children(each)]


def end(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def check_whole(folder, said, documents):
    """All documents once, each charged, and once more if that was said to be in vain: how many."""
    ids = Counter(each["id"] for each in released(folder / "out"))
    assert ids == Counter(range(documents))
    assert (folder / "out/_SUCCESS").exists()
    assert not list((folder / "out").glob(".*"))
    vain = max((int(count.replace(",", "")) for count in VAIN.findall(said)), default=0)
    with Ledger(folder / "l") as ledger:
        assert sum(count for _, _, count in ledger.runs()) == documents + vain
    outside = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "in"]
    assert CANARY not in said
    assert not [path for path in outside if CANARY.encode() in path.read_bytes()]
    return vain


@dataclass(frozen=True)
class Cluster:
    """A Ray that runs, of two cores."""

    address: str
    head: int

    def actors(self):
        """Processes in which Ray Data keeps our actors."""
        pids = ",".join(map(str, children(self.head)))
        listed = subprocess.run(
            ["ps", "-o", "pid=,args=", "-p", pids], capture_output=True, check=False
        )
        lines = listed.stdout.decode().splitlines()
        return [int(line.split()[0]) for line in lines if "MapWorker" in line]


@contextmanager
def cluster():
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="r", ignore_cleanup_errors=True) as place:
        command = [Path(sys.executable).with_name("ray"), "start", "--head", "--block"]
        options = ["--num-cpus=2", "--include-dashboard=false", "--disable-usage-stats"]
        options += ["--port=0", f"--temp-dir={place}", "--object-store-memory=100000000"]
        with (Path(place) / "said").open("wb") as said:
            head = subprocess.Popen(
                [*command, *options, "--node-ip-address=127.0.0.1"],
                stdout=said,
                stderr=said,
                env=os.environ | TOKEN,
                process_group=0,
            )
        address = Path(place) / "ray_current_cluster"  # where Ray writes it once it is up
        yield Cluster(until(lambda: address.exists() and address.read_text()), head.pid)
        for pid in (*children(head.pid), head.pid):
            end(pid)
        head.wait()
