"""Short versions of what `make soak` does for long: kills, and many processes at one ledger."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.audit.patience import patiently

ROOT = Path(__file__).parents[2]


def soaked(name, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", f"tests.soak.{name}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        timeout=3600,
        check=False,
    )
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


def test_kills_lose_nothing():
    """Thirty, and more if none came while documents were released."""

    def killed(kills):
        code, found, said = soaked("kills", "--kills", int(kills))
        assert found["broken"] == [], found["seed"]
        assert (code, said) == (0, "")
        assert found["kills"] == int(kills)
        return found

    assert patiently(killed, 30, lambda found: found["with documents to resume"])


def test_processes_at_one_ledger_never_pass_its_limit():
    """For as long as it takes until all authors are at the limit."""

    def loaded(seconds):
        given = ("--processes", 8, "--seconds", seconds, "--accounts", 60)
        code, found, said = soaked("load", *given)
        assert (code, said) == (0, "")
        assert found["failed"] == found["lost"] == found["above_the_limit"] == 0
        return found

    def at_the_limit(found):
        full = found["accounts_at_the_limit"] == 6  # all authors
        return full and found["refused"] > 100 and found["looks"] > 2

    assert at_the_limit(patiently(loaded, 4, at_the_limit))
