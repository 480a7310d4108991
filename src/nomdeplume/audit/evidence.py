"""How much loss samples prove: events found on some of them, and tried on the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]

THRESHOLDS = np.concatenate((np.geomspace(1e-4, 0.05, 40), np.linspace(0.06, 0.999, 120)))


def proven_loss(hits_x: ArrayLike, hits_y: ArrayLike, trials: int, *, alpha: float) -> Floats:
    """Losses from y to x that events prove, each wrong with a chance of at most `alpha`.

    Of `trials` draws from x and as many from y, `hits_x` and `hits_y` fell into the event.
    Clopper–Pearson bounds its two chances, p from below and q from above, each failing with
    a chance of alpha/2; log(p/q) is then a lower bound of the loss.
    """
    x, y = np.asarray(hits_x, dtype=np.float64), np.asarray(hits_y, dtype=np.float64)
    with np.errstate(divide="ignore"):  # nothing hit proves nothing: −∞
        p = np.where(x > 0, betaincinv(np.maximum(x, 1), trials - x + 1, alpha / 2), 0.0)
        inside = betainccinv(y + 1, np.maximum(trials - y, 1), alpha / 2)
        q = np.where(y < trials, inside, 1.0)
        return np.asarray(np.log(p) - np.log(q))


def provable(trials: int, *, alpha: float) -> float:
    """The most that so many draws could prove: an event that always is, against one that never."""
    return max(0.0, float(proven_loss(trials, 0, trials, alpha=alpha)))


@dataclass(frozen=True)
class Samples:
    """Releases of two inputs: each row holds the released ids of one release, in any order."""

    x: Ids  # (n, words)
    y: Ids  # (n, words)

    def part(self, start: float, stop: float) -> Samples:
        rows = slice(int(start * len(self.x)), int(stop * len(self.x)))
        return Samples(self.x[rows], self.y[rows])

    @property
    def swapped(self) -> Samples:
        return Samples(self.y, self.x)

    def __len__(self) -> int:
        return len(self.x)


def strongest(samples: Samples, outcomes: int, places: Places, *, alpha: float) -> float:
    """The loss from y to x that the best event proves: a bound that fails with chance `alpha`.

    On a quarter of the samples words are scored, on another the score and the threshold
    that prove most are chosen, and the one event so found is tried on the other half.
    """
    seen, chosen, tried = samples.part(0, 0.25), samples.part(0.25, 0.5), samples.part(0.5, 1)
    best, event = -np.inf, (np.zeros(outcomes), np.inf)
    for weights in _scores(seen, outcomes, places):
        found, threshold = _best_threshold(chosen, weights, alpha)
        if found > best:
            best, event = found, (weights, threshold)
    weights, threshold = event
    x, y = (int((weights[drawn].sum(axis=1) >= threshold).sum()) for drawn in (tried.x, tried.y))
    return float(proven_loss(x, y, len(tried), alpha=alpha))


@dataclass(frozen=True)
class Places:
    """Where words are, as far as they are known, and where the two inputs are."""

    vectors: Float32s  # (V, k)
    x: Float32s  # (k,)
    y: Float32s  # (k,)

    @property
    def swapped(self) -> Places:
        return Places(self.vectors, self.y, self.x)


def _scores(seen: Samples, outcomes: int, places: Places) -> Iterator[Floats]:
    """Weights of words, high for those that speak for x rather than y.

    By how often each was released, the optimal way where every word is released often; by
    how much nearer to x it is, which is right where noise falls off evenly; and along the
    direction in which the releases differ most, which sees noise that leans.
    """
    x, y = (np.bincount(drawn.ravel(), minlength=outcomes) for drawn in (seen.x, seen.y))
    yield np.log((x + 0.5) / (y + 0.5))
    vectors, known = places.vectors, len(places.vectors)
    strangers = np.zeros(outcomes - known)  # outcomes that are no words of the table
    yield np.append(_apart(vectors, places.y) - _apart(vectors, places.x), strangers)
    lean = (x[:known] / x.sum() - y[:known] / y.sum()).astype(np.float32) @ vectors
    yield np.append(vectors @ lean, strangers)


def _apart(vectors: Float32s, point: Float32s) -> Float32s:
    squared = np.einsum("vk,vk->v", vectors, vectors) - 2 * (vectors @ point) + point @ point
    return np.asarray(np.sqrt(np.maximum(squared, 0)))  # near enough: it only ranks words


def _best_threshold(chosen: Samples, weights: Floats, alpha: float) -> tuple[float, float]:
    """The threshold of a score that proves most, and what it proves on these samples."""
    x, y = (np.sort(weights[drawn].sum(axis=1)) for drawn in (chosen.x, chosen.y))
    cuts = np.unique(np.quantile(x, 1 - THRESHOLDS, method="higher"))
    hits_x, hits_y = (len(s) - np.searchsorted(s, cuts) for s in (x, y))
    found = proven_loss(hits_x, hits_y, len(chosen), alpha=alpha)
    best = int(found.argmax())
    return float(found[best]), float(cuts[best])
