"""Choosing among scores: what an attacker does who tries several ways on texts of his own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.scores import Scores

Ids = NDArray[np.int64]


def best_of(ways: Sequence[Scores], codes: Ids, folds: Sequence[Fold]) -> Scores:
    """For the texts of each part, the way that tells most of the *other* parts right.

    Choosing by the texts that are then tested would flatter the attacker; others he may try.
    """
    return _by_part(ways, codes, folds, more=False)


def likeliest(ways: Sequence[Scores], codes: Ids, folds: Sequence[Fold]) -> Scores:
    """The way under which the true labels are likeliest, if scores are log-likelihoods.

    It is one for all texts, so that scores of several texts are on one scale and can be added. The
    choice sees the tested texts, which flatters the attack a little.
    """
    from scipy.special import log_softmax

    tested = np.concatenate([fold.test for fold in folds])
    logs = [log_softmax(way[:, tested].astype(np.float64), axis=2) for way in ways]
    told = [each[:, np.arange(len(tested)), codes[tested]].mean() for each in logs]
    return ways[int(np.argmax(told))]


def added(ways: Sequence[Scores], codes: Ids, folds: Sequence[Fold]) -> Scores:
    """The sum of the best way and of each other that helps, in the order in which they help."""
    return _by_part([standard(way) for way in ways], codes, folds, more=True)


def standard(scores: Scores) -> Scores:
    """Each text's scores with mean 0 and deviation 1: margins and likelihoods weigh alike."""
    told = scores - scores.mean(axis=2, keepdims=True)
    spread = told.std(axis=2, keepdims=True)
    return np.asarray(told / np.where(spread > 0, spread, 1), dtype=np.float32)


def _by_part(ways: Sequence[Scores], codes: Ids, folds: Sequence[Fold], *, more: bool) -> Scores:
    found = np.full_like(ways[0], np.nan)
    for part, others in parts(folds, codes):
        places = _places([way[:, others] for way in ways], codes[others], more=more)
        found[:, part] = np.sum([ways[i][:, part] for i in places], axis=0)
    return found


def _places(ways: Sequence[Scores], codes: Ids, *, more: bool) -> list[int]:
    """The best way; then, one by one, those that help most, as long as one does."""
    right = [_right(way, codes) for way in ways]
    places = [int(np.argmax(right))]
    best, total = max(right), ways[places[0]]
    while more and (rest := [i for i in range(len(ways)) if i not in places]):
        shares = [_right(total + ways[i], codes) for i in rest]
        if max(shares) <= best:
            break
        best, place = max(shares), rest[int(np.argmax(shares))]
        places.append(place)
        total = total + ways[place]
    return places


def _right(scores: Scores, codes: Ids) -> float:
    return float((scores.argmax(axis=2) == codes).mean())


def parts(folds: Sequence[Fold], codes: Ids) -> Iterator[tuple[Ids, Ids]]:
    """Tested texts and the other tested texts: fold by fold, or halves where there is one fold."""
    tests = [fold.test for fold in folds]
    if len(tests) == 1:
        order = np.random.default_rng(0).permutation(tests[0])
        by_label = order[np.argsort(codes[order], kind="stable")]
        tests = [by_label[::2], by_label[1::2]]
    for place, part in enumerate(tests):
        yield part, np.concatenate([*tests[:place], *tests[place + 1 :]])
