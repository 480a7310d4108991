"""Jobs: real processes that tell, answer, fail discreetly, and are gone afterwards."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest
from tests.waiting import PATIENCE, until
from tests.web import works
from tests.web.works import CANARY

from nomdeplume import InputError
from nomdeplume.web import jobs
from nomdeplume.web.jobs import Cancelled, Failed, Job
from nomdeplume.web.latest import Latest

ROOT = Path(__file__).parents[2]
OPEN = Path("/dev/fd")


async def heard(function, *args):
    """All that a job told, and its result."""
    job = Job.start(function, *args)
    told = [each async for each in job.progress()]
    return told, await job.result()


def failing(error, function, *args):
    with pytest.raises(error) as caught:
        asyncio.run(heard(function, *args))
    return str(caught.value)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().split()[2] != "Z"


async def at_work():
    """A job that never ends, and its process."""
    job = Job.start(works.forever)
    async for _, said in job.progress():
        return job, int(said)
    raise AssertionError("it ended")


def test_a_job_tells_how_far_it_is_and_returns_in_silence(capfd):
    told, result = asyncio.run(heard(works.doubled, 21))

    assert result == 42
    assert told == sorted(told)
    assert told[-1] == (2 / 3, "step 2")
    assert capfd.readouterr() == ("", "")


def test_much_goes_in_and_comes_out():
    _, (size, sent) = asyncio.run(heard(works.size_of, b"abc" * 1_000_000))

    assert (size, len(sent)) == (3_000_000, 3 << 20)


def test_a_refusal_comes_back_in_its_own_words():
    assert failing(InputError, works.refused) == "the corpus has 1 author, and needs 2."
    assert failing(Failed, works.private) == "the ledger is full."


def test_an_unexpected_error_comes_back_without_its_message(capfd):
    said = failing(Failed, works.broken, CANARY)

    assert said.startswith("unexpected TypeError at works.py:")
    assert CANARY not in said + "".join(capfd.readouterr())


@pytest.mark.parametrize(("function", "args"), [(works.unsendable, ()), (lambda tell: 1, ())])
def test_what_cannot_be_sent_is_an_error_and_no_hang(function, args):
    assert failing(Failed, function, *args).startswith("unexpected ")


def test_a_cancelled_job_is_gone(monkeypatch):
    """When cancel returns, and not only when the work would have ended."""
    monkeypatch.setattr(jobs, "PATIENCE", PATIENCE)  # which a busy machine may need

    async def cancelled():
        job, pid = await at_work()
        started = time.monotonic()
        job.cancel()
        took, left = time.monotonic() - started, alive(pid)
        with pytest.raises(Cancelled):
            await job.result()
        job.cancel()
        return took, left

    took, left = asyncio.run(cancelled())
    assert took < works.ENDLESS / 2
    assert not left
    assert active_children() == []


def test_a_job_can_be_cancelled_before_it_began():
    async def cancelled():
        job = Job.start(works.size_of, bytes(1 << 24))
        job.cancel()
        with pytest.raises(Cancelled):
            await job.result()
        return [each async for each in job.progress()]

    assert asyncio.run(cancelled()) == []
    assert active_children() == []


def test_finished_jobs_leave_nothing_behind():
    asyncio.run(heard(works.doubled, 1))  # and with it what Python itself keeps
    before = len(list(OPEN.iterdir()))
    asyncio.run(heard(works.doubled, 1))
    failing(Failed, works.gone)

    assert len(list(OPEN.iterdir())) <= before
    assert active_children() == []


def test_a_killed_child_is_an_error_and_no_hang():
    async def killed():
        job, pid = await at_work()
        os.kill(pid, signal.SIGKILL)
        await job.result()

    with pytest.raises(Failed, match="its process ended, perhaps for lack of memory"):
        asyncio.run(killed())


def test_a_child_ends_with_its_parent():
    script = (
        "import asyncio, os, signal\n"
        "from tests.web.test_jobs import at_work\n"
        "async def main():\n"
        "    print((await at_work())[1], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False
    ).stdout
    until(lambda: not alive(int(said)))

    assert not alive(int(said))


def test_the_loop_goes_on_meanwhile():
    async def ticking():
        job, _ = await at_work()
        for _ in range(4):
            await asyncio.sleep(0.01)
        done = job.done
        job.cancel()
        return done

    assert not asyncio.run(ticking())


@pytest.mark.parametrize("main", ["", "nomdeplume.__main__"])
def test_jobs_start_under_a_script_and_under_python_m(tmp_path, main):
    """A child imports its parent's main module again: a file, or what -m named."""
    script = tmp_path / "plume"
    script.write_text(
        "import asyncio, sys\n"
        "from importlib.util import find_spec\n"
        f"__spec__ = find_spec({main!r}) if {main!r} else None\n"
        "from nomdeplume.cli.main import main\n"
        "from tests.web.test_jobs import heard, works\n"
        "if __name__ == '__main__':\n"
        "    print(asyncio.run(heard(works.doubled, 4))[1])\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": _paths()},
        capture_output=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"8\n", b"")


def _paths():
    return os.pathsep.join([str(ROOT), str(ROOT / "src")])


def test_what_cannot_be_shown_is_told_and_the_next_request_is_served():
    shown, told = [], []

    def show(found):
        if found == 1:
            raise ValueError(CANARY)
        shown.append(found)

    async def asked():
        latest = Latest(int, show, told.append)
        for number in (1, 2):
            latest(number)
            await latest._running

    asyncio.run(asked())

    assert shown == [2]
    assert [said.startswith("Unexpected ValueError at") for said in told] == [True]
    assert CANARY not in told[0]
