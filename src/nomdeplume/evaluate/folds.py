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
        given = Fold(np.flatnonzero(~corpus.test), np.flatnonzero(corpus.test))
        return _taught((given,), corpus)
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    codes, least = corpus.classes.codes, int(corpus.classes.counts.min())
    if corpus.group is None:
        parts = StratifiedKFold(min(number, least), shuffle=True, random_state=seed)
        return tuple(Fold(*part) for part in parts.split(codes, codes))
    number = min(number, least, len(corpus.group.names))
    grouped = StratifiedGroupKFold(number, shuffle=True, random_state=seed)
    found = [Fold(*part) for part in grouped.split(codes, codes, corpus.group.codes)]
    return _taught(tuple(fold for fold in found if len(fold.test)), corpus)


def _taught(found: tuple[Fold, ...], corpus: Labelled) -> tuple[Fold, ...]:
    """The folds, if in each there are at least two of a kind to learn."""
    for labels in (corpus.author, corpus.topic):
        for fold in found:
            if labels is not None and len(np.unique(labels.codes[fold.train])) < 2:
                raise InputError(
                    "in some fold all texts to learn from have one author or one topic; take "
                    "more --folds, or another --group-field or --split-field."
                )
    return found


def told(corpus: Labelled, number: int, field: str = "") -> str:
    """How texts were split, in words."""
    if corpus.test is not None:
        return f"as given in field {field!r}"
    if corpus.group is not None:
        return f"{number} folds by field {field!r}: those tested are of an unseen one"
    return f"{number} folds, each {'author' if corpus.author is not None else 'topic'} in all"
