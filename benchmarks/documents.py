"""How many documents a second are released at once, from text to words?

    python benchmarks/documents.py

Texts of 300 kept words of the bundled table, as often as language has them, and as much padding.
The ceiling in the same run is reading alone: texts to bags. Composing is told apart.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import common
from nomdeplume import Obfuscator, Table, Vocabulary
from nomdeplume.decode import zipf
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
    common.record("documents", found)


if __name__ == "__main__":
    main()
