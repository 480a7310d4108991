"""Questions that a worker asks its driver in the middle of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from nomdeplume.errors import PlumeError

Driver = Callable[[Any], Any]  # from a question about the task in work to its reply

_driver: ContextVar[Driver] = ContextVar("driver")


def ask(question: Any) -> Any:
    """The driver's reply to a question about the task in work."""
    driver = _driver.get(None)
    if driver is None:
        raise PlumeError("this work asks its driver, and must be done by a worker.")
    return driver(question)


@contextmanager
def asking(driver: Driver) -> Iterator[None]:
    """A context in which `ask` reaches this driver."""
    token = _driver.set(driver)
    try:
        yield
    finally:
        _driver.reset(token)
