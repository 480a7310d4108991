"""Measures every mechanism at equal promise and writes the tables of docs/guide/mechanisms.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from nomdeplume import Mechanism, Recipe, Table, Vocabulary, secure
from nomdeplume.calibrate.effect import effect
from nomdeplume.calibrate.panel import Panel
from nomdeplume.decode import zipf
from nomdeplume.mechanism.remembered import Memory

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "mechanisms.md"
LEVELS = (2.0, 6.0)  # ε of Euclidean promises; the others promise as much between random words
START, END = "<!-- measured: {} -->\n", "<!-- end -->"


@dataclass(frozen=True)
class Row:
    """A mechanism as it is compared, and what its promise is about."""

    name: str
    mechanism: str
    parts: dict[str, Any] = field(default_factory=dict)
    covers: str = "all words"


ROWS = (
    Row("laplace", "laplace"),
    Row("laplace, `--decode rank`", "laplace", {"decode": "rank"}),
    Row("laplace, `--decode bayes`", "laplace", {"decode": "bayes"}),
    Row("laplace, `--dimensions 25`", "laplace", {"dimensions": 25}),
    Row("vickrey", "vickrey"),
    Row("mahalanobis", "mahalanobis"),
    Row("vmf", "vmf"),
    Row("polar", "polar"),
    Row("exponential", "exponential"),
    Row("exponential, `--decode rank`", "exponential", {"decode": "rank"}),
    Row("exponential, `--weights zipf`", "exponential", {"weights": "zipf"}),
    Row("tem", "tem"),
    Row("syntf", "syntf"),
    Row("santext+", "santext+", covers="not the commonest tenth"),
    Row("custext", "custext", covers="within groups of 20"),
    Row("diffractor", "diffractor", covers="places in lists, not vectors"),
)


def typical(mechanism: Mechanism, kept: np.ndarray[Any, Any]) -> float:
    """The median distance between two random kept words, in the metric of a promise."""
    metric = mechanism.guarantee.ground("words")
    ids = np.random.default_rng(1).choice(kept, 1_000)
    places = metric.places(mechanism.table.vectors[ids].astype(np.float64), ids)
    apart = metric.apart(places[:500], places[500:])
    return float(np.median(apart))


def made(row: Row, epsilon: float, vocabulary: Vocabulary, nats: float) -> tuple[Mechanism, float]:
    """A mechanism that promises as much as the others, and the seconds that making it took."""
    parts = dict(row.parts)
    if "weights" in parts:
        parts["weights"] = zipf(vocabulary.table)
    one = partial(Recipe, row.mechanism, **parts)
    began = perf_counter()
    first = one(epsilon=epsilon).make(vocabulary, memory=Memory.usual())
    distance = typical(first, vocabulary.ids)
    if first.guarantee.metric.steps in ("", "capped distances") or distance == np.inf:  # type: ignore[attr-defined]
        return first, perf_counter() - began
    return one(epsilon=nats / distance).make(vocabulary), perf_counter() - began


def measured(row: Row, epsilon: float, vocabulary: Vocabulary, panel: Panel, nats: float) -> str:
    mechanism, seconds = made(row, epsilon, vocabulary, nats)
    found = effect(mechanism, panel)
    ids = np.resize(panel.ids, 20_000)
    mechanism.release(ids, secure())
    began = perf_counter()
    mechanism.release(ids, secure())
    rate = len(ids) / (perf_counter() - began)
    metric = mechanism.guarantee.metric
    between = "none" if typical(mechanism, vocabulary.ids) == np.inf else f"{nats:.0f} nats"
    shares = [f"{value:.3f}" for value in (found.unchanged, found.near, found.far)]
    cells = [
        row.name,
        f"{mechanism.guarantee.epsilon:.3g} · {metric.symbol}",
        between,
        row.covers,
        *shares,
        f"{found.moved:.1f}",
        f"{rate:,.0f}",
        f"{seconds:.0f} s",
    ]
    line = f"| {' | '.join(cells)} |"
    print(line, flush=True)
    return line


def table(epsilon: float) -> str:
    vocabulary = Vocabulary.of(Table.bundled())
    panel = Panel.over(vocabulary)
    plain = Recipe("laplace", epsilon).make(vocabulary)
    nats = epsilon * typical(plain, vocabulary.ids)
    head = [
        "| mechanism | promise | between random words | covered | unchanged | near | far | moved "
        "| words/s | set-up |",
        f"|{'---|' * 10}",
    ]
    rows = [measured(row, epsilon, vocabulary, panel, nats) for row in ROWS]
    return "\n".join([*head, *rows]) + "\n"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for level in LEVELS:
        start = START.format(f"{level:g}")
        before, _, rest = text.partition(start)
        after = rest.partition(END)[2]
        text = f"{before}{start}{table(level)}{END}{after}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
