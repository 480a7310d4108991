"""What tests bring along for workers of an engine, which find it here by its name."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from nomdeplume import NoisyNearest
from tests.waiting import until


def plain():
    """An attacker who counts words."""
    return make_pipeline(CountVectorizer(), MultinomialNB())


@dataclass
class Waits(ClassifierMixin, BaseEstimator):
    """The same; he says which process he is in, and waits until he is told to go on."""

    folder: str

    def fit(self, texts, authors):
        (Path(self.folder) / f"{os.getpid()}").touch()
        until((Path(self.folder) / "go").exists)
        self.inside_ = plain().fit(texts, authors)
        self.classes_ = self.inside_.classes_
        return self

    def predict_proba(self, texts):
        return self.inside_.predict_proba(texts)


class Fails(ClassifierMixin, BaseEstimator):
    """An attacker whose errors quote texts."""

    def fit(self, texts, authors):
        raise ValueError(texts[0])


@dataclass(frozen=True, eq=False)
class Holds(NoisyNearest):
    """A mechanism with a generator of its own."""

    rng: Any = None


def same(words):
    """A mechanism that is none."""
    return words


def fails(words):
    raise KeyError(words[0])
