"""An attacker by style alone: lengths, punctuation, function words, richness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from nomdeplume.evaluate.attackers.attacker import Attacker, Floats
from nomdeplume.evaluate.attackers.discriminant import Discriminant
from nomdeplume.evaluate.families import stylistic

FAR = 5.0  # deviations beyond which a measure tells no more


class Stylometric(Attacker):
    """Measures of style, standardised, and linear discriminants on them."""

    def fit(self, texts: Sequence[str], authors: Sequence[Any]) -> Self:
        self._met(authors)
        rows = measured(texts)
        self.mean_, deviation = rows.mean(axis=0), rows.std(axis=0)
        self.scale_ = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 1e-9)
        self.discriminant_ = Discriminant().fit(self._standard(rows), authors)
        return self

    def decision_function(self, texts: Sequence[str]) -> Floats:  # (n, authors)
        return self.discriminant_.decision_function(self._standard(measured(texts)))

    def _standard(self, rows: Floats) -> Floats:
        return np.asarray(((rows - self.mean_) * self.scale_).clip(-FAR, FAR))


def measured(texts: Sequence[str]) -> Floats:
    """The stylistic measures of texts, a row each; shares by their roots, lengths by logarithm.

    Both make the spread of a measure depend less on its size.
    """
    measures = [list(stylistic(text).values()) for text in texts]
    rows = np.array(measures).reshape(len(texts), len(stylistic("")))
    return np.asarray(np.where(rows <= 1, np.sqrt(rows.clip(min=0)), 1 + np.log(rows.clip(min=1))))
