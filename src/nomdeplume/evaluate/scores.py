"""Scores of all texts for all labels, each by a model that never saw the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.evaluate.folds import Fold
from nomdeplume.threads import cores, each

Ids = NDArray[np.int64]
Scores = NDArray[np.float32]  # (draws, n, labels); larger is likelier

NEVER = -1e6  # of a label that a model was not taught


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
    rows = np.full((len(texts), labels), NEVER, dtype=np.float32)
    rows[:, np.asarray(model.classes_, dtype=np.int64)] = _said(model, texts)
    return rows


def _said(model: Any, texts: Sequence[str]) -> NDArray[np.float64]:
    """Margins, else the logarithms of chances, else one for the label that it names."""
    if hasattr(model, "decision_function"):
        told = np.asarray(model.decision_function(texts), dtype=np.float64)
        told = told if told.ndim == 2 else np.column_stack([-told, told])
    elif hasattr(model, "predict_proba"):
        told = np.log(np.maximum(np.asarray(model.predict_proba(texts)), 1e-12))
    else:
        told = (np.asarray(model.predict(texts))[:, None] == model.classes_).astype(np.float64)
    if told.shape != (len(texts), len(model.classes_)) or not np.isfinite(told).all():
        raise InputError(
            f"an attacker must give {len(model.classes_)} finite scores for each text, "
            f"got an array of shape {told.shape}."
        )
    return told
