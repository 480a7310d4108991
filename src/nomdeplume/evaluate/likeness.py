"""Distances between a release and its text, and the share of words kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nomdeplume.bag import Bag
from nomdeplume.distance import WordMover
from nomdeplume.distance.cheapest import simplex
from nomdeplume.evaluate.figures import figure
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.results import Distances
from nomdeplume.vocabulary import Vocabulary

Draws = Sequence[Sequence[str]]

COMPARED = 100  # texts whose Word Mover's Distance is computed, with the fast solver
SLOWLY = 20  # without


def likeness(bags: Sequence[Bag], draws: Draws, reader: Reader) -> Distances | None:
    """Word Mover's Distance, distance of the mean vectors, and the share of released words kept.

    Kept is a released word that stands in the text. Texts without kept words are left out.
    """
    vocabulary, released = reader.vocabulary, [reader.bags(texts) for texts in draws]
    both = [i for i, bag in enumerate(bags) if len(bag) and all(len(r[i]) for r in released)]
    if not both:
        return None
    few = np.random.default_rng(0).permutation(both)[: COMPARED if simplex() else SLOWLY]
    metric = WordMover()
    moved = [
        [metric(vocabulary.cloud(bags[i]), vocabulary.cloud(released[0][i])) for i in few.tolist()]
    ]
    apart = [[_apart(bags[i], r[i], vocabulary) for i in both] for r in released]
    kept = [[_kept(bags[i], r[i]) for i in both] for r in released]
    return Distances(
        figure(np.array(moved), share=False),
        figure(np.array(apart), share=False),
        figure(np.array(kept)),
    )


def _apart(one: Bag, other: Bag, vocabulary: Vocabulary) -> float:
    vectors = vocabulary.table.vectors
    means = [bag.counts @ vectors[bag.ids].astype(np.float64) / len(bag) for bag in (one, other)]
    return float(np.linalg.norm(means[0] - means[1]))


def _kept(one: Bag, released: Bag) -> float:
    return float(released.counts[np.isin(released.ids, one.ids)].sum() / len(released))
