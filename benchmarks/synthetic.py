"""A synthetic table of any size, with the spectrum, norms and neighbour distances of a real one.

Rows grow as a forest around the real table's mean. A few roots are drawn from its covariance;
then the table doubles: each new row hangs at a chosen distance from a random earlier row, in a
direction drawn from the covariance. (Norm, distance) pairs come from a sample of the real table,
with the distances' distribution corrected for a row's nearest neighbour being the nearest of its
parent and its children. Rows come shuffled; the last step copies DUPLICATES rows exactly.
Needs NumPy alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]

DUPLICATES = 8
SAMPLE = 4_000
ROOTS = 64  # one root for about so many rows


def synthetic(real: Floats, count: int, k: int, seed: int) -> Floats:
    random = np.random.default_rng(seed)
    mean, basis, spread = _shape(real, k, random)
    lengths, ratios = _neighbours(real, random)
    order = np.argsort(ratios)
    lengths, ratios = lengths[order], ratios[order]
    table = np.empty((count, k), np.float32)  # centred, in the basis, until the end
    norms = np.empty(count, np.float32)
    made = min(count, max(2, count // ROOTS))
    norms[:made] = random.choice(lengths, made)
    table[:made] = _directions(made, spread, random) * norms[:made, None]
    survival = _correction()
    while made < count:
        first, last = made, min(count, 2 * made)
        parents = random.integers(0, first, last - first)
        for start in range(first, last, 16_384):
            stop = min(last, start + 16_384)
            drawn = _directions(stop - start, spread, random), random.random(stop - start)
            some, rows = parents[start - first : stop - first], slice(start, stop)
            _grow((table, norms), rows, some, drawn, (lengths, ratios, survival))
        made = last
    random.shuffle(table)  # by rows
    for start in range(0, count, 16_384):
        block = slice(start, start + 16_384)
        table[block] = table[block] @ basis + mean
    for source, target in random.choice(count, (min(DUPLICATES, count // 2), 2), replace=False):
        table[target] = table[source]
    return table


def _shape(real: Floats, k: int, random: np.random.Generator) -> tuple[Floats, ...]:
    """The mean, an orthogonal basis (rows) and the standard deviation along each of its rows."""
    mean = real.mean(0, dtype=np.float64)
    centred = real - mean.astype(np.float32)
    variances, basis = np.linalg.eigh((centred.T @ centred).astype(np.float64) / len(real))
    variances, basis = np.maximum(variances[::-1], 0), basis[:, ::-1].T
    if k != real.shape[1]:  # the same spectrum, stretched, in a basis of its own
        old = real.shape[1]
        at = np.linspace(0, old - 1, k)
        variances = np.interp(at, np.arange(old), variances)
        along = np.interp(at, np.arange(old), basis @ mean)
        along *= np.linalg.norm(mean) / np.linalg.norm(along)
        basis, _ = np.linalg.qr(random.standard_normal((k, k)))
        mean = along @ basis
    spread = np.sqrt(variances / variances.sum())
    return mean.astype(np.float32), basis.astype(np.float32), spread.astype(np.float32)


def _neighbours(real: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Of a sample: the centred norm, and the distance to the nearest other row over it."""
    chosen = random.choice(len(real), min(SAMPLE, len(real)), replace=False)
    centred = (real - real.mean(0, dtype=np.float64)).astype(np.float32)
    squares = np.einsum("ij,ij->i", centred, centred, dtype=np.float64).astype(np.float32)
    best = np.full(len(chosen), np.inf, np.float32)
    for start in range(0, len(real), 16_384):
        block = slice(start, start + 16_384)
        apart = centred[chosen] @ centred[block].T
        apart *= -2
        apart += squares[chosen, None]
        apart += squares[None, block]
        inside = np.flatnonzero((chosen >= start) & (chosen < start + apart.shape[1]))
        apart[inside, chosen[inside] - start] = np.inf
        np.minimum(best, apart.min(1), out=best)
    lengths = np.maximum(np.sqrt(squares[chosen]), 1e-6)
    return lengths, np.clip(np.sqrt(np.maximum(best, 0)) / lengths, 1e-3, 1.4)


def _correction() -> tuple[Floats, Floats]:
    """P(edge longer) against P(nearest farther): a row of age g has Poisson(g) children."""
    edge, age = np.linspace(0, 1, 2001), np.arange(7)
    share = 0.5 ** (age + 1)
    share /= share.sum()
    nearest = edge * (share[:, None] * np.exp(-age[:, None] * (1 - edge))).sum(0)
    return edge, nearest


def _directions(count: int, spread: Floats, random: np.random.Generator) -> Floats:
    drawn = random.standard_normal((count, len(spread)), dtype=np.float32) * spread
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def _grow(
    forest: tuple[Floats, Floats],
    rows: slice,
    parents: Any,
    drawn: tuple[Floats, Floats],
    pairs: tuple[Floats, Floats, tuple[Floats, Floats]],
) -> None:
    """Rows at a chosen distance from their parents, in a direction that was drawn."""
    (table, norms), (new, chance) = forest, drawn
    lengths, ratios, (edge, nearest) = pairs
    survives = np.interp(chance, edge, nearest)
    pick = np.minimum(((1 - survives) * len(ratios)).astype(int), len(ratios) - 1)
    parent, size = table[parents], norms[parents]
    want, ratio = lengths[pick], ratios[pick]
    # |want − size| < distance, or no such triangle: a near duplicate takes its parent's norm
    want = np.clip(want, size / (1 + 0.7 * ratio), size * (1 + 0.7 * ratio))
    distance = np.clip(ratio * want, 1.001 * np.abs(want - size), 0.999 * (want + size))
    cosine = (size**2 + want**2 - distance**2) / (2 * size * want)
    parent /= size[:, None]
    new -= np.einsum("ij,ij->i", new, parent)[:, None] * parent
    new /= np.linalg.norm(new, axis=1, keepdims=True)
    new *= (want * np.sqrt(np.maximum(0, 1 - cosine**2)))[:, None]
    new += (want * cosine)[:, None] * parent
    table[rows], norms[rows] = new, want
