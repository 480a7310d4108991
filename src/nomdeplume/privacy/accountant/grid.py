"""Laws of losses on a grid, tilted, with every error on the safe side (docs/proofs/accounting.md).

What lies between two points of the grid is split over both so that its chance stays the same
under either input: "connect the dots". What is on the grid then tells at least as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nomdeplume.distance.cloud import Floats, Ints
from nomdeplume.privacy.accountant.angles import DROP, Angles, gauss, haversine

PANEL_NODES = 5  # of Gauss and Legendre; a panel is a quarter of a bell's width at most


class Row(NamedTuple):
    """One tilted law on the grid, by itself."""

    places: Ints  # in steps
    masses: Floats  # above 0, that sum to 1
    moment: float  # log E e^(λL) on the grid
    error: float  # at most so much, as a share of the mass, is missing or misplaced


@dataclass(frozen=True, eq=False)
class Grid:
    """Tilted laws on multiples of a step: `masses[i, c]` is at `top[i] − c`."""

    masses: Floats  # (n, cells + 1), each row sums to 1
    top: Ints  # (n,)
    moments: Floats  # (n,)
    errors: Floats  # (n,)

    def row(self, i: int) -> Row:
        held = np.flatnonzero(self.masses[i])
        places, masses = self.top[i] - held, self.masses[i, held]
        return Row(places, masses, float(self.moments[i]), float(self.errors[i]))


def on_grid(angles: Angles, tilt: float, step: float) -> Grid:
    """The laws tilted by e^(λℓ), with their mass on multiples of `step`."""
    low, high = angles.span(tilt)
    top, bottom = (_cell(angles, end[:, None], step)[:, 0] for end in (low, high))
    top, cells = top + 1, int((top + 1 - bottom).max())
    short, column, logs = _nodes(angles, tilt, step, top, cells)
    base = (top[:, None] - 1 - column) * step
    inside = np.clip(angles.losses[:, None] - short - base, 0, step)  # (n, nodes)
    peak = logs.max(axis=1)
    masses = _split(np.exp(logs - peak[:, None]), inside, column, cells, tilt=tilt, step=step)
    total = masses.sum(axis=1)
    lost = angles.log_outside(low, high, tilt) - peak - np.log(total) + tilt * step
    errors = np.exp(np.minimum(lost, 0)) + allowance(angles, tilt)
    return Grid(masses / total[:, None], top, tilt * angles.losses + peak + np.log(total), errors)


def _nodes(
    angles: Angles, tilt: float, step: float, top: Ints, cells: int
) -> tuple[Floats, Ints, Floats]:
    """Where laws are looked at, atoms included: s − ℓ, columns of cells, log masses; (n, nodes)."""
    edges = _edges(angles, tilt, step, top, cells)
    theta, weights = gauss(edges[:, :-1], edges[:, 1:], PANEL_NODES)  # (n, panels, nodes of one)
    hav, n = haversine(theta), len(top)
    with np.errstate(divide="ignore"):  # an empty panel weighs nothing
        logs = angles.log_density(hav, tilt) + np.log(weights)
    cell = np.repeat(_cell(angles, (edges[:, :-1] + edges[:, 1:]) / 2, step), PANEL_NODES, axis=1)
    ends = np.stack([angles.losses, -angles.losses], axis=1)
    cell = np.concatenate([cell, np.ceil(ends / step).astype(np.int64) - 1], axis=1)
    short = np.concatenate([angles.short(hav).reshape(n, -1), [0, 2] * ends[:, :1]], axis=1)
    logs = np.concatenate([logs.reshape(n, -1), angles.atoms(tilt)], axis=1)
    return short, np.clip(top[:, None] - 1 - cell, 0, cells - 1), logs


def _cell(angles: Angles, theta: Floats, step: float) -> Ints:
    """The cell of the grid, by its lower end, in which the loss at an angle is; (n, angles)."""
    losses = angles.losses[:, None] - angles.short(haversine(theta))
    return np.floor(losses / step).astype(np.int64)


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
    low, high = angles.span(tilt)
    _, width = angles.peak(tilt)
    places = (top[:, None] - np.arange(cells + 1)) * step
    share = np.clip((angles.losses[:, None] - places) / (2 * angles.losses[:, None]), 0, 1)
    walls = np.clip(2 * np.arcsin(np.sqrt(share)), low[:, None], high[:, None])
    panels = int(np.ceil(4 * ((high - low) / width).max()))
    between = np.linspace(low, high, panels + 1, axis=1)
    return np.sort(np.concatenate([walls, between], axis=1), axis=1)


def allowance(angles: Angles, tilt: float) -> Floats:
    """What quadrature and floats may err by: exponents this large lose their last digits."""
    exponent = (1 + tilt) * angles.losses + angles.dimensions
    return np.asarray(3e-11 + 2e-15 * exponent + np.exp(-DROP))
