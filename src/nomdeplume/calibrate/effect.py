"""What a mechanism does to public words: how many stay, how far the others go, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from nomdeplume.calibrate.panel import Panel
from nomdeplume.distance.cloud import distances, squared
from nomdeplume.mechanism import Mechanism
from nomdeplume.privacy.random import seeded

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

NUMBERS = 1 << 22  # chances of a block of words, 32 MiB
COLUMNS = 1 << 13  # words of the table whose distances are taken together
WORK = 6e10  # operations that draws may take, about: a second
FEWEST, MOST = 10, 200  # draws of each word


@dataclass(frozen=True)
class Effect:
    """What becomes of the words of a panel.

    Support is how many words a word is spread over: the mean over words of e^entropy, where
    chances are known. From draws it is 1/alike, which is never more: of all such numbers the
    one that draws tell without bias, so that it holds for thousands of words too.
    """

    unchanged: float  # share of words that stay
    near: float  # share that becomes one of its 100 nearest other words
    support: float
    moved: float  # mean distance from a word to what is released for it
    alike: float  # chance that two releases of a word are the same, Σp²
    words: int  # looked at
    draws: int  # of each; 0 where chances are known exactly
    error: float  # standard error of `unchanged`, as words and draws are samples

    @property
    def far(self) -> float:
        """Share that becomes any other word."""
        return max(0.0, 1 - self.unchanged - self.near)


@dataclass(frozen=True)
class _Seen:
    """The same of each word of a panel."""

    stays: Floats
    near: Floats
    support: Floats
    moved: Floats
    alike: Floats


def effect(mechanism: Mechanism, panel: Panel, *, draws: int | None = None) -> Effect:
    """What the mechanism does to a panel: by its chances, or else by draws of a public stream.

    The stream is always the same, so that effects change with ε as smoothly as they do.
    """
    if told := mechanism.declaration.channel:
        seen, count = _told(told, panel), 0
    else:
        count = usual_draws(panel, mechanism) if draws is None else max(2, draws)
        seen = _drawn(mechanism, panel, count)
    mean = panel.shares
    alike = float(mean @ seen.alike)
    support = float(mean @ seen.support)
    if count:
        pairs = len(panel) * count * (count - 1) / 2
        support = min(1 / max(alike, 1 / pairs), float(_outputs(mechanism)))
    return Effect(
        unchanged=float(mean @ seen.stays),
        near=float(mean @ seen.near),
        support=support,
        moved=float(mean @ seen.moved),
        alike=alike,
        words=len(panel),
        draws=count,
        error=_error(seen.stays, panel, count),
    )


def usual_draws(panel: Panel, mechanism: Mechanism) -> int:
    """Draws of each word that take about a second."""
    one = 2.0 * len(panel) * _outputs(mechanism) * panel.table.dimensions
    return int(np.clip(WORK / one, FEWEST, MOST))


def _outputs(mechanism: Mechanism) -> int:
    return len(mechanism.table) if mechanism.outputs is None else len(mechanism.outputs)


def _told(channel: Callable[[Ids], Floats], panel: Panel) -> _Seen:
    """From chances, some words at a time."""
    step = max(1, NUMBERS // len(panel.table))
    parts = []
    for start in range(0, len(panel), step):
        some = slice(start, start + step)
        ids, near = panel.ids[some], panel.near[some]
        chances = channel(ids)
        close = np.take_along_axis(chances, np.maximum(near, 0), axis=1)
        parts.append(
            (
                chances[np.arange(len(ids)), ids],
                np.where(near >= 0, close, 0).sum(axis=1),
                np.exp(entr(chances).sum(axis=1)),
                _moves(chances, panel, ids),
                np.einsum("nv,nv->n", chances, chances),
            )
        )
    return _Seen(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _moves(chances: Floats, panel: Panel, ids: Ids) -> Floats:
    """The mean distance that each word moves by these chances."""
    x, moved = panel.table.vectors[ids].astype(np.float64), np.zeros(len(ids))
    for start in range(0, len(panel.table), COLUMNS):
        y = panel.table.vectors[start : start + COLUMNS].astype(np.float64)
        moved += np.einsum("nv,nv->n", chances[:, start : start + COLUMNS], distances(x, y))
    return moved


def _drawn(mechanism: Mechanism, panel: Panel, draws: int) -> _Seen:
    """From draws; two of a word are alike with the chance Σp², of which this is no more or less."""
    released = mechanism.release(np.repeat(panel.ids, draws), seeded(0))
    rows = released.reshape(len(panel), draws)
    counts = [np.unique(row, return_counts=True)[1] for row in rows]
    alike = np.array([(each * (each - 1)).sum() for each in counts]) / (draws * (draws - 1))
    close = [np.isin(row, near).mean() for row, near in zip(rows, panel.near, strict=True)]
    vectors = panel.table.vectors
    moved = [
        np.sqrt(squared(vectors[row].astype(np.float64) - vectors[i])).mean()
        for i, row in zip(panel.ids, rows, strict=True)
    ]
    stays = (rows == panel.ids[:, None]).mean(axis=1)
    return _Seen(stays, np.array(close), np.ones(len(panel)), np.array(moved), alike)


def _error(stays: Floats, panel: Panel, draws: int) -> float:
    """The spread over words holds that over draws too; of all words only draws are left."""
    if not panel.whole:
        mean = panel.shares @ stays
        return sqrt(float(panel.shares**2 @ (stays - mean) ** 2))
    spread = stays * (1 - stays) / (draws - 1) if draws else np.zeros(len(stays))
    return sqrt(float(panel.shares**2 @ spread))
