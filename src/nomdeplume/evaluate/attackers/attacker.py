"""What every attacker is: a scikit-learn classifier of texts with a score for each author."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from nomdeplume.errors import InputError

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

LIBLINEAR = Lock()  # it draws from one generator for all threads, which each fit seeds anew


class Attacker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Tells the author with the largest score.

    Scores are log-likelihoods or margins: those of several texts of one author can be added.
    """

    classes_: NDArray[Any]

    def decision_function(self, texts: Sequence[str]) -> Floats:  # (n, authors)
        raise NotImplementedError

    def predict(self, texts: Sequence[str]) -> NDArray[Any]:
        return np.asarray(self.classes_[self.decision_function(texts).argmax(axis=1)])

    def _met(self, authors: Sequence[Any]) -> Ids:
        """Which of `classes_` each text is by; sets `classes_`."""
        self.classes_, author = np.unique(np.asarray(authors), return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"an attacker must tell at least 2 authors apart, got {len(self.classes_)}."
            )
        return np.asarray(author, dtype=np.int64)


class Margins(Attacker):
    """A linear classifier of rows, with a column for each author even where there are two.

    scikit-learn gives one column for two classes, the margin of the second against the first.
    """

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, rows: Any, authors: Sequence[Any]) -> Self:
        self._met(authors)
        with LIBLINEAR:
            self.classifier_ = clone(self.classifier).fit(rows, authors)
        return self

    def decision_function(self, rows: Any) -> Floats:
        told = np.asarray(self.classifier_.decision_function(rows), dtype=np.float64)
        return told if told.ndim == 2 else np.column_stack([-told, told])


def means(rows: Floats, author: Ids) -> Floats:  # (authors, columns)
    """The mean row of each author."""
    texts = np.bincount(author)
    members = np.zeros((len(texts), len(rows)))
    members[author, np.arange(len(rows))] = 1 / texts[author]
    return members @ rows


def said(model: Any, texts: Sequence[str]) -> Floats:
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


class Brought(Attacker):
    """Somebody's own classifier of texts, whose errors could quote them: they are kept back."""

    def __init__(self, name: str, classifier: Any) -> None:
        self.name = name
        self.classifier = classifier

    def fit(self, texts: Sequence[str], authors: Sequence[Any]) -> Self:
        self._met(authors)
        try:
            self.classifier.fit(texts, authors)
        except Exception as error:
            raise self._failed(error) from None
        return self

    def decision_function(self, texts: Sequence[str]) -> Floats:  # (n, authors)
        try:
            return said(self.classifier, texts)
        except InputError:
            raise
        except Exception as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> InputError:
        return InputError(
            f"attacker {self.name:.60} failed with {type(error).__name__}; it must be a "
            "scikit-learn classifier of a list of strings."
        )
