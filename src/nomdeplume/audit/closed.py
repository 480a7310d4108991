"""Losses enumerated exactly, where all chances are known: the loss instrument without samples."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from nomdeplume.audit.finding import Finding, by_loss
from nomdeplume.audit.law import Channel
from nomdeplume.audit.probe import Probe
from nomdeplume.privacy.exact import bags, law
from nomdeplume.privacy.exact import loss as exact_loss
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Ids = NDArray[np.int64]

EXACT = 2e9  # chances compared, of all pairs of words


def affordable(table: Table) -> int:
    """How many words can all be compared with each other, over all that can come out."""
    return int(min(len(table), 1_000, max(2, (EXACT / len(table)) ** 0.5)))


def of_pairs(guarantee: Guarantee, table: Table, channel: Channel, ids: Ids, world: str) -> Probe:
    """All pairs of some words of a closed channel, enumerated exactly."""
    return Probe(lambda _: _all_pairs(guarantee, table, channel, ids, world), 0.2)


def _all_pairs(
    guarantee: Guarantee, table: Table, channel: Channel, ids: Ids, world: str
) -> Finding:
    """The pair that loses the largest share of its promise."""
    vectors, chances = table.vectors[ids].astype(np.float64), channel(ids)
    with np.errstate(divide="ignore"):
        logs = np.log(chances)
    worst = 0.0, 0.0, 0.0  # ratio, loss, promise
    for i in range(len(ids)):
        with np.errstate(invalid="ignore"):
            losses = np.nan_to_num(logs[i] - logs, nan=0.0, posinf=np.inf).max(axis=1)
        promise = guarantee.epsilon * np.linalg.norm(vectors - vectors[i], axis=1)
        apart = promise > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(apart, losses / promise, np.where(losses > 1e-9, np.inf, 0.0))
        j = int(ratio.argmax())
        found = round(float(ratio[j]), 9), float(losses[j]), float(promise[j])
        worst = max(worst, found)
    return by_loss(f"all pairs of {len(ids):,} words", world, worst[1], worst[2])


def of_all_bags(guarantee: Guarantee, table: Table, channel: Channel, world: str) -> Probe:
    """All bags of two words of the first of a closed channel, enumerated exactly."""
    return Probe(lambda _: _all_bags(guarantee, table, channel, world), 0.2)


def _all_bags(guarantee: Guarantee, table: Table, channel: Channel, world: str) -> Finding:
    """Bags of two of four words; whatever word comes out counts."""
    ids, size = np.arange(min(4, len(table))), 2
    chances, vectors = channel(ids), table.vectors[ids].astype(np.float64)
    promise = guarantee.over_bags(size)
    laws = {bag: law(chances, bag) for bag in bags(len(ids), size)}
    worst = 0.0, 0.0, 0.0  # ratio, loss, promise
    for x, y in permutations(laws, 2):
        due = float(promise.loss(vectors[list(x)], vectors[list(y)]))
        lost = exact_loss(laws[x], laws[y])
        ratio = lost / due if due else np.inf if lost > 1e-9 else 0.0
        worst = max(worst, (round(ratio, 9), lost, due))
    return by_loss(f"all pairs of bags of {size} words", world, worst[1], worst[2])
