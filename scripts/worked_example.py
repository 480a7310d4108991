"""The paper's example of two documents without a common word, worked out in numbers.

    python scripts/worked_example.py

Writes docs/example.md and docs/pictures/worked-example.svg from the bundled table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import lcm
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from nomdeplume import Table
from nomdeplume.distance import bottleneck, word_mover
from nomdeplume.flow import Flow, Move, total
from nomdeplume.picture import svg

Floats = NDArray[np.float64]
Matrix = list[list[Fraction]]

DOCS = Path(__file__).parents[1] / "docs"
PAGE, PICTURE = DOCS / "example.md", DOCS / "pictures" / "worked-example.svg"
NAMES = ("Obama speaks Illinois", "President greets press")
FIRST, SECOND = ("obama", "speaks", "illinois"), ("president", "greets", "press")
EPSILON = 6


def vectors(words: Sequence[str]) -> Floats:
    table = Table.bundled()
    return table.vectors[table.ids(words)].astype(float)


def distances(first: Sequence[str], second: Sequence[str]) -> Floats:
    apart = vectors(first)[:, None] - vectors(second)[None]
    return np.asarray(np.linalg.norm(apart, axis=2), dtype=float)


def matchings(costs: Floats) -> list[tuple[float, tuple[int, ...]]]:
    """Every way to pair all rows with all columns, the cheapest first, with its total."""
    size = range(len(costs))
    return sorted((sum(float(costs[i, p[i]]) for i in size), p) for p in permutations(size))


def flow_of_equals(costs: Floats) -> Matrix:
    """The cheapest plan between equally many words, found by trying all pairings."""
    (_, best), *_ = matchings(costs)
    return [[Fraction(best[i] == j, len(best)) for j in range(len(best))] for i in range(len(best))]


def flow_of_any(costs: Floats) -> Matrix:
    """The cheapest plan between any two sizes: words cut into units so small that they pair."""
    n, m = costs.shape
    units = lcm(n, m)
    rows, columns = np.arange(units) // (units // n), np.arange(units) // (units // m)
    plan = [[Fraction(0)] * m for _ in range(n)]
    for i, j in zip(*linear_sum_assignment(costs[rows][:, columns]), strict=True):
        plan[rows[i]][columns[j]] += Fraction(1, units)
    return plan


def flow(first: Sequence[str], second: Sequence[str], plan: Matrix) -> Flow:
    costs = distances(first, second)
    moves = [
        Move(word, to, plan[i][j], float(costs[i, j]))
        for i, word in enumerate(first)
        for j, to in enumerate(second)
        if plan[i][j]
    ]
    moves.sort(key=lambda move: -move.cost)
    distance = word_mover(vectors(first), vectors(second))
    return Flow(tuple(moves), distance, "Word Mover's Distance", "W₁")


def grid(first: Sequence[str], second: Sequence[str], cells: Sequence[Sequence[object]]) -> str:
    """A matrix as a table, its rows and columns named by words."""
    lines = ["| | " + " | ".join(second) + " |", "|---" + "|--:" * len(second) + "|"]
    lines += [
        f"| {word} | {' | '.join(map(str, row))} |" for word, row in zip(first, cells, strict=True)
    ]
    return "\n".join(lines)


def with_sums(first: Sequence[str], second: Sequence[str], plan: Matrix) -> str:
    """A flow matrix with what its rows and columns sum to."""
    rows = [[*row, f"*{total(row)}*"] for row in plan]
    sums = [f"*{total(column)}*" for column in zip(*plan, strict=True)]
    return grid([*first, "*sum*"], [*second, "*sum*"], [*rows, [*sums, "*1*"]])


def sum_of(moves: Sequence[Move]) -> str:
    return " + ".join(f"{move.share}·{move.distance:.3f}" for move in moves)


def picture() -> str:
    return svg(flow(FIRST, SECOND, flow_of_equals(distances(FIRST, SECOND))), names=NAMES)


def page() -> str:
    costs = distances(FIRST, SECOND)
    plan = flow_of_equals(costs)
    best = flow(FIRST, SECOND, plan)
    farthest = bottleneck(vectors(FIRST), vectors(SECOND))
    assert np.allclose(farthest, [max(move.distance for move in best.moves), costs[2].min()])
    bound, drawn = 3 * EPSILON * best.distance, 3 * EPSILON * farthest
    bands = "; ".join(f"{move.word} to {move.becomes}" for move in best.moves)
    shorter = distances(FIRST[:2], SECOND)
    split = flow_of_any(shorter)
    uneven = flow(FIRST[:2], SECOND, split)
    pairings = "\n".join(
        f"| {', '.join(f'{FIRST[i]} → {SECOND[j]}' for i, j in enumerate(match))} | {moved:.3f} |"
        for moved, match in matchings(costs)
    )
    return f"""# Two documents without a common word

*Made by `scripts/worked_example.py`; `tests/docs/test_example.py` holds it to this. Numbers
are computed in full and rounded where they are printed.*

This is the example of Fernandes, Dras and McIver, *Author Obfuscation using Generalised
Differential Privacy* ([statement by statement](paper.md)), in the bundled table. In lower case
the documents are

1. **obama speaks illinois**
2. **president greets press**

They have no word in common, and yet anyone sees that they report much the same. The
[Word Mover's Distance](glossary.md) sees it too, because it asks how far words are apart.

![Three bands: {bands}](pictures/worked-example.svg)

## Distances

Euclidean, between the table's own vectors, which are not brought to length 1:

{grid(FIRST, SECOND, [[f"{cost:.3f}" for cost in row] for row in costs])}

## The flow

Each word is a third of its document. A *flow* T says how much of each word of the first
becomes which word of the second, so its rows and its columns sum to 1/3. The cheapest is

{with_sums(FIRST, SECOND, plan)}

Its triple 3·T has rows and columns that sum to 1. Such a matrix is called *doubly
stochastic*, and this one is a permutation matrix:

{grid(FIRST, SECOND, [[3 * cell for cell in row] for row in plan])}

That is no accident. The doubly stochastic matrices form a polytope whose corners are the
permutation matrices (Birkhoff, von Neumann), the cost is linear in T, and a linear function
is least at a corner. So whole words move, each to one other, and only six flows had to be
tried:

| pairing | moved in total |
|---|--:|
{pairings}

## The distance

  W₁ = Σᵢⱼ Tᵢⱼ·dᵢⱼ = {sum_of(best.moves)} = **{best.distance:.3f}**,

which is the mean of three moves: ({" + ".join(f"{move.distance:.3f}" for move in best.moves)}) / 3.

The bottleneck distance **W∞ = {farthest:.3f}** is the longest move of a plan whose longest move
is as short as can be. Here the same plan serves: of all three words *press* is the nearest
to *illinois*, so no plan spares *illinois* that way.

## What a release promises

Release the three words at ε = {EPSILON}, each with its own noise and in no order. What comes
out shifts the log-odds between the two documents by at most

  3·ε·W₁ = 3·{EPSILON}·{best.distance:.3f} = **{bound:.3f}**

([bags](proofs/bags.md)). The 3 cancels the thirds in T: the bound is ε times the *total*
moved, {EPSILON}·{3 * best.distance:.3f}, and ε·W₁ = {bound / 3:.3f} alone would be a third of it.
If the three words are instead drawn from the documents by chance, W∞ takes the place of
W₁, and the bound is 3·{EPSILON}·{farthest:.3f} = {drawn:.3f} ([sampling](proofs/sampling.md)).

## Unequal lengths

Leave out *illinois*. Now each word of the first document is a half and each of the second
a third, and the cheapest flow is

{with_sums(FIRST[:2], SECOND, split)}

  W₁ = {sum_of(uneven.moves)} = **{uneven.distance:.3f}**.

Both words are split. They must be: an entry that is a whole word on the left is 1/2, more
than any column holds, so no matching of whole words exists. T is not square, no multiple of
it is doubly stochastic, and Birkhoff's theorem is silent. The distance is as good as before,
but the promise above does not apply: it matches words one to one, and a release of two
words is told from one of three by counting.

So lengths are made equal first. N words are drawn by chance, with a promise in W∞ between
texts of any lengths, or the text is apportioned to N words, with a promise in W₁ between
the apportioned bags. Noise on the mean of a document needs neither: there W₁ serves for
any two lengths ([mean](proofs/mean.md)).
"""


def main() -> None:
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
