"""The same function on many documents: in a pool of processes here, on Ray, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from nomdeplume.errors import InputError
from nomdeplume.workers.shared import can_be_shared

if TYPE_CHECKING:
    from nomdeplume.obfuscator import Obfuscator

T = TypeVar("T")

ENGINES = ("pool", "ray")


class Crew(Protocol):
    """Workers that have one work to do."""

    @property
    def workers(self) -> int:
        """How many there may be at a time."""

    def map(
        self,
        tasks: Iterable[Any],
        name: Callable[[Any], str] = str,
        *,
        count: int | None = None,
        going_on: bool = False,
        reply: Callable[[Any, Any], Any] | None = None,
    ) -> Iterator[Any]:
        """The work on each task, in any order; tasks are read as they are handed out.

        `name` labels a task in error messages when its worker dies, `count` is the number of
        tasks. A task that ends its workers ends all or, if this is `going_on`, comes back as a
        `Lost`. `reply` gets a task and what its worker asks about it, and returns the reply.
        """


class Engine(Protocol):
    """Where work is done."""

    def open(self, work: Callable[[Any], Any]) -> AbstractContextManager[Crew]: ...


def made(obfuscator: Obfuscator | None, recipe: dict[str, Any]) -> Obfuscator:
    """The obfuscator that is given, or that of a recipe."""
    if obfuscator is None:
        from nomdeplume.obfuscator import Obfuscator as Made

        return Made.of(**recipe)
    if recipe:
        raise InputError("an obfuscator has its own budget and parts; give them there.")
    return obfuscator


def sendable(work: T, what: str) -> T:
    """The work, if workers can be sent it; `what` of it may be somebody's own."""
    if not can_be_shared(work):
        raise InputError(
            f"{what} cannot be sent to other processes; do without an engine, or take functions "
            "of a module that can be imported."
        )
    return work


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
