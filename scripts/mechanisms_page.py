"""Measures every mechanism at equal promise and writes the tables of docs/guide/mechanisms.md."""

from __future__ import annotations

import json
import sys
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
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
START, END = "<!-- {} -->\n", "<!-- end -->"


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


def equal(row: Row, epsilon: float, vocabulary: Vocabulary, nats: float) -> tuple[Mechanism, float]:
    """A mechanism that promises as much as the others, and the seconds that making it took."""
    parts = dict(row.parts)
    if "weights" in parts:
        parts["weights"] = zipf(vocabulary.table)
    one = partial(Recipe, row.mechanism, **parts)
    began = perf_counter()
    first = one(epsilon=epsilon).words(vocabulary, memory=Memory.usual())
    distance = typical(first, vocabulary.ids)
    if first.guarantee.metric.steps in ("", "capped distances") or distance == np.inf:  # type: ignore[attr-defined]
        return first, perf_counter() - began
    return one(epsilon=nats / distance).words(vocabulary), perf_counter() - began


def measured(row: Row, epsilon: float, vocabulary: Vocabulary, panel: Panel, nats: float) -> str:
    mechanism, seconds = equal(row, epsilon, vocabulary, nats)
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
    plain = Recipe("laplace", epsilon).words(vocabulary)
    nats = epsilon * typical(plain, vocabulary.ids)
    head = [
        "| mechanism | promise | between random words | covered | unchanged | near | far | moved "
        "| words/s | set-up |",
        f"|{'---|' * 10}",
    ]
    rows = [measured(row, epsilon, vocabulary, panel, nats) for row in ROWS]
    return "\n".join([*head, *rows]) + "\n"


def concentration() -> str:
    """The points of benchmarks/concentration.py with most near words, at most half unchanged."""
    found = json.loads((RESULTS / "concentration.json").read_text(encoding="utf-8"))
    lines = ["| table | mechanism | ε | unchanged | near | far |", f"|{'---|' * 6}"]
    for name, measured in found.items():
        best = measured["best with at most half unchanged"]
        for mechanism, point in best.items():
            cells = [f"{name}, {measured['words']:,} words", mechanism, f"{point['epsilon']:.3g}"]
            cells += [f"{100 * point[share]:.1f} %" for share in ("unchanged", "near", "far")]
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "And along ε, on the bundled table:", ""]
    lines += ["| mechanism | ε | unchanged | near |", f"|{'---|' * 4}"]
    for mechanism in ("laplace", "laplace, rank", "exponential, exact", "exponential, exact, rank"):
        for point in found["bundled table"]["curves"][mechanism]:
            shares = [f"{100 * point[share]:.1f} %" for share in ("unchanged", "near")]
            lines.append(f"| {mechanism} | {point['epsilon']:.3g} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def calibration() -> str:
    """The exact promise beside the textbook's, from benchmarks/calibration.py."""
    found = json.loads((RESULTS / "calibration.json").read_text(encoding="utf-8"))
    rows, published = list(found.values())[:2]
    weighted = found["with Zipf weights"]
    everything = list(found.values())[-1]
    lines = [
        "| a | exact ε*(a) | textbook 2a | published, GloVe-300d | Zipf weights | all kept words |",
        f"|{'---|' * 6}",
    ]
    for row, other, most in zip(rows, weighted, everything, strict=True):
        cells = [f"{row['a']:g}", f"{row['exact']:.3f}", f"{row['textbook']:g}"]
        cells += [
            f"{published[str(row['a'])]:.2f}",
            f"{other['exact']:.3f}",
            f"{most['exact']:.3f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    parts = {"concentration": concentration, "calibration": calibration}
    if "--quick" not in sys.argv:
        parts |= {f"measured: {level:g}": partial(table, level) for level in LEVELS}
    for name, made in parts.items():
        start = START.format(name)
        before, _, rest = text.partition(start)
        after = rest.partition(END)[2]
        text = f"{before}{start}{made()}{END}{after}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
