"""One thread ahead of its caller gives what no thread would, in the same order."""

import threading
import time

import pytest
from tests.waiting import PATIENCE
from tests.workers.works import until_it_fails

from nomdeplume.threads import each
from nomdeplume.workers import ahead


def test_results_are_those_of_a_plain_loop():
    assert list(ahead(lambda x: x * x, range(7))) == [x * x for x in range(7)]
    assert list(ahead(str, [])) == []
    assert list(ahead(lambda _: None, range(2))) == [None, None]


def test_work_is_done_one_at_a_time_in_one_order():
    begun, ended = [], []

    def work(x):
        begun.append(x)
        assert len(begun) == len(ended) + 1
        time.sleep(0.005)
        ended.append(x)
        return x

    assert list(ahead(work, range(8))) == ended == list(range(8))


def test_the_next_task_is_read_and_the_last_result_used_meanwhile():
    """Each waits for the other, which no plain loop would outlast."""
    read, used = threading.Event(), threading.Event()

    def tasks():
        yield 0
        yield 1
        read.set()
        yield 2

    def work(x):
        if x == 1:
            assert used.wait(PATIENCE)
            assert read.wait(PATIENCE)
        return x

    for x in ahead(work, tasks()):
        if x == 0:
            used.set()

    assert read.is_set()


@pytest.mark.parametrize("wrong", range(4))
def test_an_error_of_the_work_comes_in_its_turn(wrong):
    def work(x):
        if x == wrong:
            raise ValueError("this one")
        return x

    got, error = until_it_fails(ahead(work, range(4)))
    assert got == list(range(wrong))
    assert str(error) == "this one"


@pytest.mark.parametrize("wrong", range(4))
def test_so_does_an_error_of_reading(wrong, threads):
    def tasks():
        yield from range(wrong)
        raise OSError("no more")

    got, error = until_it_fails(ahead(lambda x: x, tasks()))
    assert got == list(range(wrong))
    assert isinstance(error, OSError)
    assert threads() == set()


def test_who_interrupts_is_heard_at_once(threads):
    def tasks():
        yield 0
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(ahead(lambda _: time.sleep(0.01), tasks()))
    assert threads() == set()


def test_whoever_stops_early_stops_the_work(threads):
    """Though it would go on for an hour."""

    def work(x):
        each(lambda _: time.sleep(0.1), range(60_000 * x), 2)
        return x

    results = ahead(work, range(3))
    began = time.monotonic()
    assert next(results) == 0
    results.close()

    assert time.monotonic() - began < PATIENCE
    assert threads() == set()
