"""The same function on many documents: in a pool of processes here, on Ray, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from nomdeplume.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

ENGINES = ("pool", "ray")


class Crew(Protocol):
    """Workers that have one work to do."""

    def map(
        self, tasks: Iterable[Any], name: Callable[[Any], str] = str, *, count: int | None = None
    ) -> Iterator[Any]:
        """The work on each task, in any order; tasks are read as they are handed out.

        `name` is what a task is called that ends workers, `count` how many there are.
        """


class Engine(Protocol):
    """Where work is done."""

    def open(self, work: Callable[[Any], Any]) -> AbstractContextManager[Crew]: ...


def engine(
    name: str, *, workers: int | None = None, address: str | None = None, gpus: bool = False
) -> Engine:
    """An engine by name; without `workers`, as many as there are cores, or cards."""
    if name == "pool":
        from nomdeplume.engine.pool import LocalPool

        if address is not None:
            raise InputError("--address is that of a Ray cluster; it goes with --engine ray.")
        return LocalPool(workers)
    if name == "ray":
        from nomdeplume.engine.ray import OnRay

        return OnRay(workers, address, gpus)
    raise InputError(f"engine must be {' or '.join(ENGINES)}.")
