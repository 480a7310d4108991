"""Is the answer on a card that of float64 brute force?

    python benchmarks/gpu_certified.py [queries]

A million noisy words of each real table, to which duplicates, words a hair apart and ties were
added. Brute force is the product in float64 on the card, where its rounding leaves more than
one word in question distances in float64, computed one by one; the first of equal ones counts.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import glove_100d, glove_300d, record
from nomdeplume import Laplace, Table
from nomdeplume.devices import Card, card, on
from nomdeplume.nearest.card import OnCard
from nomdeplume.noise import to_grid
from nomdeplume.noise.card import Stream

QUERIES = 1_000_000
NOISES = {100: (5.0, 8.0, 13.0, 24.0), 300: (10.0, 15.0, 20.0, 30.0)}
PLANTED = 2000  # duplicates, as many words a hair apart, as many pairs to lie between
BLOCK = 2048
EVEN = 1e-11  # of squared lengths: more than the product in float64 rounds


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else QUERIES
    with on("cuda"):
        found = card(0)
    assert found is not None
    tables = [checked(found, planted(table), count) for table in (glove_100d(), glove_300d())]
    record("gpu-certified", {"card": found.torch.cuda.get_device_name(), "tables": tables})


def planted(table: Table) -> Table:
    """The table, copies of some of its words, and words a hair from some others."""
    rng = np.random.default_rng(7)
    vectors = np.asarray(table.vectors[:], dtype=np.float32)
    some = rng.choice(len(vectors), (2, PLANTED), replace=False)
    near = np.nextafter(vectors[some[1]], np.float32(np.inf), dtype=np.float32)
    order = rng.permutation(len(vectors) + 2 * PLANTED)  # copies come before and after
    every = np.concatenate([vectors, vectors[some[0]], near])[order]
    return Table(tuple(f"w{i}" for i in range(len(every))), every, table.name)


def checked(found: Card, table: Table, count: int) -> dict[str, Any]:
    ways = {"8 bits": OnCard(found, table), "bfloat16": OnCard(found, table, coarse=False)}
    truth = Truth(found, table)
    wrong, unchanged, even, ties = dict.fromkeys(ways, 0), {}, 0, 0
    noises = NOISES[table.dimensions]
    for epsilon in noises:
        ids, queries, tied = asked(found, table, epsilon, count // len(noises))
        answers = truth.nearest(queries)
        ties += tied
        unchanged[f"{epsilon:g}"] = round(float((answers == ids).mean()), 3)
        for name, search in ways.items():
            mine = searched(search, queries)
            wrong[name] += int((mine != answers).sum())
        even = truth.even
        print(table.name, epsilon, unchanged, wrong, flush=True)
    return {
        "table": table.name,
        "words": len(table),
        "dimensions": table.dimensions,
        "planted: copies, words a hair apart": [PLANTED, PLANTED],
        "queries": count,
        "of these between two words or on one": ties,
        "more than one word in question": even,
        "unchanged, by epsilon": unchanged,
        "not the answer of brute force": wrong,
        "tiles looked at again": {n: round(s.tally.share, 5) for n, s in ways.items()},
    }


def searched(search: OnCard, queries: Any) -> NDArray[np.int64]:
    """Block by block, two of them at a time, as releases do it."""
    block = search.block
    return search.in_turns(lambda i: search.found(queries[i : i + block]), len(queries))


def asked(
    found: Card, table: Table, epsilon: float, count: int
) -> tuple[NDArray[np.int64], Any, int]:
    """Noisy words, then words themselves, and the middles of pairs of words."""
    rng, torch = np.random.default_rng(int(100 * epsilon)), found.torch
    ids = rng.integers(0, len(table), count)
    vectors = found.put(np.asarray(table.vectors[ids]).astype(np.float64))
    tied = min(PLANTED, count // 4)
    with Stream(found) as stream:
        noisy = to_grid(Laplace(epsilon).add(vectors[2 * tied :], stream), table.grid)  # type: ignore[arg-type]
    middles = (vectors[:tied] + vectors.flip(0)[:tied]) / 2
    return ids, torch.cat((middles, vectors[tied : 2 * tied], noisy)), 2 * tied


class Truth:
    """Brute force in float64."""

    def __init__(self, found: Card, table: Table) -> None:
        self._torch = found.torch
        self._words = found.put(np.asarray(table.vectors[:]).astype(np.float64))
        self._centre = found.torch.as_tensor(table.centre, device=found.at)
        self._centred = self._words - self._centre
        self._halves = self._centred.square().sum(1) / 2
        self._most = float(self._halves.max())
        self.even = 0  # queries for which the product leaves more than one word in question

    def nearest(self, queries: Any) -> NDArray[np.int64]:
        return np.concatenate(
            [self._some(queries[i : i + BLOCK]) for i in range(0, len(queries), BLOCK)]
        )

    def _some(self, queries: Any) -> NDArray[np.int64]:
        torch, centred = self._torch, queries - self._centre
        scores = centred @ self._centred.T
        scores -= self._halves
        best, at = scores.max(1)
        slack = EVEN * (centred.square().sum(1) + self._most)
        several = (scores >= (best - slack)[:, None]).sum(1) > 1
        for query in torch.nonzero(several)[:, 0].tolist():
            words = torch.nonzero(scores[query] >= best[query] - slack[query])[:, 0]
            moved = (queries[query] - self._words[words]).cpu().numpy()
            squared = np.einsum("nk,nk->n", moved, moved)
            at[query] = int(words[int(squared.argmin())])
        self.even += int(several.sum())
        return np.asarray(at.cpu().numpy())


if __name__ == "__main__":
    main()
