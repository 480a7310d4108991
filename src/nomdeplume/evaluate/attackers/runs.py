"""Texts as rows of counts: of runs of signs, or of runs of words and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, TransformerMixin

from nomdeplume.evaluate.attackers.signs import BITS, Ids, Runs, Signs, counted

BLANKS = re.compile(r"\s\s+")
PIECES = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]")  # words with their apostrophes, marks
ENOUGH = 20  # texts from which a run that one of them alone contains is left out
UNKNOWN = (1 << BITS) - 1  # no code point, and of no piece


class Characters(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Counts of the runs of `shortest` to `longest` signs, case kept, blanks in a row as one.

    A run that a single training text contains tells nothing about other texts, and most long
    runs are such; of the others the `most` that most texts contain are kept.
    """

    def __init__(self, shortest: int = 2, longest: int = 4, *, most: int = 100_000) -> None:
        self.shortest = shortest
        self.longest = longest
        self.most = most

    def fit(self, texts: Sequence[str], authors: Any = None) -> Self:
        self.fit_transform(texts, authors)
        return self

    def fit_transform(self, texts: Sequence[str], authors: Any = None) -> Any:  # noqa: ARG002
        self._met(texts)
        signs = self._signs(texts)
        self.runs_, ids = Runs.grown(signs, self.longest)
        counts = self._counted(signs, ids)
        self.columns_ = self._telling(counts)
        return counts[:, self.columns_].tocsr()

    def transform(self, texts: Sequence[str]) -> Any:  # (n, runs)
        signs = self._signs(texts)
        return self._counted(signs, self.runs_.ids(signs))[:, self.columns_].tocsr()

    def _met(self, texts: Sequence[str]) -> None:
        """What has to be known of training texts before their signs have codes."""

    def _signs(self, texts: Sequence[str]) -> Signs:
        return Signs.of([BLANKS.sub(" ", text) for text in texts])

    def _counted(self, signs: Signs, ids: list[Ids]) -> Any:
        lengths = range(self.shortest - 1, self.longest)
        sizes = {each: len(self.runs_.keys[each]) for each in lengths}
        parts = [counted(signs.text, ids[each], (signs.texts, sizes[each])) for each in lengths]
        spare = csr_array((signs.texts, 1))  # so that there is a column when no text has a run
        return hstack([*parts, spare], format="csc")

    def _telling(self, counts: Any) -> Ids:
        texts = np.diff(counts.indptr)  # that contain each run
        least = 2 if counts.shape[0] >= ENOUGH and texts.max() > 1 else 0
        kept = np.flatnonzero(texts >= least)
        first = np.argsort(-texts[kept], kind="stable")[: self.most]
        return np.sort(kept[first])


class Pieces(Characters):
    """Counts of words and marks, and of pairs of them that stand together, in lower case.

    They are counted like signs: a word is a sign of an alphabet that the training texts make.
    """

    def __init__(self, shortest: int = 1, longest: int = 2, *, most: int = 100_000) -> None:
        super().__init__(shortest, longest, most=most)

    def _met(self, texts: Sequence[str]) -> None:
        pieces = dict.fromkeys(chain.from_iterable(map(_pieces, texts)))
        self.codes_ = {piece: code for code, piece in enumerate(pieces) if code < UNKNOWN}

    def _signs(self, texts: Sequence[str]) -> Signs:
        parted = list(map(_pieces, texts))
        codes = [self.codes_.get(piece, UNKNOWN) for piece in chain.from_iterable(parted)]
        lengths = np.fromiter(map(len, parted), dtype=np.int64, count=len(parted))
        text = np.repeat(np.arange(len(texts)), lengths)
        return Signs(np.array(codes, dtype=np.int64), text, len(texts))


def _pieces(text: str) -> list[str]:
    return PIECES.findall(text.lower())
