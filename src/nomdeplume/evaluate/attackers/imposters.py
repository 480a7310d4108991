"""The imposters method of Koppel and others: who stays the most similar, whatever is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer

from nomdeplume.evaluate.attackers.attacker import Attacker, Floats
from nomdeplume.evaluate.attackers.runs import Characters

DEALT = 64  # hands that the features are dealt into
BLOCK = 128  # texts compared at a time


class Imposters(Attacker):
    """In each of many rounds a random `share` of the features is looked at, and one author wins.

    An author who is similar by topic wins when the topic's features are in; the one who wins
    in most rounds is similar in most ways. The score is the logarithm of the smoothed share of
    rounds won; between equal ones decides the mean similarity, whose weight is below any step.

    Features are dealt into hands once, and a round takes a random choice of hands. Dot products
    and squared lengths are sums over hands, so all rounds together cost one product of
    texts with authors, not one each.
    """

    def __init__(
        self,
        rounds: int = 100,
        share: float = 0.5,
        *,
        length: int = 4,
        most: int = 50_000,
        random_state: int = 0,
    ) -> None:
        self.rounds = rounds
        self.share = share
        self.length = length
        self.most = most
        self.random_state = random_state

    def fit(self, texts: Sequence[str], authors: Sequence[Any]) -> Self:
        author = self._met(authors)
        self.runs_ = Characters(self.length, self.length, most=self.most)
        self.weights_ = TfidfTransformer(sublinear_tf=True)
        rows = csr_array(self.weights_.fit_transform(self.runs_.fit_transform(texts)))
        members = csr_array((np.ones(len(author)), (author, np.arange(len(author)))))
        rng = np.random.default_rng(self.random_state)
        hand = rng.permutation(np.arange(rows.shape[1]) % DEALT)
        self.hands_ = [np.flatnonzero(hand == number) for number in range(DEALT)]
        profiles = (members @ rows).tocsc()
        self.profiles_ = [profiles[:, each].T.toarray() for each in self.hands_]  # (features, A)
        self.rounds_ = self._drawn(rng)
        return self

    def decision_function(self, texts: Sequence[str]) -> Floats:  # (n, authors)
        rows = self._weighed(texts)
        starts = range(0, rows.shape[0], BLOCK)
        blocks = [self._scores(rows[start : start + BLOCK].tocsc()) for start in starts]
        return np.concatenate([np.empty((0, len(self.classes_))), *blocks])

    def _weighed(self, texts: Sequence[str]) -> Any:  # (n, features)
        return csr_array(self.weights_.transform(self.runs_.transform(texts)))

    def _scores(self, rows: Any) -> Floats:
        alike = self._similarities(rows)  # (n, A, rounds)
        best = alike == alike.max(axis=1, keepdims=True)
        won = (best / best.sum(axis=1, keepdims=True)).sum(axis=2)
        smoothed = np.log((won + 0.5) / (self.rounds + len(self.classes_) / 2))
        return np.asarray(smoothed + alike.mean(axis=2) / (self.rounds + 1))

    def _similarities(self, rows: Any) -> Floats:
        """Cosines of texts and profiles by what each round looks at; 0 where that is nothing."""
        mine = [rows[:, each] for each in self.hands_]
        pairs = zip(mine, self.profiles_, strict=True)
        dots = np.stack([part @ profile for part, profile in pairs], axis=-1)  # (n, A, hands)
        squares = np.stack([(part * part).sum(axis=1) for part in mine], axis=-1) @ self.rounds_
        theirs = np.stack([(each**2).sum(axis=0) for each in self.profiles_], axis=-1)
        lengths = np.sqrt(squares[:, None] * (theirs @ self.rounds_))  # (n, A, rounds)
        dots = dots @ self.rounds_
        return np.asarray(np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 1e-12))

    def _drawn(self, rng: np.random.Generator) -> Floats:  # (hands, rounds)
        """Which hands each round looks at: the same number in each, at least one."""
        taken = max(round(self.share * DEALT), 1)
        order = rng.random((DEALT, self.rounds)).argsort(axis=0).argsort(axis=0)
        return (order < taken).astype(np.float64)
