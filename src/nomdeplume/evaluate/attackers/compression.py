"""The author under whose model a text compresses best: prediction by partial matching (PPM)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nomdeplume.errors import whole
from nomdeplume.evaluate.attackers.attacker import Attacker, Floats, Ids
from nomdeplume.evaluate.attackers.signs import BITS, Runs, Signs, counted

BLOCK = 4_000_000  # chances held at a time: signs in their contexts × authors
SIGNS = 1_000_000  # of texts looked at at a time


class Compression(Attacker):
    """Each author's texts as a model that predicts a sign from up to `order` signs before it.

    Method C: in a context that was followed by n signs, v of them different, a sign seen there
    m times has the chance m/(n + v), and v/(n + v) is that of an escape to the context without
    its first sign. A context that the author never wrote is left for nothing. Below the empty
    context each of the S signs of the training texts has 1/(S + 1), and so has every other
    sign, so that no text is impossible.

    A coder escapes only to signs that it has not seen, so part of each escape is lost to seen
    ones: chances sum to less than 1. `blended`, what is escaped is added to what was seen,
    (m + v·p′)/(n + v), and chances of known signs and one other sum to 1; it tells authors
    better. A score is ln P(text | author), minus the length of the compressed text in nats.
    """

    def __init__(self, order: int = 5, *, blended: bool = True) -> None:
        self.order = order
        self.blended = blended

    def fit(self, texts: Sequence[str], authors: Sequence[Any]) -> Self:
        whole("order", self.order, least=0, most=15)
        author = self._met(authors)
        signs = Signs.of(texts)
        self.runs_, found = Runs.grown(signs, self.order + 1)
        models = [
            self._model(length, counted(ids, author[signs.text], self._shape(length)))
            for length, ids in enumerate(found, start=1)
        ]
        self.hits_ = [hit for hit, _ in models]  # (runs, A) for lengths 1, 2, …
        self.escapes_ = [escape for _, escape in models]  # (contexts, A) for lengths 0, 1, …
        return self

    def decision_function(self, texts: Sequence[str]) -> Floats:  # (n, authors)
        parts = [self._scores(Signs.of(part)) for part in _parts(texts)]
        return np.concatenate([np.empty((0, len(self.classes_))), *parts])

    def _scores(self, signs: Signs) -> Floats:
        """ln P of each text: chances are looked up once for all places that have the same."""
        runs, contexts = _ending(signs, self.runs_.ids(signs))
        same = _situations(signs, contexts)
        _, first, which = np.unique(same, return_index=True, return_inverse=True)
        times = counted(signs.text, which, (signs.texts, len(first))).tocsc()
        scores = np.zeros((signs.texts, len(self.classes_)))
        step = BLOCK // len(self.classes_) + 1
        for start in range(0, len(first), step):
            here = first[start : start + step]
            chances = self._chances(runs[:, here], contexts[:, here])
            scores += times[:, start : start + step] @ np.log(chances)
        return scores

    def _chances(self, runs: Ids, contexts: Ids) -> Floats:  # (signs, A)
        """P(sign | context) under each author, from the empty context up."""
        alphabet = len(self.runs_.keys[0])
        chances = np.full((runs.shape[1], len(self.classes_)), 1 / (alphabet + 1))
        for length in range(self.order + 1):
            rows, authors, escape = _gathered(self.escapes_[length], contexts[length])
            chances[rows, authors] *= escape
            rows, authors, hit = _gathered(self.hits_[length], runs[length])
            chances[rows, authors] = hit + self.blended * chances[rows, authors]
        return chances

    def _model(self, length: int, seen: Any) -> tuple[Any, Any]:
        """The chances of runs of that length after their contexts, and of escapes from those."""
        context = self.runs_.contexts(length)
        place = context.astype(np.int32), np.arange(len(context), dtype=np.int32)
        contexts = self._shape(length - 1)[0]
        parents = csr_array((np.ones(len(context)), place), shape=(contexts, len(context)))
        different = (parents @ (seen > 0).astype(np.float64)).tocsr()  # v
        total = (parents @ seen + different).tocsr()  # n + v
        hit, escape = seen.tocoo(), different.tocoo()
        hit.data = hit.data / _at(total, context[hit.row], hit.col)
        escape.data = escape.data / _at(total, escape.row, escape.col)
        return hit.tocsr(), escape.tocsr()

    def _shape(self, length: int) -> tuple[int, int]:
        """Runs of that length, the empty one too, × authors."""
        return len(self.runs_.keys[length - 1]) if length else 1, len(self.classes_)


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts in order, about SIGNS signs at a time."""
    part = np.cumsum([len(text) for text in texts]) // SIGNS
    cuts = np.flatnonzero(np.diff(part)) + 1
    for start, stop in pairwise([0, *cuts.tolist(), len(texts)]):
        yield texts[start:stop]


def _ending(signs: Signs, ids: list[Ids]) -> tuple[Ids, Ids]:  # (lengths, signs) each
    """For each sign the runs that end with it, of length 1, 2, …, and their contexts."""
    runs = np.full((len(ids), len(signs.code)), -1, dtype=np.int64)
    for back, found in enumerate(ids):
        runs[back, back:] = found[: max(len(found) - back, 0)]
    contexts = np.full_like(runs, -1)
    contexts[0] = 0
    inside = np.flatnonzero(signs.text[1:] == signs.text[:-1]) + 1
    contexts[1:, inside] = runs[:-1, inside - 1]
    return runs, contexts


def _situations(signs: Signs, contexts: Ids) -> Ids:
    """A number for each sign, equal where the sign and its longest known context are.

    No author wrote a longer one, so equal numbers have equal chances.
    """
    length = (contexts >= 0).sum(axis=0) - 1
    longest = contexts[length, np.arange(len(length))]
    return np.asarray((((length << 38) | longest) << BITS) | signs.code)


def _gathered(chances: Any, ids: Ids) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Rows of a sparse matrix as (place in `ids`, column, value); those of −1 are empty."""
    known = np.flatnonzero(ids >= 0)
    found = chances[ids[known]].tocoo()
    return known[found.row], found.col, found.data


def _at(matrix: Any, rows: NDArray[Any], columns: NDArray[Any]) -> Floats:
    """Values of a sparse matrix at places that it has."""
    matrix.sort_indices()
    found, width = matrix.tocoo(), matrix.shape[1]
    place = found.row.astype(np.int64) * width + found.col
    return np.asarray(found.data[np.searchsorted(place, rows * np.int64(width) + columns)])
