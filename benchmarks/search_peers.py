"""How fast is the search beside others that find the nearest of all words?

    python benchmarks/search_peers.py

faiss's flat index and torch's float32 product with argmax, both on all cores, on the same
words and noise, in turn. Neither decides in float64: how often they differ is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import faiss
import numpy as np
import torch
from numpy.typing import NDArray

from common import glove_100d, record
from nomdeplume import Table, seeded
from nomdeplume.bench import best, eager, queries
from nomdeplume.nearest import Exact

QUERIES = 4096


def main() -> None:
    record("search-peers", {"tables": [measure(t) for t in (Table.bundled(), glove_100d())]})


def measure(table: Table) -> dict[str, Any]:
    noisy = queries(table, QUERIES, 8.0, seeded(1))
    exact, auto = Exact(table, plain=True), eager(Exact(table))
    answers = exact.nearest(noisy)
    vectors, asked = table.vectors[:], noisy.astype(np.float32)
    flat = faiss.IndexFlatL2(table.dimensions)
    flat.add(np.ascontiguousarray(vectors))
    searches: dict[str, Callable[[], NDArray[np.int64]]] = {
        "nomdeplume, exact": lambda: exact.nearest(noisy),
        "nomdeplume, auto": lambda: auto.nearest(noisy),
        "faiss IndexFlatL2": lambda: flat.search(asked, 1)[1][:, 0],
        "torch float32": lambda: by_torch(vectors, asked),
    }
    rates = {name: QUERIES / best(search) for name, search in searches.items()}
    peer = max(rate for name, rate in rates.items() if not name.startswith("nom"))
    return {
        "table": f"{len(table):,} x {table.dimensions}",
        "words per second": {name: round(rate) for name, rate in rates.items()},
        "exact, times the faster peer": round(rates["nomdeplume, exact"] / peer, 2),
        "auto, times the faster peer": round(rates["nomdeplume, auto"] / peer, 2),
        "not the nearest word": {
            name: int((search() != answers).sum()) for name, search in searches.items()
        },
    }


def by_torch(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.int64]:
    """As one would write it: blocks of queries, one product with all words, argmax."""
    words = torch.from_numpy(np.array(vectors))
    halves = (words * words).sum(1) / 2
    blocks = [torch.from_numpy(asked[i : i + 256]) for i in range(0, len(asked), 256)]
    return np.concatenate([(some @ words.T - halves).argmax(1).numpy() for some in blocks])


if __name__ == "__main__":
    main()
