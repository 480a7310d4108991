"""The loss instrument: a black box that tries to tell two inputs apart better than promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import inf

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.evidence import Places, Samples, provable, strongest
from nomdeplume.audit.finding import BROKEN, TABLE, Finding, by_loss, unpromised
from nomdeplume.audit.parts import numbered
from nomdeplume.audit.probe import BATCH, Probe, Share
from nomdeplume.mechanism import Mechanism
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.table import Table

Ids = NDArray[np.int64]
Release = Callable[[int, Generator], Ids]  # n releases of each of two inputs: (n, 2, words)

RELEASES = 1 << 20  # of each input, at most
SEQUENCES = 1_000  # releases of each input whose order is looked at, at least
WORDS = 1 << 22  # of all releases of one input, at most


def of_bags(
    mechanism: Mechanism,
    bags: tuple[Sequence[int], Sequence[int]],
    question: str,
    world: str,
    *,
    weight: float = 1.0,
) -> Probe:
    """Two bags of ids against the promise N·ε·W₁ between them; words are bags of one."""
    both = np.array(bags)  # (2, words)
    table = mechanism.table

    def release(n: int, rng: Generator) -> Ids:
        ids = np.broadcast_to(both, (n, *both.shape)).ravel()
        return mechanism.release(ids, rng).reshape(n, *both.shape)

    def ask(share: Share) -> Finding:
        ids, metric = both.ravel(), mechanism.guarantee.ground("bags")
        places = metric.places(table.vectors[ids].astype(np.float64), ids)
        x, y = places.reshape(*both.shape, -1)
        promise = mechanism.guarantee.over_bags(both.shape[1]).loss(x, y)
        if promise == inf:
            return unpromised(question, world)
        proven, limit, samples = _tried(release, both.shape[1], list(both), table, share)
        return by_loss(question, world, proven, promise, samples=samples, provable=limit)

    return Probe(question, ask, weight)


def of_texts(
    system: Obfuscator,
    texts: tuple[str, str],
    question: str,
    world: str,
    *,
    weight: float = 1.0,
    in_order: bool = False,
) -> Probe:
    """Two texts through the whole flow, against the least that is promised between texts.

    Released bags are counted, or released words in their order.
    """
    table = system.vocabulary.table

    def release(n: int, rng: Generator) -> Ids:
        documents = [document.words for document in system([*texts] * n, rng)]
        if {len(words) for words in documents} != {system.size}:
            raise _Uneven
        released = table.ids(chain.from_iterable(documents), unknown=len(table))
        return released.reshape(n, 2, system.size)

    def ask(share: Share) -> Finding:
        between = system.guarantees[-system.documents.of_texts :]
        promise = min(guarantee.loss(*texts) for guarantee in between)
        if promise == inf:
            return unpromised(question, world)
        bags = [system.vocabulary.bag(text) for text in texts]
        places = [np.repeat(bag.ids, bag.counts) for bag in bags]
        try:
            proven, limit, samples = _tried(
                release, system.size, places, table, share, in_order=in_order
            )
        except _Uneven:
            evidence = "documents differ in their number of words"
            return Finding("loss", question, BROKEN, evidence, world=world)
        return by_loss(question, world, proven, promise, samples=samples, provable=limit)

    return Probe(question, ask, weight)


def of_releases(system: Obfuscator, texts: tuple[str, str], question: str) -> Probe:
    """Two texts through the whole flow; every release as a whole is one outcome."""

    def ask(share: Share) -> Finding:
        between = system.guarantees[-system.documents.of_texts :]
        promise = min(guarantee.loss(*texts) for guarantee in between)
        if promise == inf:
            return unpromised(question, TABLE)

        def draw(n: int) -> Ids:
            documents = system([*texts] * n, share.rng)
            return numbered(document.text for document in documents).reshape(n, 2, 1)

        found = share.samples(draw, first=BATCH, most=RELEASES)
        proven, limit = _proven(found, _NOWHERE, share)
        samples = 2 * len(found)
        return by_loss(question, TABLE, proven, promise, samples=samples, provable=limit)

    return Probe(question, ask, 2.0)


class _Uneven(Exception):
    """Documents are not of one size, so their number of words tells something."""


def _tried(
    release: Release,
    size: int,
    bags: Sequence[Ids],
    table: Table,
    share: Share,
    *,
    in_order: bool = False,
) -> tuple[float, float, int]:
    """The strongest loss proven in either direction, the most that could be, and the samples.

    Order is forgotten, unless each sequence of words is counted as one outcome. What is no
    word of the table counts as one outcome. Only words that came out are looked at further: a
    table may be large.
    """
    outcomes = len(table) + 1  # of one word

    def draw(n: int) -> Ids:
        released = release(n, share.rng)
        words = np.where((released < 0) | (released > len(table)), len(table), released)
        if not in_order:
            return np.sort(words)
        return outcomes + words @ outcomes ** np.arange(size)[:, None]

    first = SEQUENCES if in_order else BATCH
    found = share.samples(draw, first=first, most=min(RELEASES, WORDS // size))
    words = np.unique(found)
    known = words[words < len(table)]
    places = Places(table.vectors[known], *(table.vectors[ids].mean(axis=0) for ids in bags))
    return *_proven(found, places, share), 2 * len(found)


def _proven(found: Ids, places: Places, share: Share) -> tuple[float, float]:
    """The strongest loss that outcomes of two inputs prove, (n, 2, words), and the most possible.

    `places` are those of the outcomes that are words, which have the smallest numbers.
    """
    outcomes, outcome = np.unique(found, return_inverse=True)
    outcome = outcome.reshape(found.shape)
    samples = Samples(outcome[:, 0], outcome[:, 1])
    alpha = share.alpha / 2  # for each direction
    proven = max(
        strongest(samples, len(outcomes), places, alpha=alpha),
        strongest(samples.swapped, len(outcomes), places.swapped, alpha=alpha),
    )
    return proven, provable(len(samples) - len(samples) // 2, alpha=alpha)


_ORIGIN = np.zeros(1, dtype=np.float32)
_NOWHERE = Places(np.empty((0, 1), dtype=np.float32), _ORIGIN, _ORIGIN)  # of no words
