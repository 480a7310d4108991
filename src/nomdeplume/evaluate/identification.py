"""Identification of authors: how often an attacker is right, from one text or from several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.evaluate.figures import Figure, figure, proportion
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.scores import Scores

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

DOCUMENTS = (1, 5, 20)  # of one author, that an attacker has
RESAMPLED = 100  # times that texts are drawn anew to see how a figure varies
SHUFFLES = 10  # ways in which an author's texts are put together


@dataclass(frozen=True, eq=False)
class Identification:
    """Figures of the scores of all texts for all labels."""

    scores: Scores  # (draws, n, labels), NaN for texts that are not tested
    codes: Ids  # (n,) true labels
    folds: Sequence[Fold]

    @property
    def tested(self) -> Ids:
        """Places of the texts that some fold tests."""
        return np.sort(np.concatenate([fold.test for fold in self.folds]))

    @property
    def told(self) -> Ids:
        """The label told of each tested text: (draws, tested)."""
        return np.asarray(self.scores[:, self.tested].argmax(axis=2))

    def accuracy(self, documents: int = 1) -> Figure | None:
        """Share told right, given so many texts of one author; None if no two have so many."""
        return self.share() if documents == 1 else self._together(documents)

    def share(self) -> Figure:
        """Share of single texts told right; folds are the units."""
        hits = np.zeros(self.scores.shape[:2])
        hits[:, self.tested] = self.told == self.codes[self.tested]
        by_fold = np.stack([hits[:, fold.test].mean(axis=1) for fold in self.folds], axis=1)
        sizes = np.array([len(fold.test) for fold in self.folds], dtype=np.float64)
        return figure(by_fold, sizes, count=len(self.tested))

    def _together(self, documents: int) -> Figure | None:
        """Texts of one author are shuffled, put together, and their scores added.

        Every text is scored by a model that never saw it, and the texts put together may lie
        in several folds. Authors, who vary more than folds, are the units.
        """
        rng = np.random.default_rng(0)
        shares, groups = [], []
        for label in range(self.scores.shape[2]):
            mine = self.tested[self.codes[self.tested] == label]
            whole = len(mine) // documents * documents
            if not whole:
                continue
            order = np.stack([rng.permutation(mine)[:whole] for _ in range(SHUFFLES)])
            sets = order.reshape(-1, documents)
            added = self.scores[:, sets].sum(axis=2, dtype=np.float64)  # (draws, sets, labels)
            shares.append((added.argmax(axis=2) == label).mean(axis=1))
            groups.append(whole // documents)
        if len(shares) < 2:
            return None
        sizes = np.array(groups, dtype=np.float64)
        return figure(np.stack(shares, axis=1), sizes, count=float(sizes.sum()))

    def macro_f1(self) -> Figure:
        """F1 of each label that is tested, averaged over labels; all folds together.

        It is no share of texts: how it varies is seen by drawing the texts of every label anew.
        """
        true, told = self.codes[self.tested], self.told
        values = np.array([[macro_f1(true, each)] for each in told])
        rng, again = np.random.default_rng(0), []
        for _ in range(RESAMPLED):
            at = _redrawn(true, rng)
            again.append(np.mean([macro_f1(true[at], each[at]) for each in told]))
        return figure(values, least=float(np.var(again, ddof=1)))

    def confusion(self) -> Floats:
        """Row by true label, column by told label; a row adds up to one, or to zero if untested."""
        labels = self.scores.shape[2]
        true = np.broadcast_to(self.codes[self.tested], self.told.shape)
        flat = np.bincount((true * labels + self.told).ravel(), minlength=labels * labels)
        counts = flat.reshape(labels, labels).astype(np.float64)
        return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))

    def recalls(self) -> tuple[Figure, ...]:
        """Of each label, the share of its texts that is told right; Wilson's over its texts."""
        right = self.confusion().diagonal()
        counts = np.bincount(self.codes[self.tested], minlength=len(right))
        both = zip(right.tolist(), counts.tolist(), strict=True)
        return tuple(proportion(share * n, n) for share, n in both)


def _redrawn(labels: Ids, rng: Generator) -> Ids:
    """As many texts of each label as there are, drawn with replacement."""
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    drawn = rng.random(len(labels)) * np.repeat(counts, counts)
    return np.asarray(order[starts + drawn.astype(np.int64)])


def macro_f1(true: Ids, told: Ids) -> float:
    """The mean over labels that occur of F1 = 2·hits / (texts + times told)."""
    size = int(max(true.max(), told.max())) + 1
    hits = np.bincount(true[true == told], minlength=size)
    texts, named = np.bincount(true, minlength=size), np.bincount(told, minlength=size)
    occurs = texts > 0
    return float((2 * hits[occurs] / (texts + named)[occurs]).mean())
