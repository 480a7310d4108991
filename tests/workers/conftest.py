"""What was there before a test, such as a browser of other tests in this process, is set aside."""

import threading

import pytest


@pytest.fixture
def threads():
    """Threads that there are now and were not before."""
    before = set(threading.enumerate())
    return lambda: set(threading.enumerate()) - before
