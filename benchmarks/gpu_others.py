"""What else runs on a card: how long it takes there and on the cores, and is it the same?

    python benchmarks/gpu_others.py

All on the bundled table, each once on every core of the machine and then on its card, where what
is loaded and compiled once is left out. Results must agree: numbers to twelve digits, words
wherever float32 does not decide between two that are equally good.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from common import record
from nomdeplume import Table, Vocabulary, devices, seeded
from nomdeplume.compose import Herding, MaxEnt
from nomdeplume.distance.corpus import Corpus
from nomdeplume.mechanism.choice import Choice
from nomdeplume.mechanism.pairs import Steepest, Words
from nomdeplume.mechanism.scores import Plain
from nomdeplume.mechanism.tight import tight
from nomdeplume.threads import cores

DRAWS, DOCUMENTS, SIZE = 1 << 18, 1024, 100


@dataclass(frozen=True, eq=False)
class Task:
    """Something to be made, and done with it."""

    name: str
    make: Callable[[], Any]
    use: Callable[[Any], Any]
    first: bool = False  # whether what is made once is part of it


def tasks(table: Table) -> list[Task]:
    kept = Vocabulary.of(table).ids
    rng = np.random.default_rng(0)
    asked = kept[rng.zipf(1.3, DRAWS) % len(kept)]
    places = np.asarray(table.vectors[kept]).astype(np.float64)
    targets = 0.3 * rng.standard_normal((DOCUMENTS, table.dimensions)) + places.mean(axis=0)
    rows = np.tanh(places @ rng.standard_normal((table.dimensions, 50)) / 10)
    bags = [rng.choice(len(kept), 200, replace=False) for _ in range(500)]
    sizes = [len(bag) for bag in bags]
    corpus = Corpus.of(places, np.concatenate(bags), np.ones(sum(sizes), int), sizes)
    query = places[rng.integers(0, len(places), 400)] + 0.01

    def choice() -> Choice:
        return Choice(table, kept, Plain(), 5.0)

    return [
        Task(
            "least ε of the exponential mechanism, all pairs",
            choice,
            lambda c: tight(c, kept).epsilon,
        ),
        Task(
            "stretch of a map to 50 features, all pairs",
            lambda: Words(table, kept, rows),
            lambda words: Steepest(words).slopes,
        ),
        Task(
            f"{DRAWS:,} draws of the exponential mechanism, rows made",
            choice,
            lambda c: c.draw(asked, seeded(1)),
            first=True,
        ),
        Task(
            f"{DRAWS:,} draws of the exponential mechanism, rows kept",
            choice,
            lambda c: c.draw(asked, seeded(1)),
        ),
        Task(
            f"{DOCUMENTS:,} documents of {SIZE} words by herding",
            lambda: Herding().over(places, kept),
            lambda compose: compose(targets, SIZE, seeded(1)),
        ),
        Task(
            "64 documents by maximum entropy",
            lambda: MaxEnt().over(places[:, :20], kept),
            lambda compose: compose(targets[:64, :20], SIZE, seeded(1)),
        ),
        Task(
            "Word Mover's lower bounds of 400 words to 500 texts",
            lambda: corpus._other(query),
            lambda asked: asked.relaxed(np.add),
        ),
    ]


def main() -> None:
    found: dict[str, Any] = {"cores": cores(), "table": "glove-6b-100d-50k"}
    for task in tasks(Table.bundled()):
        took, results = {}, []
        for device in ("cpu", "cuda"):
            with devices.on(device):
                if device == "cuda":
                    task.use(task.make())  # loads and compiles
                made = task.make()
                if not task.first:
                    results.append(task.use(made))
                began = time.perf_counter()
                results.append(task.use(made))
                took[device] = time.perf_counter() - began
        here, there = np.asarray(results[0], dtype=float), np.asarray(results[-1], dtype=float)
        found[task.name] = {
            "seconds on the cores": round(took["cpu"], 4),
            "seconds on the card": round(took["cuda"], 4),
            "times as fast": round(took["cpu"] / took["cuda"], 1),
            "the same": same(here, there),
        }
        print(task.name, found[task.name], flush=True)
    record("gpu-others", found)


def same(here: Any, there: Any) -> float:
    """Share of results that agree."""
    return round(float(np.isclose(here, there, rtol=1e-12, atol=0).mean()), 6)


if __name__ == "__main__":
    main()
