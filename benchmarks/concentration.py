"""The curse of dimensions, and what helps: how many words become one of their 100 nearest.

    python benchmarks/concentration.py

Noise in many dimensions gives a word back or something unrelated. At equal promise ε, with the
share of words that stay, that become one of their 100 nearest, and that become anything else:
of all kept words of the bundled table, evenly spaced, none of them weighted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from common import glove_100d, record
from nomdeplume import Exponential, Laplace, Mechanism, NoisyNearest, Table, Vocabulary
from nomdeplume.calibrate.effect import effect
from nomdeplume.calibrate.panel import Panel
from nomdeplume.decode import Rank
from nomdeplume.mechanism.image import Projection
from nomdeplume.mechanism.ranked import Ranked
from nomdeplume.table.directions import principal_directions

EXPONENTS = (0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
EPSILONS = (3.0, 6.0, 8.0, 9.0, 10.0, 12.0, 16.0)
STEP = 0.04  # c·ε of the step by rank: about 25 words


def row(promise: float, mechanism: Mechanism, panel: Panel) -> dict[str, Any]:
    found = effect(mechanism, panel)
    shares = {"unchanged": found.unchanged, "near": found.near, "far": found.far}
    return {"epsilon": round(promise, 4), **{name: round(x, 4) for name, x in shares.items()}}


def main() -> None:
    found = {
        "bundled table": measured(Vocabulary.of(Table.bundled()), exact=True),
        "GloVe 6B 100d": measured(Vocabulary.of(glove_100d()), exact=False),
    }
    record("concentration", found)


def measured(vocabulary: Vocabulary, *, exact: bool) -> dict[str, Any]:
    """Curves on one table; the exact promise only where all pairs can be gone through."""
    table, ids = vocabulary.table, vocabulary.ids
    panel = Panel.over(vocabulary, sample=500 if exact else 200)
    curves: dict[str, list[dict[str, Any]]] = {}

    def point(name: str, promise: float, mechanism: Mechanism) -> None:
        curves.setdefault(name, []).append(row(promise, mechanism, panel))
        print(name, curves[name][-1], flush=True)

    for epsilon in EPSILONS:
        noise, rank = Laplace(epsilon), Rank(STEP / epsilon)
        point("laplace", epsilon, NoisyNearest(table, noise, ids))
        point("laplace, rank", epsilon, NoisyNearest(table, noise, ids, decoder=rank))
        for m in (25, 50):
            image = Projection(principal_directions(table, m))
            mechanism = NoisyNearest(table, noise, ids, image=image)
            point(f"laplace in {m} dimensions", epsilon, mechanism)
    for a in EXPONENTS:
        plain = Exponential(table, a, inputs=ids, outputs=ids, epsilon=2 * a)
        point("exponential, textbook", 2 * a, plain)
        point("exponential, textbook, rank", 2 * a, Ranked(plain, Rank(STEP / (2 * a))))
        if exact:
            promise = plain.tight.epsilon
            known = replace(plain, epsilon=promise)
            point("exponential, exact", promise, known)
            point("exponential, exact, rank", promise, Ranked(known, Rank(STEP / promise)))
    good = {
        name: max((r for r in rows if r["unchanged"] <= 0.5), key=lambda r: r["near"], default=None)
        for name, rows in curves.items()
    }
    return {"words": len(ids), "curves": curves, "best with at most half unchanged": good}


if __name__ == "__main__":
    main()
