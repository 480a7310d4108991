"""The informed attacker: it knows the mechanism, and asks Bayes who wrote a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers.attacker import Attacker
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.reader import Reader
from nomdeplume.mechanism import Mechanism
from nomdeplume.privacy.random import seeded

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Law = Callable[[Ids], Floats | None]  # places of texts → ln chances of all releases, (releases, n)

BACKGROUND = 1000.0  # words of all authors' texts that are added to each author's own
BLOCK = 256  # rows of a channel at a time: 256 × V numbers
DRAWS = 5  # of each word, where chances are not known but drawn
POWERS = (1.0, 0.5, 0.25, 0.125, 0.0625)  # that chances of whole documents are raised to
TOGETHER = 1 << 22  # pairs of a release and a text at a time: 32 MB


class Informed(Attacker):
    """Learns from clean texts which words an author uses, and knows what becomes of words.

    A release of words v₁…v_N of author a has the chance Π q_a(vᵢ), q_a(v) = Σ_w θ_a(w)·K(w)(v),
    for an author who draws words from θ_a and a mechanism with chances K. Without a mechanism
    K changes nothing, and this is naive Bayes.
    """

    def __init__(self, reader: Reader, mechanism: Mechanism | None = None) -> None:
        self.reader = reader
        self.mechanism = mechanism

    def fit(self, texts: Sequence[str], authors: Any) -> Self:
        codes = self._met(authors)
        own = by_author(self.reader.counts(texts), codes)
        every = np.arange(own.shape[1])
        self.chances_ = chances(pushed(own, self.mechanism, seeded(0), every), own.sum(axis=1))
        return self

    def decision_function(self, texts: Sequence[str]) -> Floats:
        return np.asarray(self.reader.counts(texts) @ self.chances_.T)


def by_author(counts: Any, codes: Ids, number: int | None = None) -> Any:
    """The counts of each author's texts, added up: (authors, V), sparse."""
    from scipy.sparse import csr_array

    n, authors = counts.shape[0], int(codes.max()) + 1 if number is None else number
    members = csr_array((np.ones(n), (codes, np.arange(n))), shape=(authors, n))
    return (members @ counts).tocsr()


def pushed(counts: Any, mechanism: Mechanism | None, rng: Generator, words: Ids) -> Any:
    """What is expected of counts after the mechanism, of some words that come out: (rows, words).

    Exactly where its chances are known, block by block of words; else by some releases of
    every word that occurs.
    """
    if mechanism is None:
        return counts[:, words]
    channel = mechanism.declaration.channel
    if channel is None:
        return _drawn(counts, mechanism, rng)[:, words]
    used = np.flatnonzero(counts.sum(axis=0))
    columns = counts.tocsc()
    out = np.zeros((counts.shape[0], len(words)), dtype=np.float32)
    for start in range(0, len(used), BLOCK):
        ids = used[start : start + BLOCK]
        out += columns[:, ids] @ channel(ids)[:, words].astype(np.float32)
    return out


def _drawn(counts: Any, mechanism: Mechanism, rng: Generator) -> Any:
    """Every word of every row released several times: (rows, V), sparse."""
    from scipy.sparse import coo_array

    found = counts.tocoo()
    times = np.maximum(1, found.data.astype(np.int64))
    rows = np.tile(np.repeat(found.coords[0], times), DRAWS)
    ids = np.tile(np.repeat(found.coords[1], times), DRAWS)
    released = mechanism.release(ids, rng)
    data = np.full(len(rows), 1 / DRAWS)
    return coo_array((data, (rows, released)), shape=counts.shape).tocsr()


def chances(counts: Any, totals: Floats, background: float = BACKGROUND) -> Floats:
    """ln q of some words for every author: (authors, words); `totals` are of all words.

    An author's own words, and as many as `background` of everybody's: who has said little is
    taken to speak as all do. A word that nobody has is as likely as half of one.
    """
    own = counts.toarray() if hasattr(counts, "toarray") else np.asarray(counts)
    everybody = (own.sum(axis=0) + 0.5) / (totals.sum() + 0.5 * own.shape[1])
    mixed = own + background * everybody.astype(own.dtype)
    mixed /= (totals + background).astype(own.dtype)[:, None]
    return np.asarray(np.log(mixed, out=mixed))


def by_documents(
    law: Law, codes: Ids, folds: Sequence[Fold], draws: int
) -> NDArray[np.float32] | None:
    """ln of the mean chance of a release over an author's training texts; None without a law.

    For each power, (POWERS, draws, n, authors), NaN for texts that are not tested. With the power 1
    it is Bayes over the training texts, as if an author wrote no others. A smaller power allows
    for texts that are similar to these: it is as if the mechanism added more noise.
    """
    from scipy.special import logsumexp

    n, authors = len(codes), int(codes.max()) + 1
    found = np.full((len(POWERS), draws, n, authors), np.nan, dtype=np.float32)
    for fold in folds:
        found[:, :, fold.test] = -np.inf
    pieces = -(-draws * n * n // TOGETHER)
    for places in np.array_split(np.argsort(codes, kind="stable"), min(n, pieces)):
        logs = law(places)
        if logs is None:
            return None
        logs = logs.reshape(draws, n, len(places))
        for fold in folds:
            taught, tested = np.isin(places, fold.train), logs[:, fold.test]
            for author in np.unique(codes[places[taught]]):
                own = tested[:, :, taught & (codes[places] == author)]
                for power, way in zip(POWERS, found, strict=True):
                    total = way[:, fold.test, author]
                    total = np.logaddexp(total, logsumexp(power * own, axis=2))
                    way[:, fold.test, author] = total
    for fold in folds:
        texts = np.bincount(codes[fold.train], minlength=authors)
        found[:, :, fold.test] -= np.log(np.maximum(texts, 1)).astype(np.float32)
    unknown = np.isneginf(found)  # authors without training texts come last
    found[unknown] = np.nanmin(found[~unknown])
    return found
