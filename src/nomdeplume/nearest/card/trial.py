"""Whether the kernels are right on a card: tried on extremes before anything depends on them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from nomdeplume.devices import Card
from nomdeplume.nearest.card.operands import BFLOAT16, INT8, MOST, TILE, Asked, Kind, Rounded

QUERIES, WIDE, TILES = 256, 320, 2


@cache
def trusted(card: Card) -> Card:
    """The card; without our kernels if they do not run there, or not as their bounds say."""
    if not card.fused or card.at.type != "cuda":
        return card
    try:
        fused = _right(card, INT8) and _right(card, BFLOAT16)
    except Exception:
        fused = False  # no compiler, too little memory, a card that Triton does not know
    return card if fused else replace(card, fused=False)


def _right(card: Card, kind: Kind) -> bool:
    """Whether the largest sums, and sums of all sizes, are as exact as they are taken to be."""
    from nomdeplume.nearest.card.fused import Fused

    rng, dtype = np.random.default_rng(0), getattr(card.torch, kind.name)
    words, queries = (
        card.put(_extremes(rng, rows, kind)).to(dtype) for rows in (TILES * TILE, QUERIES)
    )
    none, ones = (card.put(np.full(TILES, value, np.float32)) for value in (0, 1))
    rounded = Rounded(kind, words, ones, none, none, none, none)
    found = Fused(card).maxima(rounded, Asked(queries, ones, none, none)).double()
    exact = words.double() @ queries.double().T
    sizes = words.double().abs() @ queries.double().abs().T
    best, most = (part.view(TILES, TILE, QUERIES).amax(1) for part in (exact, sizes))
    lost = (WIDE + 8) * kind.lost * most
    return bool(((found - best).abs() <= lost).all())


def _extremes(rng: np.random.Generator, rows: int, kind: Kind) -> Any:
    signs = rng.choice([-1.0, 1.0], (rows, WIDE))
    signs[:: rows // 8] = 1.0  # some rows of one sign, whose sums are the largest
    spread = 1.0 if kind is INT8 else 2.0 ** rng.integers(-12, 13, (rows, WIDE))
    return (MOST * signs * spread).astype(np.float32)
