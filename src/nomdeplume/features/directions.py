"""Directions along which topics of public texts differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.linalg import eigh

from nomdeplume.errors import InputError
from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.scores import Floats, Ids
from nomdeplume.table import Table
from nomdeplume.table.directions import covariance, leading, number, signed
from nomdeplume.vocabulary import Vocabulary

SHRINKAGE = 0.1  # towards a scatter that is the same in all directions
TELLING = 1e-9  # a direction in which topics differ less, as part of the first, is none


def topic_directions(
    texts: Iterable[str], topics: Iterable[Any], m: int, vocabulary: Vocabulary
) -> Floats:
    """The m directions that tell topics of public texts apart best: orthonormal rows, (m, k).

    Linear discriminants of the mean vectors of the texts' kept words; there are at most
    topics − 1, and beyond these the principal directions of what is left of the space.
    """
    return directions_of(ByTopic.of(vocabulary.bags(texts), topics, vocabulary), m)


def directions_of(texts: ByTopic, m: int) -> Floats:
    """The m directions that tell the topics of counted texts apart best, (m, k)."""
    table = texts.vocabulary.table
    m = number(m, table.dimensions)
    means, topic = _means(texts)
    if len(np.unique(topic)) < 2:
        raise InputError("texts of at least 2 topics must have kept words; use a larger table.")
    first = _orthonormal(_discriminants(means, topic)[:m])
    return first if len(first) == m else _filled(first, table, m)


def _means(texts: ByTopic) -> tuple[Floats, Ids]:
    """The mean vector of each text that has kept words, (n, k), and its topic."""
    counts = texts.counts
    there = np.flatnonzero(counts.sum(axis=1))
    occurs = np.unique(counts.indices)
    ids = texts.vocabulary.ids[occurs]
    vectors = texts.vocabulary.table.vectors[ids].astype(np.float64)
    rows = counts[there][:, occurs]
    return (rows @ vectors) / rows.sum(axis=1)[:, None], texts.topic[there]


def _discriminants(means: Floats, topic: Ids) -> Floats:
    """Directions w in which topics differ most for their width, best first.

    They maximise wᵀBw / wᵀWw, B the scatter between topics and W that within them, drawn
    towards a ball: few texts say little about the width in k dimensions.
    """
    k = means.shape[1]
    _, topic, sizes = np.unique(topic, return_inverse=True, return_counts=True)
    centres = np.zeros((len(sizes), k))
    np.add.at(centres, topic, means)
    centres /= sizes[:, None]
    apart, around = centres - means.mean(axis=0), means - centres[topic]
    between = (apart.T * sizes) @ apart / len(means)
    within = around.T @ around / len(means)
    width = np.trace(within) / k or 1.0  # texts of a topic may be all alike
    values, columns = eigh(between, (1 - SHRINKAGE) * within + SHRINKAGE * width * np.eye(k))
    telling = values > TELLING * values[-1]
    return np.asarray(columns.T[telling][::-1][: len(sizes) - 1])


def _orthonormal(directions: Floats) -> Floats:
    """Orthonormal rows that span, one after the other, what the directions span."""
    return signed(np.linalg.qr(directions.T)[0].T)


def _filled(first: Floats, table: Table, m: int) -> Floats:
    """Orthonormal rows, and the principal directions of the space at right angles to them."""
    across = np.eye(table.dimensions) - first.T @ first
    basis = leading(across, table.dimensions - len(first))  # (k − r, k) orthonormal, across `first`
    more = leading(basis @ covariance(table) @ basis.T, m - len(first)) @ basis
    return signed(np.concatenate((first, more)))
