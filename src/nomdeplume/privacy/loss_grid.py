"""Laws of losses on a grid, tilted, with every error on the safe side (docs/proofs/accounting.md).

What lies between two points of the grid is split over both so that its chance stays the same
under either input: "connect the dots". What is on the grid then tells at least as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nomdeplume.privacy.angles import DROP, Angles, Floats, gauss, halved

Ints = NDArray[np.int64]

NODES = 5  # of Gauss and Legendre for a panel, which is a quarter of a bell's width at most


@dataclass(frozen=True, eq=False)
class Grid:
    """Tilted laws on multiples of a step: `masses[i, c]` is at `top[i] − c`."""

    masses: Floats  # (n, cells + 1), each row sums to 1
    top: Ints  # (n,)
    scale: Floats  # (n,) log E e^(λL) on the grid
    error: Floats  # (n,) at most so much of a row's mass is missing or misplaced

    def row(self, i: int) -> tuple[Ints, Floats, float, float]:
        """A law by itself: its places in steps and their masses, its scale and error."""
        held = np.flatnonzero(self.masses[i])
        return self.top[i] - held, self.masses[i, held], float(self.scale[i]), float(self.error[i])


def on_grid(angles: Angles, tilt: float, step: float) -> Grid:
    """The laws tilted by e^(λℓ), with their mass on multiples of `step`."""
    low, high = angles.range(tilt)
    top = np.floor((angles.losses - angles.short(halved(low))) / step).astype(np.int64) + 1
    bottom = np.floor((angles.losses - angles.short(halved(high))) / step).astype(np.int64)
    cells = int((top - bottom).max())
    edges = _edges(angles, tilt, step, top, cells)
    theta, weights = gauss(edges[:, :-1], edges[:, 1:], NODES)  # (n, panels, nodes)
    half = halved(theta)
    with np.errstate(divide="ignore"):  # an empty panel weighs nothing
        logs = angles.log_density(half, tilt) + np.log(weights)
    middle = angles.losses[:, None] - angles.short(halved((edges[:, :-1] + edges[:, 1:]) / 2))
    cell = np.repeat(np.floor(middle / step), NODES, axis=1)
    ends = np.stack([angles.losses, -angles.losses], axis=1)  # where atoms are, if any are
    cell = np.concatenate([cell, np.ceil(ends / step) - 1], axis=1)
    column = np.clip(top[:, None] - 1 - cell, 0, cells - 1).astype(np.int64)
    short = np.concatenate([angles.short(half).reshape(len(top), -1), [0, 2] * ends[:, :1]], axis=1)
    logs = np.concatenate([logs.reshape(len(top), -1), angles.atoms(tilt)], axis=1)
    base = (top[:, None] - 1 - column) * step
    inside = np.clip(angles.losses[:, None] - short - base, 0, step)  # (n, all nodes)
    peak = logs.max(axis=1)
    masses = _split(np.exp(logs - peak[:, None]), inside, column, cells, tilt=tilt, step=step)
    total = masses.sum(axis=1)
    lost = angles.log_outside(low, high, tilt) - peak - np.log(total) + tilt * step
    error = np.exp(np.minimum(lost, 0)) + _rounding(angles, tilt)
    scale = tilt * angles.losses + peak + np.log(total)
    return Grid(masses / total[:, None], top, scale, error)


def _split(
    mass: Floats, inside: Floats, column: Ints, cells: int, *, tilt: float, step: float
) -> Floats:
    """Masses on the grid: what is x above the lower end of its cell goes to the upper by w(x).

    w = (1 − e⁻ˣ)/(1 − e⁻ʰ) keeps w·e⁻ʰ + (1 − w) = e⁻ˣ, and so the mass under the other input.
    """
    upper = np.expm1(-inside) / np.expm1(-step)
    down = np.exp(-tilt * inside)
    rows = np.arange(len(mass))[:, None] * (cells + 1) + column
    both = np.concatenate([rows, rows + 1], axis=1).ravel()
    parts = np.concatenate(
        [mass * upper * down * np.exp(tilt * step), mass * (1 - upper) * down], axis=1
    )
    found: Floats = np.zeros(len(mass) * (cells + 1))
    found += np.bincount(both, parts.ravel(), minlength=len(found))
    return found.reshape(len(mass), cells + 1)


def _edges(angles: Angles, tilt: float, step: float, top: Ints, cells: int) -> Floats:
    """Ends of panels, (n, panels + 1): those of the cells, and others where cells are wide."""
    low, high = angles.range(tilt)
    _, width = angles.peak(tilt)
    places = (top[:, None] - np.arange(cells + 1)) * step
    share = np.clip((angles.losses[:, None] - places) / (2 * angles.losses[:, None]), 0, 1)
    walls = np.clip(2 * np.arcsin(np.sqrt(share)), low[:, None], high[:, None])
    panels = int(np.ceil(4 * ((high - low) / width).max()))
    between = np.linspace(low, high, panels + 1, axis=1)
    return np.sort(np.concatenate([walls, between], axis=1), axis=1)


def _rounding(angles: Angles, tilt: float) -> Floats:
    """What quadrature and floats may err by: exponents this large lose their last digits."""
    exponent = (1 + tilt) * angles.losses + angles.dimensions
    return np.asarray(3e-11 + 2e-15 * exponent + np.exp(-DROP))
