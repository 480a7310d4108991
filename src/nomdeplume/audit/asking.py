"""Asking the probes of an audit, here or in workers, each within its share of the time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import Any

from nomdeplume.audit.finding import Finding
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.audit.questions import Questions
from nomdeplume.engine import Crew, Engine, sendable
from nomdeplume.errors import PlumeError

LEAST = 0.2  # of its fair share of the time, which every probe gets, however slow others were


@dataclass(frozen=True)
class Task:
    """A probe by its number among all of them, and what it may use up."""

    number: int
    probes: int
    question: str
    alpha: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Asker:
    """Asks one probe after another; a worker makes the same list, and draws noise of its own."""

    questions: Questions
    instruments: tuple[str, ...]

    @cached_property
    def probes(self) -> list[Probe]:
        """Those of flow come first: they take what they take."""
        asked = self.questions
        by_instrument = {"flow": asked.flow, "law": asked.law, "loss": asked.loss}
        used = [made for name, made in by_instrument.items() if name in self.instruments]
        return [probe for made in used for probe in made()]

    def __call__(self, task: Task) -> tuple[int, Finding]:
        known = len(self.probes) == task.probes
        if not known or self.probes[task.number].question != task.question:
            raise PlumeError("a worker has other questions; it must have the same nomdeplume.")
        share = Share(task.alpha, task.seconds, self.questions.source())
        return task.number, self.probes[task.number].ask(share)

    def on(self, engine: Engine | None) -> AbstractContextManager[Crew]:
        """Itself, or workers that were sent what it is made of."""
        if engine is None:
            return nullcontext(Alone(self))
        bare = replace(self, questions=replace(self.questions))  # without what was made of it
        return engine.open(sendable(bare, "what is audited"))


@dataclass(frozen=True)
class Alone:
    """A crew that is this process."""

    work: Callable[[Any], Any]
    workers: int = 1

    def map(
        self,
        tasks: Iterable[Any],
        name: Callable[[Any], str] = str,  # noqa: ARG002 - nobody dies here
        *,
        count: int | None = None,  # noqa: ARG002
        going_on: bool = False,  # noqa: ARG002
        reply: Callable[[Any, Any], Any] | None = None,  # noqa: ARG002
    ) -> Iterator[Any]:
        return map(self.work, tasks)


@dataclass(eq=False)
class Clock:
    """Shares an audit's seconds out among probes, as workers come to them.

    Workers have so many times the seconds that are left, less what is still due to the probes
    they are at. A probe gets its part of that, and no more than is left.
    """

    start: float
    seconds: float
    weights: Sequence[float]
    workers: int = 1
    _ends: dict[int, float] = field(default_factory=dict)  # of probes that are being asked

    def begin(self, number: int) -> float:
        """The seconds of the next probe."""
        now, weight = monotonic(), self.weights[number]
        left = self.start + self.seconds - now
        due = sum(max(0.0, end - now) for end in self._ends.values())
        part = (self.workers * left - due) * weight / sum(self.weights[number:])
        fair = self.seconds * weight / sum(self.weights)
        seconds = max(min(part, left), LEAST * fair)
        self._ends[number] = now + seconds
        return seconds

    def end(self, number: int) -> None:
        del self._ends[number]
