"""Same author or not? How well two texts are told to be by one hand, authors unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers.vectors import mean_vectors
from nomdeplume.evaluate.attackers.words import counted
from nomdeplume.evaluate.figures import Figure, figure
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.reader import Reader

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

PAIRS = 2000  # of each kind, in a fold, at most


@dataclass(frozen=True)
class Verification:
    """The area under the curve, and c@1, which rewards leaving doubtful pairs open."""

    auc: Figure
    c_at_1: Figure


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
        if not (same.any() and (~same).any()):
            return None
        texts, labels = [t[i] for t in taught for i in fold.train], codes[fold.train]
        measures = _measures(texts, np.tile(labels, len(taught)), reader)
        rows = [
            [_judged(m(draw, fold.test), pairs, same, rng) for m in measures] for draw in tested
        ]
        found.append(np.array(rows))
    values = np.stack(found, axis=1)  # (draws, folds, measures, 2)
    best = int(values[..., 0].mean(axis=(0, 1)).argmax())
    return Verification(*(figure(values[:, :, best, i], count=PAIRS) for i in (0, 1)))


def _pairs(test: Ids, codes: Ids, rng: Generator) -> tuple[Ids, NDArray[np.bool_]]:
    """Pairs of places among the tested texts, and which are by one author; as many of each."""
    labels = codes[test]
    one, two = np.triu_indices(len(test), k=1)
    alike = labels[one] == labels[two]
    number = min(PAIRS, int(alike.sum()), int((~alike).sum()))
    chosen = [rng.choice(np.flatnonzero(each), number, replace=False) for each in (alike, ~alike)]
    at = np.concatenate(chosen)
    return np.stack([one[at], two[at]], axis=1), np.repeat([True, False], number)


def _measures(texts: Sequence[str], labels: Ids, reader: Reader) -> list[_Measure]:
    vectors = mean_vectors(reader).fit(texts, labels)
    return [_Measure(counted().fit(texts)), _Measure(vectors)]


@dataclass(frozen=True)
class _Measure:
    """Texts as rows whose angles say how alike they are."""

    rows: object

    def __call__(self, texts: Sequence[str], test: Ids) -> Floats:
        found = self.rows.transform([texts[i] for i in test])  # type: ignore[attr-defined]
        if hasattr(found, "toarray"):
            return np.asarray((found @ found.T).toarray(), dtype=np.float64)
        unit = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        return np.asarray(unit @ unit.T, dtype=np.float64)


def _judged(alike: Floats, pairs: Ids, same: NDArray[np.bool_], rng: Generator) -> list[float]:
    """Area and c@1 of likenesses; where to draw the line is learnt on the other half of pairs."""
    from sklearn.metrics import roc_auc_score

    told = alike[pairs[:, 0], pairs[:, 1]]
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
