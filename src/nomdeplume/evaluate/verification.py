"""Same author or not? How well two texts are told to be by one hand, authors unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers.vectors import mean_vectors
from nomdeplume.evaluate.attackers.words import counted
from nomdeplume.evaluate.figures import figure
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.results import Verification

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

PAIRS = 2000  # of each kind, in a fold, at most


def verification(
    taught: Sequence[Sequence[str]],  # draws of texts to learn from
    tested: Sequence[Sequence[str]],  # draws of texts to compare
    codes: Ids,
    folds: Sequence[Fold],
    reader: Reader,
) -> Verification | None:
    """The better of two measures: by words, and by vectors in directions that part authors.

    Pairs are of tested texts, half of them by one author; both texts are of one draw.
    """
    rng = np.random.default_rng(0)
    found: list[Floats] = []  # (folds) of (draws, measures, 2)
    for fold in folds:
        pairs, same = _pairs(fold.test, codes, rng)
        if not len(same):
            return None
        texts = [draw[i] for draw in taught for i in fold.train]
        measures = _measures(texts, np.tile(codes[fold.train], len(taught)), reader)
        rows = [
            [_judged(_alike(rows, draw, pairs), same, rng) for rows in measures] for draw in tested
        ]
        found.append(np.array(rows))
    values = np.stack(found, axis=1)  # (draws, folds, measures, 2)
    best = int(values[..., 0].mean(axis=(0, 1)).argmax())
    count = sum(len(fold.test) for fold in folds) / 2  # pairs share texts: no more are apart
    return Verification(*(figure(values[:, :, best, i], count=count) for i in (0, 1)))


def _pairs(test: Ids, codes: Ids, rng: Generator) -> tuple[Ids, NDArray[np.bool_]]:
    """Pairs of tested texts, by one author and by two, as many of each; none where there are none.

    All pairs of an author are few. Of the others there are too many to list; some are drawn.
    """
    labels = codes[test]
    alike = [np.argwhere(labels == label).ravel() for label in np.unique(labels)]
    listed = [mine[np.stack(np.triu_indices(len(mine), k=1), axis=1)] for mine in alike]
    own = np.concatenate(listed)
    drawn = rng.integers(0, len(test), (4 * PAIRS, 2))
    apart = drawn[labels[drawn[:, 0]] != labels[drawn[:, 1]]]
    number = min(PAIRS, len(own), len(apart))
    chosen = np.concatenate([rng.permutation(own)[:number], apart[:number]])
    return test[chosen], np.repeat([True, False], number)


def _measures(texts: Sequence[str], labels: Ids, reader: Reader) -> list[Any]:
    """Models that make rows of texts, whose angles say how alike they are."""
    return [counted().fit(texts), mean_vectors(reader).fit(texts, labels)]


def _alike(measure: Any, texts: Sequence[str], pairs: Ids) -> Floats:
    """Likeness of the two texts of each pair: the cosine of their rows."""
    places, at = np.unique(pairs, return_inverse=True)
    rows = measure.transform([texts[i] for i in places])
    one, other = (rows[at.reshape(pairs.shape)[:, side]] for side in (0, 1))
    if hasattr(rows, "toarray"):  # sparse, and of length 1 already
        return np.asarray(one.multiply(other).sum(axis=1)).ravel()
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray((one * other).sum(axis=1) / np.maximum(lengths, 1e-12))


def _judged(told: Floats, same: NDArray[np.bool_], rng: Generator) -> list[float]:
    """Area and c@1 of likenesses; where to draw the line is learnt on the other half of pairs."""
    from sklearn.metrics import roc_auc_score

    half = rng.permutation(len(told)) % 2 == 0
    marks = [c_at_1(told[a], same[a], *_line(told[~a], same[~a])) for a in (half, ~half)]
    return [float(roc_auc_score(same, told)), float(np.mean(marks))]


def c_at_1(told: Floats, same: NDArray[np.bool_], low: float, high: float) -> float:
    """Pairs above `high` are said to be of one author, below `low` not, others are left open.

    (right + open·right/n)/n: an open answer counts as right as the answers that were given are.
    """
    right = float((same & (told > high)).sum() + (~same & (told < low)).sum())
    left_open = float(((told >= low) & (told <= high)).sum())
    return (right + left_open * right / len(told)) / len(told)


def _line(told: Floats, same: NDArray[np.bool_]) -> tuple[float, float]:
    """The line, or two lines with what is left open between, that are best for these pairs."""
    marks = np.quantile(told, np.linspace(0.02, 0.98, 25))
    lines = [(low, high) for i, low in enumerate(marks) for high in marks[i : i + 8]]
    return max(lines, key=lambda each: c_at_1(told, same, *each))
