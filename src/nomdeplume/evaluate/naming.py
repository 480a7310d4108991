"""The authors whom the best attacker names for single texts, with probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nomdeplume.evaluate.choosing import parts, standard
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import Identification
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.results import Guesses, Results
from nomdeplume.evaluate.scores import Scores

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Told = tuple[tuple[str, float], ...]

SHOWN = 5  # authors of a text, likeliest first
MOST = 100.0  # by which scores of deviation 1 are stretched; more is certainty


@dataclass(frozen=True)
class Named:
    """A text, who wrote it, and whom the best attackers name before and after its release.

    `place` is that among the texts that were given, from 0.
    """

    place: int
    author: str
    topic: str  # blank if texts have none
    before: Told
    after: Told


def who(results: Results, corpus: Labelled, cell: int) -> tuple[Named, ...]:
    """Every tested text of an evaluation that was asked to name, and one of its cells."""
    if corpus.author is None:
        return ()
    names = corpus.author.names
    after = dict(results.cells[cell].named)
    return tuple(
        Named(
            place if corpus.places is None else int(corpus.places[place]),
            names[corpus.author.codes[place]],
            corpus.topic.names[corpus.topic.codes[place]] if corpus.topic else "",
            _with_names(told, names),
            _with_names(after[place], names),
        )
        for place, told in results.clean.named
    )


def named(found: Identification) -> tuple[Guesses, ...]:
    """The likeliest authors of every tested text of the first draw."""
    chances = probabilities(found.scores, found.codes, found.folds)
    first = np.argsort(-chances, axis=1, kind="stable")[:, :SHOWN].tolist()
    return tuple(
        (place, tuple((code, round(float(chances[place, code]), 4)) for code in first[place]))
        for place in found.tested.tolist()
    )


def probabilities(scores: Scores, codes: Ids, folds: Sequence[Fold]) -> Floats:
    """Of each label for each text of the first draw: (n, labels), NaN where none is tested.

    They are ∝ exp(β·score), with the β under which the texts of the *other* parts are likeliest:
    nobody's own label makes him sure. Attackers of different folds may score on scales of their
    own, so that all scores are levelled first: fold by fold, or text by text where that fits the
    other parts better.
    """
    from scipy.special import softmax

    ways = [_levelled(scores, folds), standard(scores).astype(np.float64)]
    found = np.full(scores.shape[1:], np.nan)
    for part, others in parts(folds, codes):
        fits = [_fit(way[:, others], codes[others]) for way in ways]
        best = int(np.argmin([loss for loss, _ in fits]))
        found[part] = softmax(fits[best][1] * ways[best][0, part], axis=1)
    return found


def _levelled(scores: Scores, folds: Sequence[Fold]) -> Floats:
    """Scores whose deviation within a text is 1 on average over each fold."""
    found = scores.astype(np.float64)
    for fold in folds:
        spread = found[:, fold.test].std(axis=2).mean()
        found[:, fold.test] /= spread if spread > 0 else 1
    return found


def _fit(scores: Floats, codes: Ids) -> tuple[float, float]:
    """The loss per text and the β ≥ 0 of least loss; (draws, n, labels) scores of (n,) labels.

    The loss is convex in β. As after Laplace's rule one text more is taken to be anybody's:
    scores that are right every time would ask for β = ∞.
    """
    from scipy.optimize import brentq
    from scipy.special import log_softmax, softmax

    flat = scores.reshape(-1, scores.shape[2])
    own = np.tile(codes, len(scores))[:, None]
    true = np.take_along_axis(flat, own, axis=1).mean()
    wanted = true + (flat.mean() - true) / (len(codes) + 1)

    def slope(beta: float) -> float:
        return float((softmax(beta * flat, axis=1) * flat).sum(axis=1).mean() - wanted)

    beta = 0.0 if slope(0.0) >= 0 else MOST
    if beta and slope(MOST) > 0:
        beta = float(brentq(slope, 0.0, MOST, xtol=1e-4))
    told = np.take_along_axis(log_softmax(beta * flat, axis=1), own, axis=1)
    return -float(told.mean()), beta


def _with_names(told: Sequence[tuple[int, float]], names: Sequence[str]) -> Told:
    return tuple((names[code], chance) for code, chance in told)
