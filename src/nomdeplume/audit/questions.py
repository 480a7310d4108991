"""What an audit asks of a mechanism or a system, depending on what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit import chances, charges, closed, documents, flow, inside, law, loss
from nomdeplume.audit.finding import TABLE, Finding
from nomdeplume.audit.pairs import Pair, commonest
from nomdeplume.audit.parts import Documents, before_steps
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.audit.streams import of_streams
from nomdeplume.audit.worlds import WORLDS, World
from nomdeplume.mechanism import Mechanism
from nomdeplume.mechanism.contract import Channel, NoisyMeans
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.promise import PAIRS
from nomdeplume.text import StopWords
from nomdeplume.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

CROWD = 400


@dataclass(frozen=True, eq=False)
class Questions:
    """Probes of a word mechanism, of the system around it, or of a system that has none."""

    mechanism: Mechanism | None
    system: Obfuscator | None
    kept: Ids
    pairs: list[Pair]
    source: Callable[[], Generator]

    @cached_property
    def worlds(self) -> list[tuple[World, Mechanism]]:
        """The mechanism in every small world that it can be moved to, under the same guarantee."""
        mechanism = self.mechanism
        move = mechanism.declaration.elsewhere if mechanism else None
        if mechanism is None or move is None:
            return []
        epsilon = mechanism.guarantee.epsilon
        worlds = [World(dimensions, epsilon) for dimensions in WORLDS]
        crowded = before_steps(mechanism).declaration.channel is not None
        worlds += [World(1, epsilon, crowd=CROWD)] if crowded else []
        return [(world, move(world.table, epsilon)) for world in worlds]

    @property
    def plane(self) -> list[tuple[World, Mechanism]]:
        """The world in which whole systems are tried."""
        return [(world, moved) for world, moved in self.worlds if world.dimensions == 2]

    def law(self) -> Iterator[Probe]:
        """Noise and chances against their formulas."""
        if self.mechanism:
            yield from self._laws(self.mechanism)
        if self.mechanism is None or self.mechanism.declaration.function is None:
            yield chances.of_keystream()

    def _laws(self, mechanism: Mechanism) -> Iterator[Probe]:
        """The laws of the noise and of the released words of a mechanism."""
        if vectors := before_steps(mechanism).declaration.vectors:
            yield from law.of_noise(vectors.noise, vectors.places)
        if means := mechanism.declaration.means:
            yield from law.of_noise(means.noise, means.features)
        for world, moved in self.worlds:
            if channel := moved.declaration.channel:
                yield chances.of_channel(moved, channel, np.arange(3), world.name)
        ids = np.array([i for pair in self.pairs[:1] for i in (pair.x, pair.y)] or self.kept[:1])
        for part, channel, named in _with_chances(mechanism):
            yield named(chances.of_channel(part, channel, ids, TABLE))

    def loss(self) -> Iterator[Probe]:
        """Two inputs told apart: in worlds, as texts, and on the table itself."""
        for world, moved in self.worlds:
            yield from _in_world(world, moved)
        if self.mechanism is None:
            yield from self._releases()
        elif means := self.mechanism.declaration.means:
            yield from self._documents(means)
        else:
            if self.system:
                yield from self._texts(self.system, "texts")
                yield from self._in_order(self.system)
            yield from self._own_words(self.mechanism)

    def _releases(self) -> Iterator[Probe]:
        """Pairs of public texts, whose releases as a whole are counted."""
        if self.system is None:
            return
        for name, pair in self.system.vocabulary.reference_texts.items():
            yield loss.of_releases(self.system, pair, PAIRS[name])
        word = self.system.vocabulary.table.words[int(self.kept[0])]
        yield loss.of_releases(self.system, ("", word), "no word and one word")
        for number, pair in enumerate(pairwise(self.system.documents.form.examples), start=1):
            yield loss.of_releases(self.system, pair, f"public texts, pair {number}")

    def flow(self) -> Iterator[Probe]:
        """What leaves by other ways than through the noise."""
        for world, moved in self.worlds[:1]:
            yield of_streams(moved, self.source, world=world.name)
        if self.mechanism:
            yield from self._inside(self.mechanism)
        if self.system:
            yield from self._system(self.system)

    def _inside(self, mechanism: Mechanism) -> Iterator[Probe]:
        """The parts of a mechanism: what each of them is handed, and what it does with that."""
        declared = mechanism.declaration
        if not self.worlds:
            yield of_streams(mechanism, self.source)
        if vectors := before_steps(mechanism).declaration.vectors:
            yield inside.of_vectors(vectors, certified=self.system is not None)
            yield inside.of_interference(vectors, TABLE)
            yield inside.of_grid(vectors)
            for world, moved in self.worlds[-1:]:
                if there := before_steps(moved).declaration.vectors:
                    yield inside.of_interference(there, world.name)
        if declared.means:
            yield from self._means(declared.means)
        if declared.step:
            yield inside.of_step(declared.step, self.kept, TABLE)
        if declared.function:
            yield flow.of_strangers(declared.function, mechanism.table)

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

    def _documents(self, mechanism: NoisyMeans) -> Iterator[Probe]:
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

    def _means(self, mechanism: NoisyMeans) -> Iterator[Probe]:
        """What noise is added to for each document, how far that moves, and what follows it."""
        watched = documents.Inside(mechanism, self.system, self.kept)
        yield documents.of_means(watched)
        yield documents.of_stretch(watched)
        yield documents.of_moves(watched)
        yield documents.of_interference(watched)
        yield documents.of_grid(watched)

    def _own_words(self, mechanism: Mechanism) -> Iterator[Probe]:
        """Words of the table itself; with a closed channel all pairs of the commonest, exactly."""
        table = mechanism.table
        for part, channel, named in _with_chances(mechanism):
            ids = commonest(part, self.kept, closed.affordable(table))
            yield named(closed.of_pairs(part.guarantee, table, channel, ids, TABLE))
        for pair in self.pairs:
            yield loss.of_bags(mechanism, ([pair.x], [pair.y]), pair.name, TABLE, weight=3.0)
        for pair in self.pairs[:1]:
            bags = [pair.x] * 3 + [pair.y], [pair.x] + [pair.y] * 3
            yield loss.of_bags(mechanism, bags, f"{pair.name} in bags of 4", TABLE, weight=3.0)

    def _system(self, system: Obfuscator) -> Iterator[Probe]:
        yield flow.of_canaries(system)
        if self.mechanism:
            if not self.mechanism.declaration.means:  # which is looked into
                yield flow.of_lengths(system)
            yield flow.of_order(system)
        else:
            yield of_streams(Documents(system), self.source)
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
    one_by_one = moved.declaration.parameter.per_word  # else three words are no document
    if one_by_one:
        yield loss.of_bags(moved, world.bags, "two bags of 3 words", world.name)
    if channel := moved.declaration.channel:
        ids = np.arange(len(moved.table))
        yield closed.of_pairs(moved.guarantee, moved.table, channel, ids, world.name)
        if one_by_one:
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


def _with_chances(
    mechanism: Mechanism,
) -> Iterator[tuple[Mechanism, Channel, Callable[[Probe], Probe]]]:
    """The mechanism, and the one before its steps, if they know their exact chances.

    With each comes a function that names its probes.
    """
    first = before_steps(mechanism)
    if channel := mechanism.declaration.channel:
        yield mechanism, channel, lambda probe: probe
    if first is not mechanism and (channel := first.declaration.channel):
        yield first, channel, _before
