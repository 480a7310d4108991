"""How near is the exact search to the matrix product it consists of?

    python benchmarks/nearest.py

The ceiling is the same blocked product without looking at its result, at its
best block size and threading, measured in turn with the search.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from common import best, glove_100d, record
from nomdeplume import Laplace, Table, seeded
from nomdeplume.nearest import Exact

QUERIES = 8192
THREADS = 2
WHOLE = (256, 512, 1024)  # queries × all words, BLAS in threads
TILES = ((1024, 512), (1024, 1024), (2048, 512), (2048, 1024))  # queries × words, one thread each


def whole(queries: NDArray[np.float32], words: NDArray[np.float32], block: int) -> None:
    out = np.empty((block, len(words)), dtype=np.float32)
    for i in range(0, len(queries), block):
        np.matmul(queries[i : i + block], words.T, out=out)


def tiled(queries: NDArray[np.float32], words: NDArray[np.float32], n: int, m: int) -> None:
    def work(i: int) -> None:
        out = np.empty((n, m), dtype=np.float32)
        for j in range(0, len(words) - m + 1, m):
            np.matmul(queries[i : i + n], words[j : j + m].T, out=out)
        rest = len(words) % m
        if rest:
            np.matmul(queries[i : i + n], words[-rest:].T, out=out[:, :rest])

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(0, len(queries), n)))


def measure(table: Table) -> dict[str, object]:
    rng = seeded(1)
    vectors = table.vectors[rng.integers(0, len(table), QUERIES)].astype(np.float64)
    noisy = Laplace(6.0).add(vectors, rng)
    queries = np.ascontiguousarray(noisy, dtype=np.float32)
    words = np.array(table.vectors[:])
    index = Exact(table, threads=THREADS)
    index.nearest(noisy[:10])
    work: dict[str, Callable[[], None]] = {
        f"{block} x all, {THREADS} BLAS threads": partial(whole, queries, words, block)
        for block in WHOLE
    }
    for n, m in TILES:
        work[f"{n} x {m}, {THREADS} threads"] = partial(tiled, queries, words, n, m)
    products = {name: QUERIES / best(each) for name, each in work.items()}
    search = QUERIES / best(lambda: index.nearest(noisy))
    name = max(products, key=products.__getitem__)
    ceiling = max(products[name], QUERIES / best(work[name]))  # once more, after the search
    return {
        "words": len(table),
        "dimensions": table.dimensions,
        "exact words per second": round(search),
        "best product without argmax, per second": round(ceiling),
        "best block": name,
        "share of the ceiling": round(search / ceiling, 3),
        "all products": {each: round(rate) for each, rate in products.items()},
    }


def main() -> None:
    tables = (Table.bundled(), glove_100d())
    record("nearest", {"queries": QUERIES, "tables": [measure(table) for table in tables]})


if __name__ == "__main__":
    main()
