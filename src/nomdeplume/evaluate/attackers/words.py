"""Words as an attacker counts them: tf-idf and a linear machine, the workhorse of the field."""

from __future__ import annotations

from typing import Any

from nomdeplume.evaluate.attackers.attacker import Margins

PATTERN = r"[^\W_]+(?:['’][^\W_]+)*"  # runs of letters and digits, contractions in one piece


def counted(**options: Any) -> Any:
    """tf-idf of words, damped: a word that comes ten times does not count ten times."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(token_pattern=PATTERN, sublinear_tf=True, **options)


def word_svm() -> Any:
    """tf-idf of words and a linear support vector machine."""
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    return make_pipeline(counted(), Margins(LinearSVC(C=1.0, random_state=0)))
