"""What is it about? How well topics are told, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers.vectors import mean_vectors
from nomdeplume.evaluate.attackers.words import word_svm
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import Identification
from nomdeplume.evaluate.labelled import Labels
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.scores import fitted, scored

Ids = NDArray[np.int64]
Draws = Sequence[Sequence[str]]

MODELS = ("words", "vectors")


@dataclass(frozen=True)
class Told:
    """How well topics are told by one model."""

    accuracy: Figure
    macro_f1: Figure

    def facts(self) -> dict[str, Any]:
        return {"accuracy": self.accuracy.facts(), "macro_f1": self.macro_f1.facts()}


@dataclass(frozen=True, eq=False)
class Topics:
    """Linear models of topics on words and on mean vectors, taught once per fold."""

    labels: Labels
    folds: Sequence[Fold]
    models: Mapping[str, Sequence[Any]]  # by name, one a fold

    @classmethod
    def taught(cls, draws: Draws, labels: Labels, folds: Sequence[Fold], reader: Reader) -> Topics:
        makes: dict[str, Callable[[], Any]] = {
            "words": word_svm,
            "vectors": lambda: mean_vectors(reader),
        }
        models = {name: fitted(makes[name], folds, draws, labels.codes) for name in MODELS}
        return cls(labels, folds, models)

    def told(self, draws: Draws) -> dict[str, Any]:
        """How well each model tells the topics of the tested texts."""
        return {name: self._told(models, draws).facts() for name, models in self.models.items()}

    def _told(self, models: Sequence[Any], draws: Draws) -> Told:
        scores = scored(models, self.folds, draws, len(self.labels.names))
        found = Identification(scores, self.labels.codes, self.folds)
        return Told(found.share(), found.macro_f1())
