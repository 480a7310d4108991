"""Worker processes, real ones: what they give, what they share, and how they end."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest
from tests.waiting import ended, until
from tests.workers import works

from nomdeplume import InputError, PlumeError, PrivacyError, secure
from nomdeplume.workers import Pool
from nomdeplume.workers.pool import AHEAD

ROOT = Path(__file__).parents[2]
OTHERS = set()  # processes that were there before a test


def mapped(work, tasks, workers=2):
    with Pool(work, workers) as pool:
        return list(pool.map(tasks))


def children():
    """Processes that this thread has started, but for those that other tests still use."""
    listed = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()
    return {int(pid) for pid in listed.split()} - OTHERS


def held():
    """Processes, open files and threads."""
    files = {path.name for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
    return children(), files, set(threading.enumerate())


@pytest.fixture(autouse=True, scope="module")
def _what_was_there():
    """Set aside: what other tests have left is not gone through again for every one of these."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch):
    """After every test: no process, no open file, no thread that was not there before."""
    monkeypatch.syspath_prepend(ROOT)  # where workers find what they do
    gc.collect()
    OTHERS.clear()
    OTHERS.update(children())
    before = held()
    yield
    gc.collect()
    assert [now - then for now, then in zip(held(), before, strict=True)] == [set()] * 3


@pytest.mark.parametrize("workers", [1, 3])
def test_results_are_in_order(workers):
    assert mapped(works.slow_first, range(30), workers) == list(range(30))
    assert mapped(works.doubled, []) == []


def test_all_workers_work_and_no_more_start_than_tasks():
    assert len(set(mapped(works.who, range(12), 3))) == 3
    with Pool(works.who, 64) as pool:
        assert len(list(pool.map(range(2)))) == 2
        assert len(children()) == 2


def test_large_tasks_and_results_get_through():
    texts = [bytes([i]) * 3_000_000 for i in range(6)]

    assert mapped(works.failing, texts) == texts


def test_only_a_few_tasks_are_read_ahead():
    read = []

    def tasks():
        for i in range(1000):
            read.append(i)
            yield i

    with Pool(works.slow_first, 2) as pool:
        assert list(islice(pool.map(tasks()), 3)) == [0, 1, 2]
    assert len(read) <= 3 + 2 * AHEAD


def test_errors_of_ours_travel_as_themselves_in_their_turn():
    with Pool(works.failing, 2) as pool:
        got, error = works.until_it_fails(pool.map(["a", "b", "ours", "c"]))

    assert got == ["a", "b"]
    assert type(error) is PrivacyError
    assert str(error) == "it may not be."


def test_of_other_errors_type_and_place_travel_alone(capfd):
    with Pool(works.failing, 1) as pool, pytest.raises(PlumeError) as error:
        list(pool.map(["theirs"]))

    assert "KeyError at works.py:" in str(error.value)
    assert "secret" not in repr(error.value)
    assert error.value.__cause__ is error.value.__context__ is None
    assert capfd.readouterr() == ("", "")


def test_what_a_worker_prints_goes_nowhere(capfd):
    assert mapped(works.loud, ["a secret word"]) == ["a secret word"]
    assert capfd.readouterr() == ("", "")


def test_errors_of_reading_come_after_what_was_read():
    def tasks():
        yield from range(5)
        raise OSError("no more")

    with Pool(works.doubled, 2) as pool:
        got, error = works.until_it_fails(pool.map(tasks()))

    assert got == [0, 2, 4, 6, 8]
    assert isinstance(error, OSError)


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_dead_worker_had_is_done_again(tmp_path, times):
    assert mapped(works.Deadly(str(tmp_path), 5, times), range(20)) == list(range(20))
    assert len(list(tmp_path.iterdir())) == times


def test_a_task_that_three_workers_die_of_ends_it_all(tmp_path):
    with Pool(works.Deadly(str(tmp_path), 5, 99), 2) as pool:
        results = pool.map(range(20), name=lambda n: "task five" if n == 5 else "another")
        got, error = works.until_it_fails(results)

    assert got == [0, 1, 2, 3, 4]
    assert isinstance(error, PlumeError)
    assert str(error).startswith("task five: 3 worker processes ended over it")
    assert len(list(tmp_path.iterdir())) == 3


def test_workers_ask_about_their_tasks():
    with Pool(works.asking, 2) as pool:
        found = list(pool.map(range(20), reply=lambda task, asked: (task, asked)))

    assert found == [[(n, "half of it"), (n, "its double")] for n in range(20)]


def test_the_next_worker_asks_again(tmp_path):
    asked = []

    def reply(task, question):
        asked.append((task, question))
        return task

    with Pool(works.DiesAfterAsking(str(tmp_path)), 1) as pool:
        assert list(pool.map([7], reply=reply)) == [7]
    assert asked == [(7, "may I?")] * 2


def test_a_question_that_is_refused_ends_it_all():
    def refuse(task, question):
        raise PrivacyError("no room.")

    with Pool(works.asking, 2) as pool, pytest.raises(PrivacyError, match="no room"):
        list(pool.map(range(20), reply=refuse))


def test_only_workers_can_ask():
    with pytest.raises(PlumeError, match="must be done by a worker"):
        works.asking(1)


def test_workers_that_cannot_start_are_said_to():
    with pytest.raises(PlumeError, match="3 worker processes ended as they began"):
        mapped(works.DiesAtStart(), range(9))
    with pytest.raises(InputError, match="it must be here"):
        mapped(works.Refused(), range(9))


def test_what_workers_cannot_import_is_said_to_be_so(monkeypatch):
    class Local:
        def __call__(self, task):
            return task

    Local.__module__, Local.__qualname__ = "__main__", "Local"
    monkeypatch.setattr(sys.modules["__main__"], "Local", Local, raising=False)
    with pytest.raises(InputError, match="must be in a module"):
        mapped(Local(), range(3))


def test_workers_killed_from_outside_are_replaced():
    got, killed = [], set()
    with Pool(works.who, 2) as pool:
        for number, pid in enumerate(pool.map(range(40))):
            got.append(pid)
            if number in (3, 10, 20):
                victim = min(children() - killed)
                killed.add(victim)
                os.kill(victim, signal.SIGKILL)

    assert len(got) == 40
    assert len(set(got)) >= 3


def test_each_worker_has_one_core_for_its_products():
    [(cores, products, _)] = mapped(works.allowed, [1], 1)

    assert cores == products == 1


def test_large_arrays_are_shared_and_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    array = np.random.default_rng(1).random((40_000, 200))  # 64 MB
    with Pool(works.Holding(array), 2) as pool:
        rows, writeable, private = zip(*pool.map(range(4)), strict=True)
        assert list(tmp_path.iterdir()) == []  # it has no name even now

    assert list(rows) == array[:4].tolist()
    assert not any(writeable)
    assert max(private) < array.nbytes


def test_mapped_arrays_are_shared_too(tmp_path):
    stored = np.memmap(tmp_path / "a", dtype=np.float64, mode="w+", shape=(40_000, 200))
    stored[:] = 1
    found = mapped(works.Holding(stored), range(2), 1)

    assert max(private for _, _, private in found) < stored.nbytes
    assert found[0][0] == [1.0] * 200


def test_a_generator_is_not_sent():
    work = works.Drawing()
    _ = work.rng
    with pytest.raises(PrivacyError, match="must not be copied"):
        Pool(work, 2)
    assert secure()


def shared_draws(work):
    """Numbers that two processes drew, or one of them twice."""
    streams = {}
    for pid, drawn in mapped(work, [50] * 12, 3):
        streams.setdefault(pid, set()).update(drawn)
    assert len(streams) == 3
    return [both for one, two in combinations(streams.values(), 2) for both in one & two]


def test_no_two_workers_share_a_stream():
    assert not shared_draws(works.Drawing())
    assert shared_draws(works.Shares())  # which the same look finds


@pytest.mark.parametrize("workers", [0, -1, 257, 1.5, True])
def test_impossible_numbers_are_refused(workers):
    with pytest.raises(InputError, match="workers must be a whole number from 1 to 256"):
        Pool(works.doubled, workers)


ORPHANS = """
import sys
from nomdeplume.workers import Pool
from tests.workers import works
with Pool(works.who, 2) as pool:
    for pid in pool.map(iter(int, 1)):
        print(pid, flush=True)
"""


def test_workers_end_with_their_parent(tmp_path):
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    pids = {int(parent.stdout.readline()) for _ in range(8)}
    parent.kill()
    parent.communicate()
    until(lambda: all(map(ended, pids)))

    assert len(pids) == 2
    assert list(tmp_path.iterdir()) == []


def test_who_asks_again_gets_no_results_of_before():
    """Some results were left: they are not for the next tasks."""
    with Pool(works.doubled, 2) as pool:
        first = pool.map(range(10))
        assert next(first) == 0
        first.close()

        assert list(pool.map([100, 101, 102, 103])) == [200, 202, 204, 206]
