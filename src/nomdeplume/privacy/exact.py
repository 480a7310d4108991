"""Exact laws of small worlds: the chance of every released word and of every released bag.

A channel is an array of chances: channel[x, y] is the chance that input x is released
as word y. Promises and the program are held against these laws (docs/proofs/law.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import comb, inf, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import InputError, positive, whole

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

STATES = 10**7  # partial bags that `probability` holds at a time
BAGS = 10**6  # bags that `law` lists


def laplace_channel(places: ArrayLike, epsilon: float, inputs: ArrayLike | None = None) -> Floats:
    """Chance that Laplace noise around each input ends nearest to each word, on a line.

    `places` holds a number for each word, `inputs` any numbers; without them the words
    are the inputs. A word's cell reaches halfway to its neighbours; of words at one
    place only the first is ever released. In units of 1/ε, a cell w wide and u away
    has the mass ½e⁻ᵘ(1 − e⁻ʷ), and one that reaches u to the left of the input and v to
    the right ½(1 − e⁻ᵘ) + ½(1 − e⁻ᵛ): nothing cancels, and tiny chances keep their digits.
    """
    words = _line("places", places)
    points = words if inputs is None else _line("inputs", inputs)
    distinct, first = np.unique(words, return_index=True)  # (D,), and the lowest id of each
    away = positive("epsilon", epsilon) * (distinct - points[:, None])  # (n, D)
    edges = (away[:, 1:] + away[:, :-1]) / 2
    edges = np.pad(edges, ((0, 0), (1, 1)), constant_values=((0, 0), (-inf, inf)))
    low, high = edges[:, :-1], edges[:, 1:]
    width = np.full(len(distinct), inf)
    width[1:-1] = epsilon * (distinct[2:] - distinct[:-2]) / 2
    beside = np.exp(-np.maximum(0, np.maximum(low, -high))) * -np.expm1(-width)
    around = -np.expm1(np.minimum(low, 0)) - np.expm1(-np.maximum(high, 0))
    channel = np.zeros((len(points), len(words)))
    channel[:, first] = np.where((low < 0) & (high > 0), around, beside) / 2
    return channel


def probability(channel: ArrayLike, bag: ArrayLike, released: ArrayLike) -> float:
    """Chance that the inputs `bag` are released, their order forgotten, as the words `released`.

    It is the coefficient of Π z_y^m_y, m_y the count of y in `released`, in the product
    over x in `bag` of Σ channel[x, y]·z_y. One word taken from each factor spells a
    sequence, and the sequences with these counts are the distinct orders of `released`,
    each once. Factors commute, so the order of `bag` does not matter either.

    >>> probability([[0.75, 0.25], [0.25, 0.75]], [0, 1], [0, 1])  # both stay or both change
    0.625
    """
    chances = _chances(channel)
    xs, ys = _ids("bag", bag, len(chances)), _ids("released", released, chances.shape[1])
    if len(xs) != len(ys):
        raise InputError(f"a release has as many words as the bag, got {len(ys)} from {len(xs)}.")
    words, counts = np.unique(ys, return_counts=True)
    shape = tuple(int(count) + 1 for count in counts)
    if prod(shape) > STATES:
        raise InputError(f"this release has over {STATES:,} parts; take fewer words.")
    parts = np.zeros(shape)  # chance of each part of the release, given the inputs so far
    parts.flat[0] = 1.0
    for row in chances[xs][:, words]:
        longer = np.zeros(shape)
        for axis, chance in enumerate(row):
            np.moveaxis(longer, axis, 0)[1:] += chance * np.moveaxis(parts, axis, 0)[:-1]
        parts = longer
    return float(parts.flat[-1])


def bags(words: int, size: int) -> Iterator[tuple[int, ...]]:
    """All bags of `size` ids below `words`, each ascending, in dictionary order."""
    ids = range(whole("words", words))
    return combinations_with_replacement(ids, whole("size", size, least=0))


def law(channel: ArrayLike, bag: ArrayLike) -> Floats:
    """Chance of every released bag, in the order of `bags`: all coefficients at once.

    A factor passes the chance of each bag b on to the bags b + y. In dictionary order
    the bags that begin with h are h before each of the bags one word shorter whose words
    are all ≥ h, and those come last among their kind: so with h the least word of b + y,
    its place follows from the place of the other words, known from the round before.
    """
    chances = _chances(channel)
    xs, count = _ids("bag", bag, len(chances)), chances.shape[1]
    bags_of_all = comb(count + len(xs) - 1, len(xs))
    if bags_of_all > BAGS or bags_of_all * len(xs) > 100 * BAGS:
        raise InputError(f"this law has over {BAGS:,} bags; take fewer words or a smaller bag.")
    found: Floats = np.ones(1)  # the one bag of no words
    head, rest = np.array([count]), np.array([0])  # of each bag: first word, place of the others
    after, starts, word = np.zeros((1, count), np.int64), _starts(count, 0), np.arange(count)
    for n, x in enumerate(xs, 1):
        ahead = _starts(count, n)
        least = np.minimum(head[:, None], word)
        others = np.where(word <= head[:, None], np.arange(len(head))[:, None], after[rest])
        after = (ahead - starts)[least] + others  # (bags, V): the place of b + y
        passed_on = np.outer(found, chances[x])
        found = np.asarray(np.bincount(after.ravel(), passed_on.ravel()), dtype=np.float64)
        head = word.repeat(len(head) - starts)
        rest = np.arange(len(head)) - (ahead - starts)[head]
        starts = ahead
    return found


def loss(p: ArrayLike, q: ArrayLike) -> float:
    """The largest log-ratio of the law p to the law q, in nats: how far odds shift towards p.

    An outcome without a chance under both is none; without one under q alone it tells all.
    """
    one, two = (_chances([each])[0] for each in (p, q))
    if one.shape != two.shape:
        raise InputError(f"two laws need the same outcomes, got {len(one)} and {len(two)}.")
    with np.errstate(divide="ignore"):  # − log 0 = ∞ is the answer
        return float((np.log(one[one > 0]) - np.log(two[one > 0])).max())


def _starts(words: int, size: int) -> Ids:
    """Where, among the bags of a size, those that begin with each word begin."""
    from_here = [comb(words - word + size - 1, size) for word in range(words)]
    return from_here[0] - np.array(from_here, dtype=np.int64)


def _line(name: str, numbers: ArrayLike) -> Floats:
    line = np.asarray(numbers, dtype=np.float64)
    if line.ndim != 1 or not line.size or not np.isfinite(line).all():
        raise InputError(f"{name} must be finite numbers on a line, got shape {line.shape}.")
    return line


def _chances(rows: ArrayLike | list[ArrayLike]) -> Floats:
    chances = np.asarray(rows, dtype=np.float64)
    if chances.ndim != 2 or (chances < 0).any() or not np.allclose(chances.sum(1), 1, 0, 1e-9):
        raise InputError("chances must be rows of numbers of at least 0 that sum to 1.")
    return chances


def _ids(name: str, ids: ArrayLike, below: int) -> Ids:
    found = np.asarray(ids if np.size(ids) else np.empty(0, np.int64))
    known = found.dtype.kind in "iu" and ((found >= 0) & (found < below)).all()
    if found.ndim != 1 or not known:
        raise InputError(f"{name} must be a sequence of ids from 0 to {below - 1}.")
    return found.astype(np.int64)
