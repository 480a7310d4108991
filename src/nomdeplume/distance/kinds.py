"""The distances between bags that a corpus knows: how they are computed, and bounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nomdeplume.distance.batch import Batch
from nomdeplume.distance.bounds import priced, relaxed_longest, smoothed
from nomdeplume.distance.cheapest import cheapest_move
from nomdeplume.distance.cloud import Floats
from nomdeplume.distance.narrowest import threshold
from nomdeplume.distance.plan import Problem

Bound = Callable[[Floats, Floats, Floats], Floats]


@dataclass(frozen=True)
class Kind:
    """A distance between bags: how it is computed, and what bounds it from below."""

    distance: Callable[[Problem], float]
    many: Callable[[Batch], list[float]]
    bounds: tuple[Bound, ...]
    gather: np.ufunc  # how the moves of single words make the relaxed bound of a bag


def _mean_move(problem: Problem) -> float:
    return cheapest_move(problem).cost


KINDS = {
    "w1": Kind(_mean_move, Batch.word_mover, (priced, smoothed), np.add),
    "winf": Kind(threshold, Batch.bottleneck, (relaxed_longest,), np.maximum),
}
