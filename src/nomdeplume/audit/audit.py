"""An audit: three instruments that try to break a promise, within a time and a chance of error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.finding import INSTRUMENTS, Finding, Report
from nomdeplume.audit.pairs import named_pairs
from nomdeplume.audit.parts import before_steps
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.audit.questions import Questions
from nomdeplume.errors import InputError, got, positive
from nomdeplume.mechanism import Mechanism, NoisyMean
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.random import secure

Ids = NDArray[np.int64]
Subject = Mechanism | Obfuscator

LEAST = 0.2  # of its fair share of the time, which every probe gets, however slow others were


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

    def __post_init__(self) -> None:
        positive("seconds", self.seconds)
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha must be a chance between 0 and 1, got {got(self.alpha)}.")
        if not self.instruments or not set(self.instruments) <= set(INSTRUMENTS):
            raise InputError(f"instruments must be some of {', '.join(INSTRUMENTS)}.")

    def __call__(self, subject: Subject, tell: Callable[[str], None] | None = None) -> Report:
        start = monotonic()
        probes = list(self._probes(subject))
        if not probes:
            raise InputError("there is nothing that these instruments could look at here.")
        weights = [probe.weight for probe in probes]
        findings: list[Finding] = []
        for i, probe in enumerate(probes):
            left = start + self.seconds - monotonic()
            fair = self.seconds * weights[i] / sum(weights)
            seconds = max(left * weights[i] / sum(weights[i:]), LEAST * fair)
            share = Share(self.alpha / len(probes), seconds, self.source())
            findings.append(probe.ask(share))
            if tell:
                tell(findings[-1].question)
        findings.sort(key=lambda finding: INSTRUMENTS.index(finding.instrument))
        return Report(_described(subject), self.alpha, monotonic() - start, tuple(findings))

    def _probes(self, subject: Subject) -> Iterator[Probe]:
        system = subject if isinstance(subject, Obfuscator) else None
        mechanism = subject.mechanism if isinstance(subject, Obfuscator) else subject
        kept = system.vocabulary.ids if system else _inputs(mechanism)
        asked = Questions(
            mechanism,
            system,
            kept,
            named_pairs(mechanism, kept, self.pairs, self.seconds),
            self.source,
        )
        if "flow" in self.instruments:  # first: it takes what it takes
            yield from asked.flow()
        if "law" in self.instruments:
            yield from asked.law()
        if "loss" in self.instruments:
            yield from asked.loss()


def _inputs(mechanism: Mechanism) -> Ids:
    """The words that a mechanism is made for."""
    inputs: Ids | None = getattr(before_steps(mechanism), "inputs", None)
    return np.arange(len(mechanism.table)) if inputs is None else inputs


def _described(subject: Subject) -> str:
    mechanism = subject.mechanism if isinstance(subject, Obfuscator) else subject
    table, symbol = mechanism.table, "E" if isinstance(mechanism, NoisyMean) else "ε"
    return (
        f"{mechanism.name}, {symbol} = {mechanism.guarantee.epsilon:g}, on {table.name} "
        f"({len(table):,} words × {table.dimensions})"
    )
