"""What the words of a text mean on average: its mean vector, and linear discriminants on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline

from nomdeplume.evaluate.attackers.discriminant import Discriminant
from nomdeplume.evaluate.reader import Reader

Floats = NDArray[np.float64]


class MeanVectors(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts to the means of the vectors of their kept words."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def fit(self, texts: Sequence[str], authors: Any = None) -> Self:  # noqa: ARG002
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, texts: Sequence[str]) -> Floats:
        return self.reader.means(texts)


def mean_vectors(reader: Reader) -> Any:
    """Mean vectors and linear discriminants."""
    return make_pipeline(MeanVectors(reader), Discriminant())
