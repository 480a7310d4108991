"""Waiting for a condition however busy the machine is, and commands that stop at a known point."""

import os
import time
from pathlib import Path

PATIENCE = 600  # seconds after which a condition is taken never to hold
STOPPING = """
import os, signal
from {module} import {owner}
usual, calls = {owner}.{method}, []
def stopping(self, *given, **more):
    found = usual(self, *given, **more)
    calls.append(1)
    if len(calls) in {calls}:
        os.kill(os.getpid(), signal.SIGSTOP)
    return found
{owner}.{method} = stopping
"""


def until(holds):
    """The first true value of a function that is called again and again."""
    deadline = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < deadline, "the condition does not come to hold"
        time.sleep(0.01)
    return found


def stopping(folder, place, *calls):
    """Variables under which a command stops itself after these calls of a method.

    `place` is `module:Class.method`. While the command is stopped, a test can look at what it
    has done and kill it: the command cannot end first, however late the test gets the CPU.
    """
    module, _, name = place.partition(":")
    owner, _, method = name.partition(".")
    site = folder / "site"
    site.mkdir(exist_ok=True)
    plant = STOPPING.format(module=module, owner=owner, method=method, calls=calls)
    (site / "sitecustomize.py").write_text(plant, encoding="utf-8")
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths)}


def until_stopped(process):
    """Wait until a command has stopped itself."""
    state = until(lambda: _state(process.pid).strip("RSDI") or process.poll() is not None)
    assert state == "T", "it ended before it stopped"


def ended(pid):
    """Whether a process has ended; its parent may not have asked for its exit code yet."""
    return _state(pid) in ("", "Z")


def _state(pid):
    """The letter that Linux gives the state of a process; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
