"""How fast is the Word Mover's Distance beside POT and gensim, and what does pruning save?

    python benchmarks/wmd.py [CORPUS.jsonl.gz]

Documents are texts of the corpus (any kind that `nomdeplume distance --all` reads), run
together and cut to 1,000 or 100 kept words; without one, words drawn by rank around random
topics. All sides get the same documents on the bundled table, and are timed in one run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import ot
from gensim.models import KeyedVectors
from scipy.spatial.distance import cdist

from common import best, record
from nomdeplume import Vocabulary
from nomdeplume.bag import Bag
from nomdeplume.comparison import Distance
from nomdeplume.distance import Cloud, bottleneck, word_mover
from nomdeplume.distance.bounds import centroid, priced, relaxed, smoothed
from nomdeplume.distance.cloud import distances
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields, Record
from nomdeplume.table import Table

RNG = np.random.default_rng(3)
TABLE = Table.bundled()
KEPT = Vocabulary.of(TABLE)
LONG, SHORT = 1000, 100
LONGS, PAIRS, DOCUMENTS, QUERIES, NEAREST = 10, 1000, 2000, 20, 5

Ids = Any


def texts(path: str | None) -> Iterator[Ids]:
    """The ids of the kept words of one text after another, in no order."""
    if path:
        for each in open_inputs([path], Fields()).records:
            if isinstance(each, Record):
                bag = KEPT.bag(each.text)
                yield RNG.permutation(np.repeat(bag.ids, bag.counts))
        return
    chances = 1 / np.arange(10, len(KEPT) + 10)
    while True:
        near = 1 + 30 * RNG.random(len(KEPT)) ** 8  # a topic: some words are far likelier
        yield RNG.choice(KEPT.ids, 300, p=chances * near / (chances * near).sum())


def documents(source: Iterator[Ids], count: int, size: int, *, joined: bool) -> list[Ids]:
    """Documents of `size` words: of several texts joined, or of single texts long enough."""
    found: list[Ids] = []
    words = np.empty(0, np.int64)
    while len(found) < count:
        text = next(source)
        words = np.concatenate([words, text]) if joined else text
        if len(words) >= size:
            found.append(words[:size])
            words = words[:0]
    return found


def cloud(ids: Ids) -> Cloud:
    return KEPT.cloud(Bag.from_ids(ids))


def shares(bag: Cloud) -> Any:
    return bag.counts / bag.counts.sum()


def agreement(found: float, due: float) -> float:
    return abs(found - due) / due


def long_documents(docs: list[Ids]) -> dict[str, Any]:
    """Two documents of 1,000 words; POT gets its matrix of costs for nothing."""
    ratios: dict[str, list[float]] = {"words": [], "distinct": []}
    seconds, worst = [], 0.0
    for x, y in zip(docs[::2], docs[1::2], strict=True):
        one, two = cloud(x), cloud(y)
        costs = {
            "words": cdist(*(TABLE.vectors[ids].astype(float) for ids in (x, y))),
            "distinct": cdist(one.points, two.points),
        }
        masses = {"words": [np.full(LONG, 1 / LONG)] * 2, "distinct": [shares(one), shares(two)]}
        seconds.append(best(lambda: word_mover(cloud(x), cloud(y))))  # noqa: B023
        for name, matrix in costs.items():
            theirs = best(lambda: ot.emd2(*masses[name], matrix, numItermax=10**7))  # noqa: B023
            ratios[name].append(theirs / seconds[-1])
        due = ot.emd2(*masses["distinct"], costs["distinct"], numItermax=10**7)
        worst = max(worst, agreement(word_mover(one, two), due))
    return {
        "pairs": len(seconds),
        "milliseconds": round(1000 * float(np.median(seconds)), 1),
        "times as fast as POT's emd2 on a ready matrix of words": _spread(ratios["words"]),
        "times as fast as POT's emd2 on a ready matrix of distinct words": _spread(
            ratios["distinct"]
        ),
        "largest relative difference": float(f"{worst:.1e}"),
    }


def short_documents(docs: list[Ids]) -> dict[str, Any]:
    """1,000 pairs of 100 words, from words to distance, beside gensim."""
    gensim = KeyedVectors(TABLE.dimensions)
    gensim.add_vectors(list(TABLE.words), TABLE.vectors[:])
    pairs = [([TABLE.words[i] for i in x], [TABLE.words[i] for i in y]) for x, y in _paired(docs)]

    def ours() -> Any:
        bags = [Bag.from_ids(TABLE.ids(words)) for pair in pairs for words in pair]
        numbers = np.arange(len(bags))
        return Distance(KEPT).of_bags(bags).pairs(numbers[::2], numbers[1::2])

    def one_by_one() -> list[float]:
        ids = ((TABLE.ids(x), TABLE.ids(y)) for x, y in pairs)
        return [word_mover(cloud(x), cloud(y)) for x, y in ids]

    def theirs() -> list[float]:
        return [gensim.wmdistance(x, y, norm=False) for x, y in pairs]

    mine, other, single = best(ours), best(theirs, 1), best(one_by_one, 1)
    clouds = [(cloud(x), cloud(y)) for x, y in _paired(docs)]
    due = [ot.emd2(shares(x), shares(y), cdist(x.points, y.points)) for x, y in clouds]
    longest = best(lambda: [bottleneck(x, y) for x, y in clouds], 1)
    return {
        "pairs": len(pairs),
        "milliseconds a pair": round(1000 * mine / len(pairs), 3),
        "times as fast as gensim": round(other / mine, 1),
        "times as fast as gensim, pair by pair": round(other / single, 1),
        "largest relative difference from POT": float(f"{max(map(agreement, ours(), due)):.1e}"),
        "milliseconds a pair, bottleneck distance": round(1000 * longest / len(pairs), 3),
    }


def near_documents(docs: list[Ids]) -> dict[str, Any]:
    """The 5 nearest of 2,000 documents, beside all 2,000 distances by the same engine."""
    corpus = Distance(KEPT).of_bags([Bag.from_ids(ids) for ids in docs[QUERIES:]])
    queries = [cloud(ids) for ids in docs[:QUERIES]]
    ratios, pruned, tight = [], [], []
    for query in queries:
        found = corpus.nearest(query, NEAREST)
        every = corpus.to(query)
        assert np.allclose(np.sort(every)[:NEAREST], found.distances, rtol=1e-12)
        seconds = best(lambda: corpus.nearest(query, NEAREST), 2)  # noqa: B023
        ratios.append(best(lambda: corpus.to(query), 1) / seconds)  # noqa: B023
        pruned.append(found.pruned)
        tight.append(_tightness(corpus, query, every))
    names = ("centroid", "relaxed", "priced", "smoothed")
    return {
        "documents": len(corpus),
        "queries": len(queries),
        "times as fast as all distances": _spread(ratios),
        "never computed": _spread(pruned, 4),
        "bound over distance": dict(
            zip(names, np.mean(tight, axis=0).round(3).tolist(), strict=True)
        ),
    }


def _tightness(corpus: Any, query: Cloud, every: Any) -> list[float]:
    """How much of the distance each bound says, over the first documents."""
    said = []
    for i, exact in enumerate(every[:100]):
        other = corpus[i]
        costs, a, b = distances(other.points, query.points), shares(other), shares(query)
        bounds = [f(costs, a, b) for f in (relaxed, priced, smoothed)]
        said.append(np.array([float(centroid(other.mean, query.mean)), *bounds]) / exact)
    return list(np.mean(said, axis=0))


def _paired(docs: list[Ids]) -> list[tuple[Ids, Ids]]:
    return [(docs[i], docs[-1 - i]) for i in range(PAIRS)]


def _spread(values: list[float], digits: int = 2) -> dict[str, float]:
    found = {"least": min(values), "median": float(np.median(values)), "most": max(values)}
    return {name: round(value, digits) for name, value in found.items()}


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else None
    source = texts(path)
    long = documents(source, 2 * LONGS, LONG, joined=True)
    short = documents(texts(path), DOCUMENTS + QUERIES, SHORT, joined=False)
    name = path.replace("\\", "/").rpartition("/")[2] if path else "words drawn by rank"
    record(
        "wmd" if path else "wmd-drawn",
        {
            "documents": name,
            "two documents of 1,000 words": long_documents(long),
            "documents of 100 words": short_documents(short),
            "nearest documents": near_documents(short),
        },
    )


if __name__ == "__main__":
    main()
