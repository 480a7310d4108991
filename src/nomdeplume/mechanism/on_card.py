"""Noise, grid and search without leaving the card: only ids go there, and only ids come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.noise import Noise, to_grid

if TYPE_CHECKING:
    from nomdeplume.nearest.card import OnCard

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def released(
    index: OnCard, noise: Noise, grid: float, ids: Ids, image: Callable[[Ids], Floats] | None
) -> Ids:
    """The nearest word of each word under noise, whose key is fresh for every block of them.

    Vectors of words are on the card already; images of them are made here by `image`.
    """
    from nomdeplume.noise.card import Stream

    def block(start: int) -> Any:
        some = ids[start : start + index.block]
        vectors = (
            index.vectors(some)
            if image is None
            else index.card.put(np.ascontiguousarray(image(some)))
        )
        with Stream(index.card) as stream:
            noisy = noise.add(vectors, stream)  # type: ignore[arg-type]
        return index.found(to_grid(noisy, grid))

    return index.in_turns(block, len(ids))
