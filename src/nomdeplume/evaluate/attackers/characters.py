"""Attackers by runs of signs (character n-grams): the strongest plain features of authorship."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_expit, logsumexp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union

from nomdeplume.evaluate.attackers.attacker import Floats, Margins
from nomdeplume.evaluate.attackers.runs import Characters, Pieces

MOST = 100_000  # features of a kind


def char_svm(*, strength: float = 5.0) -> Pipeline:
    """Runs of signs and of words in a linear support vector machine, one author against the rest.

    Case is kept. Words and marks, and pairs of them, add what spans more than four signs.
    """
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=strength, tol=1e-2, random_state=0)
    return make_pipeline(_both(), Margins(machine))


def char_logistic(*, strength: float = 30.0) -> Pipeline:
    """Runs of signs in a logistic regression, one author against the rest: log-probabilities."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    machine = LogisticRegression(
        C=strength, solver="liblinear", dual=True, tol=1e-2, random_state=0
    )
    return make_pipeline(
        *_weighed(Characters(most=30_000)), LogChances(OneVsRestClassifier(machine))
    )


class LogChances(Margins):
    """The margins of logistic regressions, each one against the rest, as ln P(author | text)."""

    def decision_function(self, rows: Any) -> Floats:
        told = log_expit(super().decision_function(rows))
        return np.asarray(told - logsumexp(told, axis=1, keepdims=True))


def _both() -> FeatureUnion:
    return make_union(
        make_pipeline(*_weighed(Characters(most=MOST))), make_pipeline(*_weighed(Pieces(most=MOST)))
    )


def _weighed(runs: Characters | Pieces) -> tuple[Any, TfidfTransformer]:
    """Counts as 1 + ln count, by how few texts have the run, each text to length 1."""
    return runs, TfidfTransformer(sublinear_tf=True)
