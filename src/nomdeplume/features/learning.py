"""A learnt map: values of words whose noisy means tell topics, and little else.

By Kantorovich's duality the Word Mover's Distance bounds the means of 1-Lipschitz functions,
and of nothing steeper: these are what can be released. A small network learns some of them,
such that topics of public texts are told from their means under noise. What is used are its
values on the kept words, moved as little as makes them no farther apart than the words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse

from nomdeplume.errors import InputError, positive
from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.directions import directions_of
from nomdeplume.features.network import Network
from nomdeplume.features.steepness import Steepness
from nomdeplume.table.directions import number

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Tell = Callable[[int], None]

DIMENSIONS = 6
BUDGET = 3.0  # of the noise that it learns under, if nothing is said
STEPS, BATCH = 600, 1024
RATE, WARM = 3e-3, 20  # the largest step of Adam, and how many steps it takes to get there
HIDE = 0.3  # weight of what authors differ in
HANDS = 150  # authors looked at in each step
SOUGHT = 50  # steps after which words that are worst are sought again
AUTHORS = 3  # texts of one author on one topic, from which it is told what authors differ in


@dataclass(frozen=True, eq=False)
class Lesson:
    """Public texts as shares of words, their topics, and what authors of a topic differ in."""

    shares: Any  # (n, words), sparse; rows sum to 1
    topic: Ids
    chance: Floats  # (n,) of being taken: topics are taken equally often
    hands: Any  # (authors on a topic, words), sparse: how their shares differ from the topic's

    @classmethod
    def of(cls, texts: ByTopic, columns: Ids, authors: list[str] | None) -> Lesson:
        counts = texts.counts[:, columns]
        there = np.flatnonzero(counts.sum(axis=1))
        found, topic = np.unique(texts.topic[there], return_inverse=True)
        if len(found) < 2:
            raise InputError("texts of at least 2 topics must have kept words; use a larger table.")
        rows = counts[there]
        shares = sparse.csr_array(rows / rows.sum(axis=1)[:, None])
        chance = 1 / np.bincount(topic)[topic]
        who = None if authors is None else np.array(authors, dtype=object)[there]
        return cls(shares, topic, chance / chance.sum(), _hands(shares, topic, who))

    def batch(self, rng: Generator, size: int) -> tuple[Any, Ids]:
        some = rng.choice(len(self.topic), size, p=self.chance)
        return self.shares[some], self.topic[some]

    def middle(self, values: Floats) -> Floats:
        """The mean of what texts are mapped to."""
        return np.asarray((self.shares @ values).mean(axis=0))

    def some_hands(self, rng: Generator) -> Any:
        """Authors to look at, some at a time; none if none are known."""
        number = self.hands.shape[0]
        return self.hands[rng.permutation(number)[:HANDS]]


def learnt(
    texts: ByTopic,
    columns: Ids,
    *,
    m: int = DIMENSIONS,
    budget: float = BUDGET,
    authors: list[str] | None = None,
    hide: float = HIDE,
    tell: Tell | None = None,
) -> Floats:
    """Values of the kept words in some columns, (words, m), whose means tell topics at a budget.

    Where public texts have `authors`, what tells these apart within a topic is held down, by
    a weight of `hide`. The same texts give the same map: chance is public and fixed.
    """
    table = texts.vocabulary.table
    m, budget = number(m, table.dimensions), positive("budget", budget)
    vectors = table.vectors[texts.vocabulary.ids[columns]].astype(np.float64)
    centre = vectors.mean(axis=0)
    lesson, rng = Lesson.of(texts, columns, authors), np.random.default_rng(0)
    steepness = Steepness(vectors - centre, np.asarray(lesson.shares.sum(axis=0)).ravel())
    network = Network.start(
        vectors - centre, directions_of(texts, m), lesson.shares, lesson.topic, budget
    )
    for step in range(1, STEPS + 1):
        if step % SOUGHT == 0:
            steepness.seek(lambda rows: network.forward(rows)[0])
        slopes = _slopes(network, lesson, steepness, budget=budget, hide=hide, rng=rng)
        network.learn(slopes, step, _rate(step))
        if tell:
            tell(step)
    values = network.forward(np.arange(len(vectors)))[0]
    return steepness.mended(values - lesson.middle(values))


def _rate(step: int) -> float:
    """Steps grow at first, and then shrink along a cosine."""
    return RATE * min(1, step / WARM) * (0.5 + 0.5 * float(np.cos(np.pi * step / STEPS))) + 1e-5


def _slopes(
    network: Network,
    lesson: Lesson,
    steepness: Steepness,
    *,
    budget: float,
    hide: float,
    rng: Generator,
) -> list[Floats]:
    """What to change: topics are told wrong, words lie too far apart, or authors differ."""
    batch, topic = lesson.batch(rng, BATCH if steepness.few else BATCH // 4)
    hands, some = lesson.some_hands(rng), steepness.some(rng)
    rows = np.unique(np.concatenate((batch.indices, hands.indices, some)))
    batch, hands, place = batch[:, rows], hands[:, rows], np.searchsorted(rows, some)
    values, hidden = network.forward(rows)
    noisy = batch @ values + _noise(len(topic), values.shape[1], budget, rng)
    wrong = network.told(noisy)  # (n, topics)
    wrong[np.arange(len(topic)), topic] -= 1
    wrong /= len(topic)
    wanted = batch.T @ (wrong @ network.head)
    wanted[place] += steepness.slopes(some, values[place])
    wanted += 2 * hide / max(hands.shape[0], 1) * (hands.T @ (hands @ values))
    return [*network.back(rows, wanted, hidden), wrong.T @ noisy, wrong.sum(axis=0)]


def _noise(n: int, m: int, budget: float, rng: Generator) -> Floats:
    """The noise of a release, but not secret: it only shows the network what is to come."""
    directions = rng.standard_normal((n, m))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.asarray(directions * rng.gamma(m, 1 / budget, size=(n, 1)))


def _hands(shares: Any, topic: Ids, authors: NDArray[np.object_] | None) -> Any:
    """How the words of authors differ from those of others on their topic; none if unknown."""
    nobody = sparse.csr_array((0, shares.shape[1]))
    if authors is None:
        return nobody
    names, who = np.unique(authors.astype(str), return_inverse=True)
    group, counts = np.unique(topic * len(names) + who, return_inverse=True, return_counts=True)[1:]
    several = np.flatnonzero(counts >= AUTHORS)
    place = np.full(len(counts), -1)
    place[several] = np.arange(len(several))
    mine = place[group]
    rows = np.flatnonzero(mine >= 0)
    topics = np.zeros(len(several), dtype=np.int64)
    topics[mine[rows]] = topic[rows]
    known, topics, sizes = np.unique(topics, return_inverse=True, return_counts=True)
    if not (sizes > 1).any():
        return nobody
    own = _means(mine[rows], rows, len(several), shares.shape[0]) @ shares
    others = _means(topics, np.arange(len(topics)), len(known), len(topics)) @ own
    return sparse.csr_array(own - others[topics])


def _means(group: Ids, columns: Ids, groups: int, width: int) -> Any:
    """A matrix that takes the mean of the rows of each group."""
    share = 1 / np.bincount(group, minlength=groups)[group]
    return sparse.csr_array((share, (group, columns)), shape=(groups, width))
