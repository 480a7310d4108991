"""Linear discriminants: rows of an author are normal around his mean, alike for all authors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.covariance import ledoit_wolf

from nomdeplume.evaluate.attackers.attacker import Attacker, Floats, means

RIDGE = 1e-3  # of a typical variance, added to all, so that the covariance can be inverted


class Discriminant(Attacker):
    """Scores are log-probabilities of authors given a row.

    The covariance within authors is one for all, shrunk as Ledoit and Wolf do: there may be
    more columns than rows. An author with a single row has a mean, and that is enough.
    """

    def fit(self, rows: Floats, authors: Sequence[Any]) -> Self:
        author = self._met(authors)
        of_authors = means(rows, author)
        within, _ = ledoit_wolf(rows - of_authors[author], assume_centered=True)
        within += (RIDGE * np.trace(within) / len(within) + 1e-12) * np.eye(len(within))
        self.slopes_ = np.linalg.solve(within, of_authors.T)  # (columns, authors)
        texts = np.bincount(author)
        self.offsets_ = np.log(texts / len(author)) - (of_authors.T * self.slopes_).sum(axis=0) / 2
        self.white_ = np.linalg.inv(np.linalg.cholesky(within)).T
        self.centre_ = rows.mean(axis=0)
        told = (of_authors - self.centre_) @ self.white_ * np.sqrt(texts)[:, None]
        self.directions_ = np.linalg.svd(told, full_matrices=False)[2][: len(texts) - 1].T
        return self

    def decision_function(self, rows: Any) -> Floats:  # (n, authors)
        return np.asarray(log_softmax(rows @ self.slopes_ + self.offsets_, axis=1))

    def transform(self, rows: Floats) -> Floats:
        """Rows in the directions that part authors, in units of how rows of one author vary."""
        return np.asarray((rows - self.centre_) @ self.white_ @ self.directions_)
