"""A real Ray: a cluster that runs, and one that the command starts by itself."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.engine.conftest import released, shards
from tests.engine.on_engine import asked, assert_alike
from tests.engine.test_faults import LEDGER, begun, check_whole, children, wait_for

TOKEN = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "0" * 64,
}  # of a cluster that lasts for some tests
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cluster():
    """The address of a cluster of two cores."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="r") as folder:  # sockets need short names
        command = [Path(sys.executable).with_name("ray"), "start", "--head", "--block"]
        options = ["--num-cpus=2", "--include-dashboard=false", "--disable-usage-stats"]
        options += [f"--port={port}", f"--temp-dir={folder}", "--object-store-memory=100000000"]
        with (Path(folder) / "said").open("wb") as said:
            head = subprocess.Popen(
                [*command, *options, "--node-ip-address=127.0.0.1"],
                stdout=said,
                stderr=said,
                env=os.environ | TOKEN,
                process_group=0,
            )
        for _ in range(600):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"127.0.0.1:{port}"
        for pid in (*children(head.pid), head.pid):
            _end(pid)
        head.wait()


def _end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


@pytest.fixture(scope="module")
def told(cluster, tmp_path_factory):
    return asked("ray", cluster, cwd=tmp_path_factory.mktemp("ray"), **TOKEN)


def actors():
    """Processes in which Ray Data keeps our actors."""
    listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, check=False)
    lines = listed.stdout.decode().splitlines()
    return [int(line.split()[0]) for line in lines if "ray::" in line and "Actor" in line]


def test_only_what_is_asked_for_comes_out(told):
    assert told["columns"] == ["id", "text"]
    assert told["ids"] == [0, 2]


def test_releases_are_as_those_of_one_process(told):
    assert_alike(told["words"])


def test_no_two_workers_share_a_stream(told):
    assert told["repeated"] == 0
    assert told["repeated if shared"] > 100


def test_killed_workers_and_drivers_lose_nothing_on_a_cluster(tmp_path, table_file, cluster):
    shards(tmp_path / "in", count=8, each=200)
    ray = ["--engine", "ray", "--address", cluster, *LEDGER]
    process = begun(tmp_path, *ray, **TOKEN)
    wait_for(tmp_path, 1, process)
    [victim, *_] = actors()
    _end(victim)
    wait_for(tmp_path, 4, process)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out/_SUCCESS").exists()

    again = begun(tmp_path, *ray, "--resume", **TOKEN)
    said = again.communicate(timeout=100)[1].decode()
    assert again.returncode == 0, said
    check_whole(tmp_path, said, 1600)


def test_it_starts_a_ray_of_its_own(tmp_path, table_file):
    shards(tmp_path / "in", kind="jsonl")
    process = begun(tmp_path, "--engine", "ray", "--workers", "2")
    said = process.communicate(timeout=100)[1].decode()

    assert process.returncode == 0, said
    assert said.startswith("Released 160 documents of 5 words to out")
    assert sorted(each["id"] for each in released(tmp_path / "out")) == list(range(160))


def test_a_cluster_that_is_not_there_is_told(tmp_path, table_file):
    shards(tmp_path / "in", count=1)
    process = begun(tmp_path, "--engine", "ray", "--address", "127.0.0.1:1")
    said = process.communicate(timeout=100)[1].decode()

    assert process.returncode == 2
    assert said.splitlines()[-1].startswith("nomdeplume: no Ray cluster at that address")
