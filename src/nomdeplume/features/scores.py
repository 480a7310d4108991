"""How much the presence of a word in a text says about its topic, for all words at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Score = Callable[[Floats, Floats], Floats]

BLOCK = 1 << 12  # words looked at together: bounds the memory of a table with many topics


def chi2(present: Floats, texts: Floats) -> Floats:
    """Pearson's χ² of (word there or not) × (topic), a number for each word.

    Σ (O − E)²/E over both rows of the 2 × topics table. O − E is the same in size in both,
    so one row is enough: Σ (O − E)² / (texts·p·(1 − p)), p the share of texts with the word.
    """
    n, found = texts.sum(), present.sum(axis=0)
    p = found / n  # (words,)
    due = texts[:, None] * p  # (topics, words)
    spread = np.where((p > 0) & (p < 1), p * (1 - p), np.inf)  # a word that is everywhere: 0
    return np.asarray((((present - due) ** 2) / texts[:, None]).sum(axis=0) / spread)


def mutual_information(present: Floats, texts: Floats) -> Floats:
    """Mutual information of (word there or not) and topic in nats: χ² that trusts rare words less.

    Σ P(w, t)·ln(P(w, t) / (P(w)·P(t))) over both rows of the 2 × topics table, 0·ln 0 = 0.
    """
    n = texts.sum()
    p, topic = present.sum(axis=0) / n, texts[:, None] / n
    rows = ((present / n, p), (topic - present / n, 1 - p))
    return np.asarray(sum(_divergence(joint, topic * share) for joint, share in rows))


def _divergence(joint: Floats, product: Floats) -> Floats:
    there = joint > 0
    ratio = np.divide(joint, product, out=np.ones_like(joint), where=there)
    return np.asarray((joint * np.log(ratio)).sum(axis=0))


METHODS: Mapping[str, Score] = {"chi2": chi2, "mutual-information": mutual_information}


def ranked(present: Any, texts: Floats, method: str) -> tuple[Ids, Floats]:
    """Words that occur, best first, and the score of every word.

    `present` counts, sparsely, the texts of each topic that hold each word: (topics, words).
    Scores are compared in float32, so that rounding settles no tie: those go by id.
    """
    score, columns = METHODS[method], present.tocsc()
    starts = range(0, columns.shape[1], BLOCK)
    blocks = (columns[:, i : i + BLOCK].toarray().astype(np.float64) for i in starts)
    scores = np.concatenate([score(block, texts) for block in blocks])
    occurs = np.flatnonzero(np.diff(columns.indptr))
    order = np.argsort(-scores[occurs].astype(np.float32), kind="stable")
    return occurs[order].astype(np.int64), scores
