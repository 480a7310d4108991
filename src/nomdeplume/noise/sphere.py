"""What noise on a sphere is made of: directions around a pole, and the law of the angle to it.

An angle θ has the density sin^(k−2)θ·exp(g(θ)), the first factor for all there is at that
angle. It is best looked at through t = ln tan(θ/2): then tails of both kinds are exponential.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from nomdeplume.errors import InputError
from nomdeplume.noise.kinds import Floats
from nomdeplume.table import Table

STEPS = 1 << 15  # of the grid for the law of an angle: an error of about 1e-6


def mirrored(vectors: Floats, poles: Floats) -> Floats:
    """Vectors mirrored so that the first axis falls on each row's pole; twice is not at all.

    A Householder reflection between the first axis and the pole, or what is opposite to it
    if that is farther away: so nothing is divided by what is nearly 0.
    """
    sign = np.where(poles[:, :1] < 0, 1.0, -1.0)
    mirror = poles.copy()
    mirror[:, :1] -= sign
    along = np.einsum("nk,nk->n", vectors, mirror) / np.einsum("nk,nk->n", mirror, mirror)
    return np.asarray(sign * (vectors - 2 * along[:, None] * mirror))


def around(poles: Floats, cosine: Floats, sine: Floats, rng: Generator) -> Floats:
    """Directions at given angles from the poles, to all sides alike."""
    n, k = poles.shape
    beside = rng.standard_normal((n, k - 1))
    beside *= (sine / np.sqrt(np.einsum("nk,nk->n", beside, beside)))[:, None]
    return mirrored(np.column_stack((cosine, beside)), poles)


def seen_from(poles: Floats, directions: Floats) -> tuple[Floats, Floats]:
    """The angle of each direction to its pole, and to which side, (n, k − 1) of length 1 or 0."""
    seen = mirrored(directions, poles)
    sine = np.linalg.norm(seen[:, 1:], axis=1)
    beside = seen[:, 1:] / np.where(sine > 0, sine, 1)[:, None]
    return np.arctan2(sine, seen[:, 0]), beside


def below(angle: Floats, k: int, log_weight: Callable[[Floats], Floats], mode: float) -> Floats:
    """The chance of an angle below `angle`, if its density is ∝ sin^(k−2)θ·exp(log_weight(θ)).

    `mode` is where sin^(k−1)θ·exp(log_weight(θ)), the density of t, is largest. There it falls
    off like exp(−(k − 1)t²/2) or faster, and far away like exp(−(k − 1)|t|) or faster.
    """
    centre, width = np.log(np.tan(mode / 2)), 10 / np.sqrt(k - 1) + 40 / (k - 1)
    t = np.linspace(centre - width, centre + width, STEPS)
    theta = 2 * np.arctan(np.exp(t))
    logs = log_weight(theta) - (k - 1) * np.logaddexp(t, -t)  # ln sin θ = ln 2 − ln(eᵗ + e⁻ᵗ)
    mass = np.exp(logs - logs.max())
    chance = np.concatenate(([0.0], np.cumsum(mass[1:] + mass[:-1])))
    with np.errstate(divide="ignore"):
        return np.asarray(np.interp(np.log(np.tan(angle / 2)), t, chance / chance[-1]))


def as_length(chance: Floats, k: int) -> Floats:
    """The length of standard noise in k dimensions that is not passed with this chance."""
    from scipy.special import gammaincinv

    return np.asarray(gammaincinv(k, inside(chance)))


def inside(chances: Floats) -> Floats:
    """Chances that are neither 0 nor 1, whose quantiles would be none."""
    return np.clip(chances, 1e-300, 1 - 1e-16)


def lift(table: Table, height: float) -> Table:
    """Words at (x, height): seen from 0 they lie on a cap, so that directions tell them apart."""
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused
        vectors = np.full((len(table), table.dimensions + 1), height, dtype=np.float32)
    vectors[:, :-1] = table.vectors[:]
    return Table.owning(table.words, vectors, table.name, table.language)


def two_or_more(k: int) -> None:
    if k < 2:
        raise InputError(f"noise on a sphere needs vectors of 2 dimensions or more, got {k}.")
