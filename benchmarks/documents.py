"""How many documents a second are released at once, from text to words or to stand-ins?

    python benchmarks/documents.py

Texts of 300 kept words of the bundled table, as often as language has them, and as much padding.
The ceiling in the same run is reading alone: texts to bags. Composing is told apart.
Stand-ins are of the library that ships, and of one of 100,000 texts of the same words.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import common
from nomdeplume import Obfuscator, Table, Vocabulary
from nomdeplume.decode import zipf
from nomdeplume.library import Library, Passage
from nomdeplume.library.fitting import fitted
from nomdeplume.privacy.random import secure

DOCUMENTS, WORDS = 1_000, 300
MAPS: dict[str, dict[str, Any]] = {
    "subjects, 8 features": {"map": "subjects"},
    "principal, 10 features": {"map": "principal", "dimensions": 10},
    "principal, 24 features": {"map": "principal", "dimensions": 24},
    "anchors, 26 features": {"map": "anchors"},
    "subjects, maxent": {"map": "subjects", "compose": "maxent"},
}


def texts(vocabulary: Vocabulary) -> list[str]:
    rng, table = np.random.default_rng(0), vocabulary.table
    weights = zipf(table)[vocabulary.ids]
    drawn = rng.choice(vocabulary.ids, (DOCUMENTS, WORDS), p=weights / weights.sum())
    return [" the ".join(table.words[i] for i in row) for row in drawn.tolist()]


def standins(vocabulary: Vocabulary, count: int) -> dict[str, float]:
    """Seconds to build and to open a library, and documents a second, from text to text."""
    some = texts(vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        path, took = "", 0.0
        if count:
            path = str(Path(folder, "library"))
            took = common.best(lambda: build(vocabulary, count, Path(path)), rounds=1)
        start = perf_counter()
        made = Obfuscator.standin(vocabulary, library=path)
        made(some[:1])
        opening = perf_counter() - start
        seconds = common.best(lambda: list(made.releases(some, secure())))
    return {
        "library built, s": round(took, 1),
        "library opened and one text released, s": round(opening, 2),
        "documents/s": round(DOCUMENTS / seconds),
    }


def build(vocabulary: Vocabulary, count: int, path: Path) -> None:
    """A library of texts of 70 words each."""
    rng, table = np.random.default_rng(1), vocabulary.table
    weights = zipf(table)[vocabulary.ids]
    drawn = rng.choice(vocabulary.ids, (count, 70), p=weights / weights.sum())
    passages = (" ".join(table.words[i] for i in row) for row in drawn.tolist())
    made = Library(tuple(Passage(str(n), text) for n, text in enumerate(passages)), name="many")
    path.write_text(fitted(made, "table").to_jsonl(), encoding="utf-8")


def main() -> None:
    vocabulary = Vocabulary.of(Table.bundled())
    some = texts(vocabulary)
    reading = common.best(lambda: list(vocabulary.bags(some)))
    bags = list(vocabulary.bags(some))
    found: dict[str, Any] = {"reading alone, documents/s": round(DOCUMENTS / reading)}
    for name, parts in MAPS.items():
        made = Obfuscator.mean(vocabulary, budget=20, **parts)
        list(made.releases(bags[:10], secure()))  # what is made once

        def whole(made: Obfuscator) -> None:
            list(made.releases(vocabulary.bags(some), secure()))

        seconds = common.best(partial(whole, made))
        alone = common.best(lambda made=made: list(made.releases(bags, secure())))  # type: ignore[misc]
        found[name] = {
            "documents/s, from text to words": round(DOCUMENTS / seconds),
            "documents/s, from bags to words": round(DOCUMENTS / alone),
            "words that may come out": made.documents.form.count,
            "share of reading alone": round(reading / seconds, 3),
        }
    found["stand-ins"] = standins(vocabulary, 0)
    found["stand-ins of 100,000 texts"] = standins(vocabulary, 100_000)
    common.record("documents", found)


if __name__ == "__main__":
    main()
