"""Limits on threads hold for whoever asks: also for a thread that is not the first."""

import subprocess
import sys
from threading import Thread

from threadpoolctl import ThreadpoolController

from nomdeplume.threads import ONE_THREAD_EACH, cores

LIMITED = """
from nomdeplume.threads import cores, each, limit
import threading
limit(1)
seen = each(lambda _: threading.current_thread() is threading.main_thread(), range(4), 8)
print(cores(), seen)
"""


def blas():
    import numpy as np  # noqa: F401 - which brings it

    return [
        each["num_threads"] for each in ThreadpoolController().info() if each["user_api"] == "blas"
    ]


def elsewhere(call):
    """What it gives in another thread."""
    given = []
    thread = Thread(target=lambda: given.append(call()))
    thread.start()
    thread.join()
    return given[0]


def inside():
    with ONE_THREAD_EACH:
        return blas()


def test_products_have_one_thread_whichever_thread_asks():
    before = blas()
    first, second, third = inside(), elsewhere(inside), inside()

    assert {*first, *second, *third} == {1}
    assert blas() == before


def test_who_leaves_last_restores():
    before = blas()
    ONE_THREAD_EACH.__enter__()
    elsewhere(ONE_THREAD_EACH.__enter__)
    ONE_THREAD_EACH.__exit__()
    assert set(blas()) == {1}
    elsewhere(ONE_THREAD_EACH.__exit__)
    assert blas() == before


def test_a_process_can_be_kept_to_one_core():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )

    assert done.stdout == "1 [True, True, True, True]\n"
    assert cores() >= 1
