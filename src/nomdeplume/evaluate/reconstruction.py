"""Which word was it? How many words of a text are told from the words that came out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.evaluate.figures import Figure, figure
from nomdeplume.evaluate.results import Reconstruction
from nomdeplume.mechanism import Mechanism
from nomdeplume.mechanism.contract import Channel

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

WORDS = 4000  # of the texts, that are tried in each draw
CANDIDATES = 4000  # likeliest words before, whose chances are worked out
TRIALS = 60_000  # releases of an attacker who does not know the chances
BLOCK = 256


def reconstruction(
    mechanism: Mechanism, words: Ids, prior: Floats, draws: int, rng: Generator
) -> Reconstruction:
    """Tried on words drawn from those of the texts; `prior` is public, over the whole table."""
    tried = [rng.choice(words, min(WORDS, len(words))) for _ in range(draws)]
    out = [mechanism.release(each, rng) for each in tried]
    guess = guesses(mechanism, prior, rng, np.unique(np.concatenate(out)))
    plain = [[(v == w).mean()] for w, v in zip(tried, out, strict=True)]
    bayes = [[(guess[v] == w).mean()] for w, v in zip(tried, out, strict=True)]
    count = float(sum(map(len, tried)))
    return Reconstruction(*(figure(np.array(each), count=count) for each in (plain, bayes)))


def shared_words(bags: Sequence[Bag], draws: Sequence[Sequence[Bag]]) -> Figure:
    """Share of words that a text and its release have in common: Σ over words of min(p, q).

    What who takes a release for the text has right, where no word stands for another.
    """
    shares = [[np.mean(list(map(_in_common, bags, released)))] for released in draws]
    return figure(np.array(shares), count=float(len(bags) * len(draws)))


def _in_common(x: Bag, y: Bag) -> float:
    if not (len(x) and len(y)):
        return 0.0
    _, one, two = np.intersect1d(x.ids, y.ids, assume_unique=True, return_indices=True)
    return float(np.minimum(x.counts[one] / len(x), y.counts[two] / len(y)).sum())


def guesses(mechanism: Mechanism, prior: Floats, rng: Generator, seen: Ids) -> Ids:
    """The likeliest word behind each word that was seen: argmax over w of π(w)·K(w)(v).

    Where chances are known they are used, for the released word itself and the words that are
    likeliest before. Else they are estimated by the attacker's own releases of words from π.
    """
    if channel := mechanism.declaration.channel:
        return _worked_out(channel, prior, seen)
    words = rng.choice(len(prior), TRIALS, p=prior / prior.sum())
    return _counted(words, mechanism.release(words, rng), len(prior))


def _worked_out(channel: Channel, prior: Floats, seen: Ids) -> Ids:
    guess, best = np.arange(len(prior)), np.zeros(len(prior))
    for start in range(0, len(seen), BLOCK):
        ids = seen[start : start + BLOCK]
        best[ids] = prior[ids] * channel(ids)[np.arange(len(ids)), ids]
    likeliest = np.argsort(-prior, kind="stable")[:CANDIDATES]
    likeliest = likeliest[prior[likeliest] > 0]
    for start in range(0, len(likeliest), BLOCK):
        ids = np.sort(likeliest[start : start + BLOCK])
        joint = prior[ids, None] * channel(ids)  # (block, V)
        place = joint.argmax(axis=0)
        top = joint[place, np.arange(len(prior))]
        better = top > best
        guess[better], best[better] = ids[place[better]], top[better]
    return guess


def _counted(words: Ids, released: Ids, size: int) -> Ids:
    """For each released word the word that it came from most often; else itself.

    Once is no evidence: of many words that seldom become v, some one does by chance.
    """
    pairs, counts = np.unique(released * size + words, return_counts=True)
    pairs, counts = pairs[counts > 1], counts[counts > 1]
    order = np.argsort(counts, kind="stable")  # the last one written is the commonest
    guess = np.arange(size)
    guess[pairs[order] // size] = pairs[order] % size
    return guess
