"""The loss of one document among many that are released without their order.

With a known probability a release is a draw that no private text decides. Such draws hide the
other releases, so one document among many loses less than one alone, up to a δ
(docs/proofs/shuffle.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError, got, whole
from nomdeplume.privacy.loss import Loss, up

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

MOST = 10**7  # documents that count; with more, δ is no larger
SAFE = 1e-9  # more than the relative error of any binomial tail (tests/exact/test_shuffled.py)
ROUNDED = 1e-14  # more than the relative error of a quotient
HALVINGS = 24  # steps of the bisection for a loss
CELLS = 256, 128  # groups of counts: of draws in one of the two sets, and of draws elsewhere
REACH = 12  # standard deviations around the mean that groups of equal width cover
FURTHER = 60  # counts above, so that the last group has a mass below e⁻⁶⁰


@dataclass(frozen=True)
class Blanket:
    """Releases of public texts: for each text `best` of them are `odds` times as likely as others.

    Each release is with the probability M/(M + k·(w − 1)) a uniform draw from all M public texts,
    whatever the private text is: the privacy blanket.
    """

    texts: int  # M
    best: int  # k
    odds: int  # w

    def loss(self, documents: int, delta: float) -> float:
        """A loss ε, at most ln w, such that P(T) ≤ e^ε·P′(T) + δ for every set T of releases.

        P and P′ are the laws of the released multisets of two corpora of `documents` documents
        that differ in one of them.
        """
        probability(delta)
        among = Among(self, min(whole("documents", documents, most=1 << 62), MOST))
        low, high = 0.0, log(self.odds)  # δ = 0 there
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if among.delta(middle) <= delta else (middle, high)
        return high


def probability(delta: float) -> float:
    """`delta`, if it is above 0 and below 1."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be above 0 and below 1, got {got(delta)}.")
    return delta


@dataclass(frozen=True, eq=False)
class Among:
    """One document that differs among n documents in all.

    With a, b and c the numbers of uniform draws in S ∖ S′, in S′ ∖ S and elsewhere,
    δ(ε) = E[(w·a + b + r·c − e^ε·(a + w·b + r·c))⁺]/n. Given h = a + b, a is Binomial(h, ½).
    Counts h and c are grouped into cells, and each cell is replaced by an upper bound.
    """

    blanket: Blanket
    documents: int  # n

    def delta(self, epsilon: float) -> float:
        """A δ that is valid for the loss `epsilon`: the sum above, rounded up."""
        h, first, c, masses = self._cells
        w = self.blanket.odds
        rest = 1 if 2 * self.blanket.best <= self.blanket.texts else w  # r
        slope = (w - 1) * (1 + exp(epsilon))
        level = slope * h / 2 + expm1(epsilon) * ((w + 1) * first / 2 + rest * c)
        level *= 1 - ROUNDED
        least = np.floor(level / slope).astype(np.int64) + 1
        chance = at_least(least, h, 0.5)
        mean = h / 2 * at_least(least - 1, h - 1, 0.5)  # E[a; a ≥ least]
        more = (1 + SAFE) * mean - (1 - SAFE) * least * chance  # E[(a − least)⁺]
        more = np.where(least < h, np.maximum(more, 0), 0)
        over = (slope * least - level) * chance + slope * more  # E[(slope·a − level)⁺]
        return float((1 + 2 * SAFE) * (masses * over).sum() / self.documents)

    @cached_property
    def _cells(self) -> tuple[Ids, Ids, Ids, Floats]:
        """The largest and smallest h of each cell, (H, 1), its smallest c and its mass, (H, C)."""
        texts, best, odds = self.blanket.texts, self.blanket.best, self.blanket.odds
        n, total = self.documents, best * odds + texts - best
        apart = 2 * min(best, texts - best)  # texts in just one of S and S′, at most
        first, of_h = cells(np.array([n]), apart / total, CELLS[0], FURTHER)
        most = np.append(first[0, 1:] - 1, n)[:, None]
        first, of_h = first.T, of_h.T
        least, of_c = cells((n - most)[:, 0], (texts - apart) / (total - apart), CELLS[1])
        return most, first, least, of_h * of_c


def cells(counts: Ids, p: float, number: int, further: int = 0) -> tuple[Ids, Floats]:
    """The smallest count of each cell, and the mass of Binomial(n, p) in it, rounded up.

    The cells of a row cover all counts from 0 to n: a cell ends where the next one begins.
    """
    mean, deviation = counts * p, np.sqrt(counts * p * (1 - p))
    start = np.maximum(0, np.floor(mean - REACH * deviation)).astype(np.int64)
    step = np.ceil((2 * REACH * deviation + further + 1) / number).astype(np.int64)
    least = start[:, None] + step[:, None] * np.arange(number)
    least[:, 0] = 0
    least = np.minimum(least, counts[:, None] + 1)
    above = at_least(least, counts[:, None], p)
    after = np.concatenate([above[:, 1:], np.zeros((len(counts), 1))], axis=1)
    return least, np.maximum((1 + SAFE) * above - (1 - SAFE) * after, 0)


def at_least(count: ArrayLike, of: ArrayLike, p: float) -> Floats:
    """P(X ≥ count) for X ~ Binomial(of, p)."""
    from scipy.special import betainc

    count, of = np.broadcast_arrays(np.asarray(count), np.asarray(of))
    inside = (count > 0) & (count <= of)
    found = betainc(np.where(inside, count, 1), np.where(inside, of - count + 1, 1), p)
    return np.where(inside, found, count <= 0).astype(np.float64)


@dataclass(frozen=True)
class Shuffled:
    """The loss of one document among all documents of a release without order."""

    delta: float
    loss: float
    sentence: str

    @classmethod
    def of(cls, loss: float, delta: float, documents: int) -> Shuffled:
        """The loss with the sentence that states it."""
        return cls(
            delta,
            loss,
            "Documents were released together, in alphabetical order and without numbers. Between "
            f"any two collections of {documents:,} texts, each of another author, that differ in "
            "the text of one author, the chance of any set of releases from one is at most "
            f"{Loss(loss).factor} times its chance from the other (ε = {up(loss)}), plus δ = "
            f"{delta}. This is no promise to authors of several documents. What is promised for "
            "each document by itself holds too, whatever is known of the others.",
        )


def usual_delta(documents: int) -> float:
    """The largest power of ten that is at most 10⁻⁶ and a tenth of one document's share."""
    return float(f"1e-{max(6, len(str(max(documents, 2) - 1)) + 1)}")
