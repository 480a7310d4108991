"""What an audit asks of a mechanism or a system, depending on what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit import chances, charges, closed, documents, flow, inside, law, loss
from nomdeplume.audit.claim import Claim
from nomdeplume.audit.finding import TABLE, Finding
from nomdeplume.audit.pairs import Pair, commonest
from nomdeplume.audit.parts import Documents, before_steps
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.audit.streams import of_streams
from nomdeplume.audit.worlds import WORLDS, World
from nomdeplume.compose import Herding
from nomdeplume.decode import Nearest
from nomdeplume.mechanism import Finite, Mechanism, Movable, NoisyMean, NoisyNearest, Ranked
from nomdeplume.noise import Laplace
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.exact import laplace_channel
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

CROWD = 400


@dataclass(frozen=True, eq=False)
class Questions:
    """Probes of one mechanism, and of the system around it if there is one."""

    mechanism: Mechanism
    system: Obfuscator | None
    kept: Ids
    pairs: list[Pair]
    source: Callable[[], Generator]

    @property
    def first(self) -> Mechanism:
        """What releases words before any step by rank; the mechanism itself if there is none."""
        return before_steps(self.mechanism)

    @property
    def told(self) -> list[tuple[Finite, Callable[[Probe], Probe]]]:
        """Of the mechanism and of what its steps come after those that can say their chances."""
        parts: list[tuple[Mechanism, Callable[[Probe], Probe]]] = [(self.mechanism, lambda p: p)]
        parts += [(self.first, _before)] if self.first is not self.mechanism else []
        return [(part, name) for part, name in parts if isinstance(part, Finite)]

    @cached_property
    def worlds(self) -> list[tuple[World, Mechanism]]:
        """The mechanism in every small world that it can be moved to, under the same guarantee."""
        mechanism = self.mechanism
        if not isinstance(mechanism, Movable):
            return []
        epsilon = mechanism.guarantee.epsilon
        worlds = [World(dimensions, epsilon) for dimensions in WORLDS]
        worlds += [World(1, epsilon, crowd=CROWD)] if isinstance(self.first, Finite) else []
        return [(world, mechanism.elsewhere(world.table, epsilon)) for world in worlds]

    @property
    def plane(self) -> list[tuple[World, Mechanism]]:
        """The world in which whole systems are tried."""
        return [(world, moved) for world, moved in self.worlds if world.dimensions == 2]

    def law(self) -> Iterator[Probe]:
        """Noise and chances against their formulas."""
        if isinstance(self.first, NoisyNearest):
            yield from law.of_noise(self.first.noise, self.first.places)
        if isinstance(self.mechanism, NoisyMean):
            yield from law.of_noise(self.mechanism.noise, self.mechanism.features)
        for world, moved in self.worlds:
            if channel := _channel(moved):
                yield chances.of_channel(moved, channel, np.arange(3), world.name)
        ids = np.array([i for pair in self.pairs[:1] for i in (pair.x, pair.y)] or self.kept[:1])
        for told, named in self.told:
            yield named(chances.of_channel(told, told.channel, ids, TABLE))
        if not isinstance(self.mechanism, Claim):
            yield chances.of_keystream()

    def loss(self) -> Iterator[Probe]:
        """Two inputs told apart: in worlds, as texts, and on the table itself."""
        for world, moved in self.worlds:
            yield from _in_world(world, moved)
        if isinstance(self.mechanism, NoisyMean):
            yield from self._documents(self.mechanism)
            return
        if self.system:
            yield from self._texts(self.system, "texts")
            yield from self._in_order(self.system)
        yield from self._own_words()

    def flow(self) -> Iterator[Probe]:
        """What leaves by other ways than through the noise."""
        for world, moved in self.worlds[:1]:
            yield of_streams(moved, self.source, world=world.name)
        if not self.worlds:
            yield of_streams(self.mechanism, self.source)
        if isinstance(self.first, NoisyNearest):
            yield inside.of_vectors(self.first, certified=self.system is not None)
            yield inside.of_interference(self.first, TABLE)
            yield inside.of_grid(self.first)
            for world, moved in self.worlds[-1:]:
                yield inside.of_interference(before_steps(moved), world.name)
        if isinstance(self.mechanism, NoisyMean):
            yield from self._means(self.mechanism)
        if isinstance(self.mechanism, Ranked):
            yield inside.of_step(self.mechanism, self.kept, TABLE)
        if isinstance(self.mechanism, Claim):
            yield flow.of_strangers(self.mechanism)
        if self.system:
            yield from self._system(self.system)

    def _texts(self, system: Obfuscator, which: str) -> Iterator[Probe]:
        """The whole flow, from texts to documents.

        One word in twenty that is far away tells more than its share, if words are drawn by
        chance: that is why the promise between sampled texts is one of W∞.
        """
        for world, moved in self.plane:
            small = _small(system, moved, size=3)
            for question, texts in getattr(world, which).items():
                yield loss.of_texts(small, texts, question, world.name, weight=2.0)

    def _in_order(self, system: Obfuscator) -> Iterator[Probe]:
        """Two texts whose words are near each other in reverse, and what comes out in its order."""
        for world, moved in self.worlds[:1]:
            small, question = _small(system, moved, size=2), "two words in order, near in reverse"
            yield loss.of_texts(small, world.crossed, question, world.name, in_order=True)

    def _documents(self, mechanism: NoisyMean) -> Iterator[Probe]:
        """Texts of any lengths as documents: in the plane, and on the table itself.

        There little can be proven, but between a text and ten times itself nothing is promised.
        """
        for pair in self.pairs:
            yield loss.of_bags(mechanism, ([pair.x], [pair.y]), pair.name, TABLE)
        if not self.system:
            return
        yield from self._texts(self.system, "documents")
        yield from self._in_order(self.system)
        short, question = replace(self.system, size=3), "a text and ten times itself"
        for pair in self.pairs[:1]:
            text = " ".join(mechanism.table.words[i] for i in (pair.x, pair.x, pair.y))
            texts = text, " ".join([text] * 10)
            yield loss.of_texts(short, texts, question, TABLE, weight=2.0)

    def _means(self, mechanism: NoisyMean) -> Iterator[Probe]:
        """What noise is added to for each document, how far that moves, and what follows it."""
        watched = documents.Inside(mechanism, self.system, self.kept)
        yield documents.of_means(watched)
        yield documents.of_stretch(watched)
        yield documents.of_moves(watched)
        yield documents.of_interference(watched)
        yield documents.of_grid(watched)

    def _own_words(self) -> Iterator[Probe]:
        """Words of the table itself; with a closed channel all pairs of the commonest, exactly."""
        mechanism, table = self.mechanism, self.mechanism.table
        for told, named in self.told:
            ids = commonest(told, self.kept, closed.affordable(table))
            yield named(closed.of_pairs(told.guarantee, table, told.channel, ids, TABLE))
        for pair in self.pairs:
            yield loss.of_bags(mechanism, ([pair.x], [pair.y]), pair.name, TABLE, weight=3.0)
        for pair in self.pairs[:1]:
            bags = [pair.x] * 3 + [pair.y], [pair.x] + [pair.y] * 3
            yield loss.of_bags(mechanism, bags, f"{pair.name} in bags of 4", TABLE, weight=3.0)

    def _system(self, system: Obfuscator) -> Iterator[Probe]:
        yield flow.of_canaries(system)
        if not isinstance(self.mechanism, NoisyMean):  # which is looked into
            yield flow.of_lengths(system)
        yield flow.of_order(system)
        yield flow.of_certificate(system)
        yield charges.of_charges(system)
        for world, moved in self.plane:
            one = Documents(_small(system, moved, size=1))
            question = "no two documents share a stream"
            yield of_streams(one, self.source, question, world=world.name, most=400)


def _in_world(world: World, moved: Mechanism) -> Iterator[Probe]:
    for i, j, apart in world.pairs:
        words, weight = f"two words {apart:g}/ε apart", 2.0 if apart > 1 else 1.0
        yield loss.of_bags(moved, ([i], [j]), words, world.name, weight=weight)
    if not isinstance(moved, NoisyMean):  # of which three words are no document
        yield loss.of_bags(moved, world.bags, "two bags of 3 words", world.name)
    if channel := _channel(moved):
        ids = np.arange(len(moved.table))
        yield closed.of_pairs(moved.guarantee, moved.table, channel, ids, world.name)
        if not isinstance(moved, NoisyMean):
            yield closed.of_all_bags(moved.guarantee, moved.table, channel, world.name)


def _before(probe: Probe) -> Probe:
    """The same question about what a step comes after."""
    question = f"before the step: {probe.question}"

    def ask(share: Share) -> Finding:
        return replace(probe.ask(share), question=question)

    return Probe(question, ask, probe.weight)


def _small(system: Obfuscator, moved: Mechanism, *, size: int) -> Obfuscator:
    """The same system for texts of the words of a world."""
    there = Vocabulary(moved.table, StopWords("none", frozenset()))
    return replace(system, vocabulary=there, mechanism=moved, size=size)


def _channel(mechanism: Mechanism) -> chances.Channel | None:
    """The exact chances of a mechanism's words, where there is a formula for them."""
    if isinstance(mechanism, Finite):
        return mechanism.channel
    if (places := _on_a_line(mechanism)) is None:
        return None
    epsilon = mechanism.guarantee.epsilon
    return lambda ids: laplace_channel(places, epsilon, places[ids])


def _on_a_line(mechanism: Mechanism) -> Floats | None:
    """Where words are, if it is Laplace noise on a line, and then the nearest word.

    For a document of one word herding takes the nearest.
    """
    if type(mechanism) is NoisyMean:
        plain = isinstance(mechanism.noise, Laplace) and isinstance(mechanism.composer, Herding)
        places, scale = mechanism.features, mechanism.stretch
    elif type(mechanism) is NoisyNearest and mechanism.name == "laplace":
        plain = mechanism.image is None and isinstance(mechanism.decoder, Nearest)
        places, scale = mechanism.table, 1.0
    else:
        return None
    if not plain or places.dimensions > 1:
        return None
    return np.asarray(places.vectors[:].astype(np.float64).ravel() / scale)
