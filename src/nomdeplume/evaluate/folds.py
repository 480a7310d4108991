"""Folds: which texts teach, and which are tested by what these taught."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.evaluate.labelled import Labelled

Ids = NDArray[np.int64]

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """Places of the texts that teach and of those that are tested; no text is both."""

    train: Ids
    test: Ids


def folds(corpus: Labelled, number: int = FOLDS, seed: int = 0) -> tuple[Fold, ...]:
    """As given, by whole groups, or stratified: each class spread evenly over the parts.

    They are public: who attacks may split texts as he likes, so `seed` hides nothing.
    """
    if number < 2:
        raise InputError(f"folds must be at least 2, got {number}.")
    if corpus.test is not None:
        return (Fold(np.flatnonzero(~corpus.test), np.flatnonzero(corpus.test)),)
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    codes = corpus.classes.codes
    if corpus.group is None:
        number = min(number, int(corpus.classes.counts.min()))
        parts = StratifiedKFold(number, shuffle=True, random_state=seed)
        return tuple(Fold(*part) for part in parts.split(codes, codes))
    number = min(number, len(corpus.group.names))
    grouped = StratifiedGroupKFold(number, shuffle=True, random_state=seed)
    found = [Fold(*part) for part in grouped.split(codes, codes, corpus.group.codes)]
    return tuple(fold for fold in found if len(fold.test) and len(fold.train))


def told(corpus: Labelled, number: int, field: str = "") -> str:
    """How texts were split, in words."""
    if corpus.test is not None:
        return f"as given in field {field!r}"
    if corpus.group is not None:
        return f"{number} folds by field {field!r}: those tested are of an unseen one"
    return f"{number} folds, each {'author' if corpus.author is not None else 'topic'} in all"
