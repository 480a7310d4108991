"""How often does a word stay, and how far is its nearest neighbour? Beside published figures.

    python benchmarks/unchanged.py [--corpus FILE.jsonl.gz]

Published: mean half-distance to the nearest word on GloVe-6B 50d 1.383; share
of words unchanged by Laplace noise on 50d at ε = 1, 5, 10: 0, 9.1, 74.1 %
(LREC 2024 benchmark, words of IMDb reviews). With --corpus, words are also
drawn as they occur in real texts, and without stop words, also with the output
confined to the words of the corpus: vocabularies are often made so, and it is the
setting nearest to the published figures.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common import glove_50d, record
from nomdeplume import Laplace, NoisyNearest, Table, seeded
from nomdeplume.table.neighbours import half_distances
from nomdeplume.text import stop_words, words

Ids = NDArray[np.int64]

DRAWS = 20_000
PUBLISHED = {"half-distance": 1.383, "unchanged": {"1": 0.0, "5": 0.091, "10": 0.741}}


def unchanged(table: Table, ids: Ids, epsilon: float, outputs: Ids | None = None) -> float:
    mechanism = NoisyNearest(table, Laplace(epsilon), outputs)
    return float((mechanism.release(ids, seeded(7)) == ids).mean())


def counted(corpus: Path) -> Counter[str]:
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        return words("\n".join(json.loads(line)["text"] for line in lines))


def draw(table: Table, counts: Mapping[str, int]) -> Ids:
    """Ids of words drawn as often as they occur."""
    known = [word for word in counts if len(table.ids([word]))]
    weights = np.array([counts[word] for word in known], dtype=float)
    drawn = seeded(9).choice(table.ids(known), DRAWS, p=weights / weights.sum())
    return np.asarray(drawn, dtype=np.int64)


def ways(table: Table, corpus: Path | None) -> dict[str, tuple[Ids, Ids | None]]:
    """Words to release, and the words that they may become (None: all)."""
    any_word = seeded(5).integers(0, len(table), DRAWS)
    if corpus is None:
        return {"any word": (any_word, None)}
    counts = counted(corpus)
    stopped = stop_words("iso").words
    content = {word: count for word, count in counts.items() if word not in stopped}
    drawn = draw(table, content)
    return {
        "any word": (any_word, None),
        "as in texts": (draw(table, counts), None),
        "as in texts, no stop words": (drawn, None),
        "as in texts, no stop words, output from the corpus": (drawn, np.sort(table.ids(counts))),
    }


def measure(table: Table, epsilons: list[float], corpus: Path | None) -> dict[str, object]:
    half = half_distances(table, np.arange(len(table)))
    return {
        "table": table.name,
        "words": len(table),
        "dimensions": table.dimensions,
        "mean half-distance": round(float(half.mean()), 4),
        "words with a duplicate vector": int((half == 0).sum()),
        "unchanged": {
            how: {f"{e:g}": round(unchanged(table, ids, e, outputs), 4) for e in epsilons}
            for how, (ids, outputs) in ways(table, corpus).items()
        },
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--corpus", type=Path)
    corpus = arguments.parse_args().corpus
    record(
        "unchanged",
        {
            "published, GloVe-6B 50d": PUBLISHED,
            "measured": [
                measure(glove_50d(), [1, 5, 10], corpus),
                measure(Table.bundled(), [4, 5, 6, 7, 8, 10], corpus),
            ],
        },
    )


if __name__ == "__main__":
    main()
