"""An audit: three instruments that try to break a promise, within a time and a chance of error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.asking import Asker, Clock, Task
from nomdeplume.audit.finding import INSTRUMENTS, Finding, Report
from nomdeplume.audit.pairs import named_pairs
from nomdeplume.audit.probe import Probe
from nomdeplume.audit.questions import Questions
from nomdeplume.engine import Engine
from nomdeplume.errors import InputError, got, positive
from nomdeplume.mechanism import Mechanism
from nomdeplume.mechanism.inputs import all_of
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.random import secure

Ids = NDArray[np.int64]
Subject = Mechanism | Obfuscator


@dataclass(frozen=True)
class Audit:
    """Tries to break what a mechanism promises, and reports the strongest evidence it finds.

    *law*: noise and channels against their formulas, at the table's own dimensions.
    *loss*: a black box, in worlds of one to three dimensions and on the table itself.
    *flow*: repeated streams, unknown words, order, and what sees the secret.
    All tests together call a right mechanism broken with a chance of at most `alpha`.

    >>> from nomdeplume import Laplace, NoisyNearest, Table
    >>> table = Table(("pear", "apple", "lake"), np.array([[0, 0], [0, 1], [5, 5]]))
    >>> report = Audit(seconds=1)(NoisyNearest(table, Laplace(1.0)))
    >>> report.broken
    ()
    """

    alpha: float = 1e-6
    seconds: float = 60.0
    pairs: str = "near"  # near, random, or two words with a comma between them
    instruments: Sequence[str] = INSTRUMENTS
    source: Callable[[], Generator] = secure
    engine: Engine | None = None  # whose workers ask several questions at a time

    def __post_init__(self) -> None:
        positive("seconds", self.seconds)
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha must be a chance between 0 and 1, got {got(self.alpha)}.")
        if not self.instruments or not set(self.instruments) <= set(INSTRUMENTS):
            raise InputError(f"instruments must be some of {', '.join(INSTRUMENTS)}.")

    def __call__(self, subject: Subject, tell: Callable[[str], None] | None = None) -> Report:
        start = monotonic()
        asker = Asker(self._questions(subject), tuple(self.instruments))
        if not asker.probes:
            raise InputError("there is nothing that these instruments could look at here.")
        found: dict[int, Finding] = {}
        with asker.on(self.engine) as crew:
            weights = [probe.weight for probe in asker.probes]
            clock = Clock(start, self.seconds, weights, crew.workers)
            tasks = self._tasks(asker.probes, clock)
            for number, finding in crew.map(tasks, attrgetter("question"), count=len(weights)):
                clock.end(number)
                found[number] = finding
                if tell:
                    tell(finding.question)
        findings = [found[number] for number in sorted(found)]
        findings.sort(key=lambda finding: INSTRUMENTS.index(finding.instrument))
        return Report(_described(subject), self.alpha, monotonic() - start, tuple(findings))

    def _tasks(self, probes: Sequence[Probe], clock: Clock) -> Iterator[Task]:
        """All probes with equal parts of alpha, and of the time what there is when it is asked."""
        alpha = self.alpha / len(probes)
        for number, probe in enumerate(probes):
            yield Task(number, len(probes), probe.question, alpha, clock.begin(number))

    def _questions(self, subject: Subject) -> Questions:
        if isinstance(subject, Obfuscator):
            # only what is made of the given mechanism alone may be tried by its words alone
            words, kept = subject.documents.words, subject.vocabulary.ids
            mechanism = words if words is subject.mechanism else None
            pairs = named_pairs(mechanism, kept, self.pairs, self.seconds) if mechanism else []
            return Questions(mechanism, subject, kept, pairs, self.source)
        kept = all_of(subject.table, subject.declaration.inputs)
        pairs = named_pairs(subject, kept, self.pairs, self.seconds)
        return Questions(subject, None, kept, pairs, self.source)


def _described(subject: Subject) -> str:
    if isinstance(subject, Obfuscator):
        made, table = subject.documents, subject.vocabulary.table
        said = f"{made.name}, {made.parameter.symbol} = {made.value:g}"
    else:
        table, symbol = subject.table, subject.declaration.parameter.symbol
        said = f"{subject.name}, {symbol} = {subject.guarantee.epsilon:g}"
    return f"{said}, on {table.name} ({len(table):,} words × {table.dimensions})"
