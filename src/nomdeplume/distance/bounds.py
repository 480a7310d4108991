"""Lower bounds of W₁ and W∞ that cost far less than the distance, the cheaper first.

W₁ is the most that prices can earn: whoever takes rows off at u and sets columns down at
v, with uᵢ + vⱼ ≤ costᵢⱼ everywhere, earns Σᵢ aᵢuᵢ + Σⱼ bⱼvⱼ ≤ W₁ (Kantorovich). So all
prices that keep to the costs give a bound, however they were found. Many problems can be
stacked; rows and columns without mass do no harm.
"""

from __future__ import annotations

import numpy as np

from nomdeplume.distance.cloud import Floats

STEPS, MORE = 12, 24  # of smoothing; more for problems of many words
MANY = 200
SHARP = 60.0  # mean cost over the smoothing's width


def centroid(mean: Floats, means: Floats) -> Floats:
    """How far a bag's mean vector is from others': no plan moves less on average."""
    return np.asarray(np.sqrt(((means - mean) ** 2).sum(axis=-1)))


def relaxed(costs: Floats, a: Floats, b: Floats) -> Floats:
    """Relaxed Word Mover's Distance: each word goes to its nearest, whatever has room there.

    Its prices are the smallest cost of each row (or column) and nothing for the others.
    """
    rows, columns = (a * costs.min(axis=-1)).sum(axis=-1), (b * costs.min(axis=-2)).sum(axis=-1)
    return np.asarray(np.maximum(rows, columns))


def priced(costs: Floats, a: Floats, b: Floats) -> Floats:
    """What is earned by half of each column's smallest cost, then all that the costs allow."""
    return _earned(a, b, *_lowered(costs, costs.min(axis=-2) / 2))


def smoothed(costs: Floats, a: Floats, b: Floats) -> Floats:
    """What is earned by prices that are nearly the best."""
    return _earned(a, b, *prices(costs, a, b))


def prices(costs: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Prices of rows and columns that keep to the costs and earn nearly all that can be.

    Those of a smoothed problem, found by a few steps of Sinkhorn's scaling, and then
    brought down to the costs. `a` and `b` are masses of one sum.
    """
    least, most = (at(costs, axis=(-2, -1), keepdims=True) for at in (np.min, np.max))
    mean = costs.mean(axis=(-2, -1), keepdims=True)
    width = np.maximum(mean / SHARP, (most - least) / 150)
    width[width == 0] = 1.0
    kernel = least - costs
    kernel /= width
    np.exp(kernel, out=kernel)  # at least e⁻¹⁵⁰: nothing is divided by 0
    scale = np.ones(b.shape)
    for _ in range(STEPS if max(costs.shape[-2:]) < MANY else MORE):
        other = a / (kernel @ scale[..., None])[..., 0]
        scale = b / (other[..., None, :] @ kernel)[..., 0, :]
    with np.errstate(divide="ignore"):  # the price −∞ of what has no mass binds nothing
        return _lowered(costs, width[..., 0] * np.log(scale))


def relaxed_longest(costs: Floats, *_: Floats) -> Floats:
    """The longest way of a word to its nearest: some word must go that far."""
    rows, columns = costs.min(axis=-1).max(axis=-1), costs.min(axis=-2).max(axis=-1)
    return np.asarray(np.maximum(rows, columns))


def _earned(a: Floats, b: Floats, u: Floats, v: Floats) -> Floats:
    return np.asarray((a * u).sum(axis=-1) + (b * v).sum(axis=-1))


def _lowered(costs: Floats, v: Floats) -> tuple[Floats, Floats]:
    """The best row prices to these column prices, and the best column prices to those."""
    left = costs - v[..., None, :]
    u = left.min(axis=-1)
    np.subtract(costs, u[..., None], out=left)
    return u, left.min(axis=-2)
