"""Topic models on words and vectors: accuracy before and after a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers.vectors import mean_vectors
from nomdeplume.evaluate.attackers.words import word_svm
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import Identification
from nomdeplume.evaluate.labelled import Labels
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.results import Topic, TopicModel
from nomdeplume.evaluate.scores import fitted, scored

Ids = NDArray[np.int64]
Draws = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Topics:
    """Linear models of topics on words and on mean vectors, taught once per fold."""

    labels: Labels
    folds: Sequence[Fold]
    words: Sequence[Any]  # a model for each fold
    vectors: Sequence[Any]

    @classmethod
    def taught(cls, draws: Draws, labels: Labels, folds: Sequence[Fold], reader: Reader) -> Topics:
        words = fitted(word_svm, folds, draws, labels.codes)
        vectors = fitted(lambda: mean_vectors(reader), folds, draws, labels.codes)
        return cls(labels, folds, words, vectors)

    def told(self, draws: Draws) -> Topic:
        """Figures of both models on the tested texts."""
        return Topic(self._told(self.words, draws), self._told(self.vectors, draws))

    def _told(self, models: Sequence[Any], draws: Draws) -> TopicModel:
        scores = scored(models, self.folds, draws, len(self.labels.names))
        found = Identification(scores, self.labels.codes, self.folds)
        return TopicModel(found.share(), found.macro_f1())
