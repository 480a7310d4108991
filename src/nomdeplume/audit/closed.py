"""Losses enumerated exactly, where all chances are known: the loss instrument without samples."""

from __future__ import annotations

from itertools import permutations
from math import inf

import numpy as np
from numpy.typing import NDArray

from nomdeplume.audit.chances import Channel
from nomdeplume.audit.finding import Finding, by_loss, unpromised
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.privacy.exact import bags, law
from nomdeplume.privacy.exact import loss as exact_loss
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

LEAST = 1e-290  # chance: floats tell nothing smaller, so what is rarer counts as this
HUGE = 600.0  # nats: no float is as rare beside another, so it never comes out where it should
SIZE = 2  # of bags that are enumerated
EXACT = 2e9  # chances compared, of all pairs of words


def affordable(table: Table) -> int:
    """How many words can all be compared with each other, over all that can come out."""
    return int(min(len(table), 1_000, max(2, (EXACT / len(table)) ** 0.5)))


def of_pairs(guarantee: Guarantee, table: Table, channel: Channel, ids: Ids, world: str) -> Probe:
    """All pairs of some words of a closed channel, enumerated exactly.

    Found is the one that loses the largest share of its promise; a word is no pair with itself.
    """
    question = f"by its formula, all pairs of {len(ids):,} words"

    def ask(_: Share) -> Finding:
        apart = promised(guarantee, table, ids)
        np.fill_diagonal(apart, inf)
        if np.isinf(apart).all():
            return unpromised(question, world)
        logs = np.log(np.maximum(channel(ids), LEAST))
        found = [_worst((logs[i] - logs).max(axis=1), apart[i]) for i in range(len(ids))]
        return by_loss(question, world, *_worst(*np.transpose(found)))

    return Probe(question, ask, 0.2)


def promised(guarantee: Guarantee, table: Table, ids: Ids, others: Ids | None = None) -> Floats:
    """What may be lost between any two of these words, or from one of these to one of others.

    It is infinite where nothing is promised.
    """
    metric = guarantee.ground("words")
    both = ids, ids if others is None else others
    x, y = (metric.places(table.vectors[each].astype(np.float64), each) for each in both)
    return guarantee.epsilon * metric.apart(x, y)


def of_all_bags(guarantee: Guarantee, table: Table, channel: Channel, world: str) -> Probe:
    """All bags of two words of the first of a closed channel, enumerated exactly."""
    question = f"by its formula, all bags of {SIZE} words"
    return Probe(question, lambda _: _all_bags(question, guarantee, table, channel, world), 0.2)


def _all_bags(
    question: str, guarantee: Guarantee, table: Table, channel: Channel, world: str
) -> Finding:
    """Bags of two of four words; whatever word comes out counts."""
    ids = np.arange(min(4, len(table)))
    chances, promise = channel(ids), guarantee.over_bags(SIZE)
    places = guarantee.ground("bags").places(table.vectors[ids].astype(np.float64), ids)
    laws = {bag: np.maximum(law(chances, bag), LEAST) for bag in bags(len(ids), SIZE)}
    pairs = list(permutations(laws, 2))
    promises = np.array([promise.loss(places[list(x)], places[list(y)]) for x, y in pairs])
    if np.isinf(promises).all():
        return unpromised(question, world)
    losses = np.array([exact_loss(laws[x], laws[y]) for x, y in pairs])
    return by_loss(question, world, *_worst(losses, promises))


def _worst(losses: Floats, promises: Floats) -> tuple[float, float]:
    """The loss that passes its promise most or, if none does, comes nearest to it; and that.

    Where nothing is promised, nothing can be broken.
    """
    losses, promises = losses[np.isfinite(promises)], promises[np.isfinite(promises)]
    if not len(promises):
        return 0.0, 0.0
    beyond = losses - promises * (1 + 1e-9) - 1e-12
    share = np.round(losses / np.maximum(promises, 1e-9), 6)
    worst = np.lexsort((promises, np.where(beyond > 0, 2 + beyond, np.minimum(share, 1))))[-1]
    lost, promise = float(losses[worst]), float(promises[worst])
    return (inf if lost > HUGE >= promise else lost), promise
