"""The least ε that holds for words chosen by weights: exactly, over all pairs of words.

Between x and x′ the loss is a·max over y of (s(x′, y) − s(x, y)) + ln Z(x′) − ln Z(x). The
first part is at most a·d, and equal to it where x is an answer and the score a metric. So
a + |ln Z(x) − ln Z(x′)|/d is what a pair loses for each unit of distance, or a bound on it,
by which pairs are sorted before all answers are gone through (docs/proofs/exponential.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from nomdeplume.distance import Capped, Euclidean
from nomdeplume.errors import InputError
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.pairs import Steepest, Words

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Tell = Callable[[int], None]

HELD = 1 << 15  # pairs whose answers are gone through, at most
TOGETHER = 64  # of these
FEW = 2_000  # words on which a first guess is made
ROUNDS = 12  # guesses, each checked on all pairs
ROUNDING = 1e-11  # of a result, added to it: more than float64 loses on the way


@dataclass(frozen=True)
class Tight:
    """What choosing among words loses for each unit of distance, at most, and between which."""

    epsilon: float
    textbook: float  # 2a, which holds for any table
    exact: bool  # whether some pair loses as much; else it is a bound
    pairs: Ids  # rows of the words that lose most, (n, 2)
    sign: str = ""  # of what it was found for


def tight(choice: Choice, inputs: Ids, tell: Tell | None = None, *, doubt: float = 1.0) -> Tight:
    """The largest loss between any two of the input words, for each unit of distance.

    What rounding may have lost is added, or a share of that: who proves a promise again, on
    another machine perhaps, adds less than who made it. `tell` is told how many words are
    done; each is done twice.
    """
    a, totals = choice.a, choice.log_totals(inputs, tell)
    words = Words(choice.table, inputs, totals, _cap(choice), doubt * _doubt(choice))
    if attained(choice, inputs):
        found = Steepest(words, tell=tell)
        slope = float(found.slopes.max(initial=0.0))
        return Tight(_up(a + slope, a), 2 * a, exact=True, pairs=found.pairs)
    found = Steepest(words, HELD, tell)
    bounds, best, last = a + found.slopes, 0.0, np.empty((0, 2), dtype=np.int64)
    for start in range(0, len(bounds), TOGETHER):
        if bounds[start] <= best:
            return Tight(_up(best, a), 2 * a, exact=True, pairs=last)
        some = found.pairs[start : start + TOGETHER]
        lost = losses(choice, inputs, some)
        if lost.max() > best:
            best, last = float(lost.max()), some[lost.argmax()][None]
    rest = a + found.rest
    return Tight(_up(max(best, rest), a), 2 * a, exact=best >= rest, pairs=last)


def attained(choice: Choice, inputs: Ids) -> bool:
    """Whether a pair's bound is its loss: all inputs are answers, and tell themselves apart."""
    return choice.score.attained and bool(np.isin(inputs, choice.answers).all())


def losses(choice: Choice, inputs: Ids, pairs: Ids) -> Floats:
    """What each pair of rows loses for each unit of distance, by going through all answers."""
    rows, which = np.unique(pairs, return_inverse=True)
    logs = choice.log_weights(inputs[rows])
    top = logs.max(axis=1, keepdims=True)
    logs -= top + np.log(np.exp(logs - top).sum(axis=1, keepdims=True))
    one, two = which.reshape(pairs.shape).T
    lost = np.array([np.abs(logs[i] - logs[j]).max() for i, j in zip(one, two, strict=True)])
    lost += _doubt(choice)
    away = Words(choice.table, inputs, np.zeros(len(inputs)), _cap(choice)).apart(pairs)
    return np.asarray(np.divide(lost, away, out=np.zeros_like(lost), where=away > 0))


def solved(
    make: Callable[[float], Choice], inputs: Ids, epsilon: float, tell: Tell | None = None
) -> tuple[float, Tight]:
    """The largest a found whose least ε is at most `epsilon`, and that, checked on all pairs.

    A guess is the largest a at which the pairs that lost most so far keep the promise. It is
    checked on all pairs, and the pair that loses most there joins them.
    """
    pairs = np.empty((0, 2), dtype=np.int64)
    if len(inputs) > 2 * FEW:
        _, few = solved(make, inputs[:FEW], epsilon)
        pairs = few.pairs
    a = _largest(make, inputs, pairs, epsilon)
    for _ in range(ROUNDS):
        found = tight(make(a), inputs, tell)
        if found.epsilon <= epsilon:
            return a, found
        known = len(pairs)
        pairs = np.unique(np.concatenate((pairs, found.pairs)), axis=0)
        if found.exact and len(pairs) > known:
            a = _largest(make, inputs, pairs, epsilon)
        else:  # a bound, or a matter of rounding: about as many times a
            a = max(0.5, (1 - 1e-6) * a / found.epsilon) * epsilon
    return epsilon / 2, tight(make(epsilon / 2), inputs, tell)


def _largest(make: Callable[[float], Choice], inputs: Ids, pairs: Ids, epsilon: float) -> float:
    """The largest a between ε/2 and ε at which some pairs lose at most ε, by halving."""
    aim = epsilon * (1 - 1e-9)
    low, high = epsilon / 2, aim  # the textbook holds below, nothing above
    while high - low > 1e-10 * epsilon and low < (middle := low + (high - low) / 2) < high:
        choice = make(middle)
        lost = losses(choice, inputs, pairs).max() if len(pairs) else 0.0
        low, high = (middle, high) if max(lost, middle) <= aim else (low, middle)
    return low


def _cap(choice: Choice) -> float:
    metric = choice.score.metric
    if type(metric) not in (Euclidean, Capped):
        raise InputError(f"{choice.score.name} has no promise per unit of distance.")
    return metric.limit if isinstance(metric, Capped) else inf


def _doubt(choice: Choice) -> float:
    """More than rounding can change the difference of two words' ln Z, or of their losses.

    A sum of V weights errs by far less than V/4 units of 2⁻⁵³ of it, as it is taken in blocks,
    on a card too; a squared distance by k + 8 of them, in whatever order it is summed, of terms
    of at most 4·radius², and a times its root by that many of a·radius, where it is not so
    small that it was computed directly; nor can a capped score err by more than the cap.
    """
    table = choice.table
    far = 16 * (table.dimensions + 8) * choice.a * table.radius * 2.0**-53
    return float((len(choice.answers) / 4 + 64) * 2.0**-53 + min(far, choice.a * _cap(choice)))


def _up(value: float, a: float) -> float:
    """A result, with what rounding may have lost; the textbook bound holds whatever it is."""
    return min(value * (1 + ROUNDING), 2 * a)
