"""An audit: three instruments that try to break a promise, within a time and a chance of error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit import closed, flow, law, loss
from nomdeplume.audit.claim import Claim
from nomdeplume.audit.finding import INSTRUMENTS, TABLE, Finding, Report
from nomdeplume.audit.pairs import Pair, named_pairs
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.audit.streams import of_streams
from nomdeplume.audit.worlds import WORLDS, World
from nomdeplume.errors import InputError, positive
from nomdeplume.mechanism import Finite, Mechanism, Movable, NoisyNearest
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.exact import laplace_channel
from nomdeplume.privacy.random import secure
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Subject = Mechanism | Obfuscator

CROWD = 400
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
            raise InputError(f"alpha must be a chance between 0 and 1, got {self.alpha!r}.")
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
        kept = system.vocabulary.ids if system else np.arange(len(mechanism.table))
        pairs = named_pairs(mechanism.table, kept, self.pairs, self.seconds)
        worlds = list(_moved(mechanism))
        if "flow" in self.instruments:  # first: it takes what it takes
            yield from _flow(mechanism, system, worlds, self.source)
        if "law" in self.instruments:
            yield from _law(mechanism, pairs, worlds)
        if "loss" in self.instruments:
            yield from _loss(worlds)
            yield from _texts(system, worlds) if system else ()
            yield from _own_loss(mechanism, pairs)


def _moved(mechanism: Mechanism) -> Iterator[tuple[World, Mechanism]]:
    """The mechanism in every small world that it can be moved to, under the same guarantee."""
    if isinstance(mechanism, Movable):
        epsilon = mechanism.guarantee.epsilon
        crowd = [World(1, epsilon, crowd=CROWD)] if isinstance(mechanism, Finite) else []
        for world in [*(World(dimensions, epsilon) for dimensions in WORLDS), *crowd]:
            there = mechanism.elsewhere(world.table, epsilon).guarantee.epsilon
            yield world, mechanism.elsewhere(world.table, epsilon * epsilon / there)


Worlds = list[tuple[World, Mechanism]]


def _law(mechanism: Mechanism, pairs: list[Pair], worlds: Worlds) -> Iterator[Probe]:
    if isinstance(mechanism, NoisyNearest):
        yield from law.of_noise(mechanism.noise, mechanism.table)
    for world, moved in worlds:
        if channel := _channel(moved):
            yield law.of_channel(moved, channel, np.arange(3), world.name)
    if isinstance(mechanism, Finite):
        ids = np.array([i for pair in pairs[:1] for i in (pair.x, pair.y)] or [0])
        yield law.of_channel(mechanism, mechanism.channel, ids, TABLE)
    if not isinstance(mechanism, Claim):
        yield law.of_keystream()


def _loss(worlds: Worlds) -> Iterator[Probe]:
    for world, moved in worlds:
        for i, j, apart in world.pairs:
            words, weight = f"two words {apart:g}/ε apart", 2.0 if apart > 1 else 1.0
            yield loss.of_bags(moved, ([i], [j]), words, world.name, weight=weight)
        yield loss.of_bags(moved, world.bags, "two bags of 3 words", world.name)
        if channel := _channel(moved):
            ids = np.arange(len(world.table))
            yield closed.of_pairs(moved.guarantee, world.table, channel, ids, world.name)
            yield closed.of_all_bags(moved.guarantee, world.table, channel, world.name)


def _own_loss(mechanism: Mechanism, pairs: list[Pair]) -> Iterator[Probe]:
    """Words of the table itself: with a closed channel all pairs of the commonest, exactly."""
    if isinstance(mechanism, Finite):
        table, ids = mechanism.table, np.arange(closed.affordable(mechanism.table))
        yield closed.of_pairs(mechanism.guarantee, table, mechanism.channel, ids, TABLE)
    for pair in pairs:
        yield loss.of_bags(mechanism, ([pair.x], [pair.y]), pair.name, TABLE, weight=3.0)
    for pair in pairs[:1]:
        bags = [pair.x] * 3 + [pair.y], [pair.x] + [pair.y] * 3
        yield loss.of_bags(mechanism, bags, f"{pair.name} in bags of 4", TABLE, weight=3.0)


def _texts(system: Obfuscator, worlds: Worlds) -> Iterator[Probe]:
    """The whole flow, from texts to documents, in a plane of words.

    One word in twenty that is far away tells more than its share, if words are drawn by chance:
    that is why the promise between sampled texts is one of W∞.
    """
    for world, moved in worlds[1:2]:
        there = Vocabulary(world.table, StopWords("none", frozenset()))
        small = replace(system, vocabulary=there, mechanism=moved, size=3)
        for question, texts in world.texts.items():
            yield loss.of_texts(small, texts, question, world.name, weight=2.0)


def _flow(
    mechanism: Mechanism,
    system: Obfuscator | None,
    worlds: Worlds,
    source: Callable[[], Generator],
) -> Iterator[Probe]:
    yield of_streams(worlds[0][1] if worlds else mechanism, source)
    if isinstance(mechanism, NoisyNearest):
        yield flow.of_vectors(mechanism)
        yield flow.of_interference(worlds[-1][1] if worlds else mechanism)
    if isinstance(mechanism, Claim):
        yield flow.of_strangers(mechanism)
    if system:
        yield flow.of_canaries(system)
        yield flow.of_order(system)
        yield flow.of_fingerprint(system)


def _channel(mechanism: Mechanism) -> law.Channel | None:
    """The exact chances of a mechanism's words, where there is a formula for them."""
    if isinstance(mechanism, Finite):
        return mechanism.channel
    plain = type(mechanism) is NoisyNearest and mechanism.name == "laplace"
    if not (plain and mechanism.table.dimensions == 1):
        return None
    places = mechanism.table.vectors[:].astype(np.float64).ravel()
    epsilon = mechanism.guarantee.epsilon
    return lambda ids: laplace_channel(places, epsilon, places[ids])


def _described(subject: Subject) -> str:
    mechanism = subject.mechanism if isinstance(subject, Obfuscator) else subject
    table = mechanism.table
    return (
        f"{mechanism.name}, ε = {mechanism.guarantee.epsilon:g}, on {table.name} "
        f"({len(table):,} words × {table.dimensions})"
    )
