"""Lower bounds of W₁ and W∞ that cost far less than the distance, the cheaper first.

W₁ is the most that prices can earn: whoever takes rows off at u and sets columns down at
v, with uᵢ + vⱼ ≤ costᵢⱼ everywhere, earns Σᵢ aᵢuᵢ + Σⱼ bⱼvⱼ ≤ W₁ (Kantorovich). So all
prices that keep to the costs give a bound, however they were found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 6  # of smoothing: more tighten little
SHARP = 12.0  # mean cost over the smoothing's width


def centroid(mean: Floats, means: Floats) -> Floats:
    """How far a bag's mean vector is from others': no plan moves less on average."""
    return np.asarray(np.sqrt(((means - mean) ** 2).sum(axis=-1)))


def relaxed(costs: Floats, a: Floats, b: Floats) -> float:
    """Relaxed Word Mover's Distance: each word goes to its nearest, whatever has room there.

    Its prices are the smallest cost of each row (or column) and nothing for the others.
    """
    return max(float(a @ costs.min(axis=1)), float(costs.min(axis=0) @ b))


def priced(costs: Floats, a: Floats, b: Floats) -> float:
    """What is earned by half of each row's smallest cost, then all that the costs allow."""
    return _earned(costs, costs.min(axis=1) / 2, a, b)


def smoothed(costs: Floats, a: Floats, b: Floats) -> float:
    """What is earned by the prices of a smoothed problem, brought down to the costs.

    A few steps of Sinkhorn's scaling find prices that are nearly the best.
    """
    width = max(float(costs.mean()) / SHARP, float(costs.max()) / 300) or 1.0
    kernel = np.exp(costs / -width)  # at least e⁻³⁰⁰: nothing is divided by 0
    scale = np.ones(len(b))
    for _ in range(STEPS):
        other = a / (kernel @ scale)
        scale = b / (other @ kernel)
    return _earned(costs, width * np.log(other), a, b)


def relaxed_longest(costs: Floats, *_: Floats) -> float:
    """The longest way of a word to its nearest: some word must go that far."""
    return max(float(costs.min(axis=1).max()), float(costs.min(axis=0).max()))


def _earned(costs: Floats, u: Floats, a: Floats, b: Floats) -> float:
    """What row prices earn with the best column prices to them, and the best rows to these."""
    v = (costs - u[:, None]).min(axis=0)
    u = (costs - v).min(axis=1)
    return float(a @ u + v @ b)
