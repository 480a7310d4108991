"""Short versions of what `make soak` does for long: kills, and many processes at one ledger."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def soaked(name, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", f"tests.soak.{name}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


def test_thirty_kills_lose_nothing():
    code, found, said = soaked("kills", "--kills", 30)

    assert found["broken"] == [], found["seed"]
    assert (code, said) == (0, "")
    assert found["kills"] == 30
    assert found["with documents to resume"]  # they did not all come too early


def test_processes_at_one_ledger_never_pass_its_limit():
    code, found, said = soaked("load", "--processes", 8, "--seconds", 4, "--accounts", 60)

    assert (code, said) == (0, "")
    assert found["failed"] == found["lost"] == found["above_the_limit"] == 0
    assert found["accounts_at_the_limit"] == 6  # all authors
    assert found["refused"] > 100
    assert found["looks"] > 2
