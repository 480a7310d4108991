"""Scores of all texts for all labels, each by a model that never saw the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers.attacker import said
from nomdeplume.evaluate.folds import Fold
from nomdeplume.threads import cores, each

Ids = NDArray[np.int64]
Scores = NDArray[np.float32]  # (draws, n, labels); larger is likelier

BEHIND = 10  # deviations by which a label that a model was not taught comes last


def fitted(
    make: Callable[[], Any], folds: Sequence[Fold], draws: Sequence[Sequence[str]], codes: Ids
) -> list[Any]:
    """A model for each fold, taught by its training texts, all draws of them."""
    labels = [np.tile(codes[fold.train], len(draws)) for fold in folds]
    texts = [[draw[i] for draw in draws for i in fold.train] for fold in folds]
    return each(lambda i: make().fit(texts[i], labels[i]), range(len(folds)), cores())


def scored(
    models: Sequence[Any], folds: Sequence[Fold], draws: Sequence[Sequence[str]], labels: int
) -> Scores:
    """What the model of each fold says of its test texts; texts that no fold tests get NaN."""
    found = np.full((len(draws), len(draws[0]), labels), np.nan, dtype=np.float32)
    for model, fold in zip(models, folds, strict=True):
        for rows, texts in zip(found, draws, strict=True):
            rows[fold.test] = of_all(model, [texts[i] for i in fold.test], labels)
    return found


def of_all(model: Any, texts: Sequence[str], labels: int) -> Scores:
    """A score for every label, from whatever a scikit-learn classifier can say."""
    told = said(model, texts)
    last = told.min(axis=1, keepdims=True) - BEHIND * (told.std(axis=1, keepdims=True) + 1e-6)
    rows = np.repeat(last, labels, axis=1)
    rows[:, np.asarray(model.classes_, dtype=np.int64)] = told
    return rows.astype(np.float32)
