"""How fast is the certified search on a card, beside the matrix products that the card can do?

    python benchmarks/gpu_search.py

Tables: 400,000 × 300 with the norms and near duplicates of a real table, and real ones. The
ceiling is the card's own rate of bfloat16 products, large and square, in the same run: as many
words a second as if scores of all words were such products, and nothing else had to be done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from common import best, glove_100d, glove_300d, record
from nomdeplume import Laplace, Table
from nomdeplume.devices import Card, card, on
from nomdeplume.mechanism.on_card import released
from nomdeplume.nearest.card import OnCard
from nomdeplume.noise import to_grid
from nomdeplume.noise.card import Stream
from synthetic import synthetic

SECONDS = 0.9  # of each measurement
SIZE = 8192  # of the square products
TIMES = 9  # blocks that are searched in a row
NOISES = {"synthetic": (10.0, 15.0, 20.0), "glove-6b-100d": (5.0, 13.0, 24.0)}


def main() -> None:
    with on("cuda"):
        found = card(0)
    assert found is not None
    torch = found.torch
    real = glove_300d()
    made = synthetic(np.asarray(real.vectors[:]), 400_000, 300, seed=1)
    words = tuple(map(str, range(len(made))))
    tables = (Table(words, made, "synthetic"), glove_100d(), real, Table.bundled())
    record(
        "gpu-search",
        {
            "card": torch.cuda.get_device_name(),
            "torch": str(torch.__version__),
            "tables": [measured(found, table) for table in tables],
        },
    )


def measured(found: Card, table: Table) -> dict[str, Any]:
    """All ways, at several noises."""
    ways = Ways(
        {
            "8 bits": OnCard(found, table),
            "bfloat16": OnCard(found, table, coarse=False),
            "torch float32": OnCard(Card(found.torch, found.at), table),
        }
    )
    noises = NOISES.get(table.name, (8.0, 20.0))
    return {
        "table": table.name,
        "words": len(table),
        "dimensions": table.dimensions,
        "queries": ways.first.block,
        "noise": [ways.at(found, table, epsilon) for epsilon in noises],
    }


class Ways(dict[str, OnCard]):
    """The searches of one table, by name."""

    @property
    def first(self) -> OnCard:
        return self["8 bits"]

    def at(self, found: Card, table: Table, epsilon: float) -> dict[str, Any]:
        top = products(found) / (2 * len(table) * table.dimensions)
        block, noise = self.first.block, Laplace(epsilon)
        ids = np.random.default_rng(0).integers(0, len(table), TIMES * block)
        some = ids[:block]
        with Stream(found) as stream:
            noisy = noise.add(self.first.vectors(some), stream)  # type: ignore[arg-type]
        noisy = to_grid(noisy, table.grid)
        answers = self.first.found(noisy)
        row: dict[str, Any] = {
            "epsilon": epsilon,
            "unchanged": round(float((answers.cpu().numpy() == some).mean()), 3),
            "product of bfloat16, words per second": round(top),
        }
        for name, search in self.items():
            row |= {f"{name}, {what}": value for what, value in speed(search, noisy, top).items()}
            mine = search.found(noisy[: search.block])
            row[f"{name}, same answers"] = float((mine == answers[: len(mine)]).float().mean())
        whole = rate(found, lambda: released(self.first, noise, table.grid, ids, None), len(ids))
        row["with noise, from ids to ids, words per second"] = round(whole)
        row["with noise, share of the product"] = round(whole / top, 3)
        print(row, flush=True)
        return row


def speed(search: OnCard, noisy: Any, top: float) -> dict[str, Any]:
    """Of the search of a block, over and over, as many blocks are searched."""
    again, before = search.tally.again, search.tally.tiles
    times = TIMES if search.card.fused else 1
    count, mine = times * search.block, noisy[: search.block]
    found = rate(search.card, lambda: search.in_turns(lambda _: search.found(mine), count), count)
    return {
        "words per second": round(found),
        "share of the product": round(found / top, 3),
        "tiles looked at again": round(
            (search.tally.again - again) / (search.tally.tiles - before), 5
        ),
        "first look": search._kinds[0].name,
    }


def products(found: Card) -> float:
    """Operations a second of a large product of bfloat16, two for each multiply-add."""
    torch = found.torch
    a, b = (torch.randn(SIZE, SIZE, dtype=torch.bfloat16, device=found.at) for _ in range(2))
    return rate(found, lambda: a @ b, 2 * SIZE**3)


def rate(found: Card, work: Callable[[], object], count: float) -> float:
    """How many things are done in a second, by the best of a few spells."""

    def spell(times: int) -> None:
        for _ in range(times):
            work()
        found.torch.cuda.synchronize()

    spell(3)
    times = max(1, int(SECONDS / 3 / best(lambda: spell(1), 1)))
    return count * times / best(lambda: spell(times))


if __name__ == "__main__":
    main()
