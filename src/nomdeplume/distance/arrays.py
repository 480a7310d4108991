"""Arrays here or on a card: one body for both, to a card and back, products that lose no bits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.devices import Card

Array = Any  # NumPy's here, torch's on a card


def namespace(array: Array) -> Any:
    """The module whose functions take such an array: NumPy, or torch for a tensor."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def beside(array: NDArray[Any], other: Array) -> Array:
    """An array where another one is, and of its kind of numbers if that is on a card."""
    return array if isinstance(other, np.ndarray) else namespace(other).as_tensor(array).to(other)


def put(array: NDArray[Any], card: Card | None) -> Array:
    """An array on the card, if there is one."""
    return array if card is None else card.put(array)


def back(array: Array) -> NDArray[Any]:
    """The same as an array of NumPy."""
    return array if isinstance(array, np.ndarray) else np.asarray(array.cpu())


def room(shape: tuple[int, ...], like: Array) -> Array:
    """Room for numbers of the kind of an array, where that is; nothing is written there yet."""
    if isinstance(like, np.ndarray):
        return np.empty(shape, like.dtype)
    return like.new_empty(shape)


@contextmanager
def all_bits(card: Card | None) -> Iterator[None]:
    """Let a card multiply float32 by all its bits, whatever else this process lets it do.

    TF32 keeps 10 bits of 23: bounds on how products round do not hold for it.
    """
    if card is None:
        yield
        return
    with _Rounding.lock:
        if not _Rounding.inside:
            _Rounding.before = _rounding(card.torch)
        _Rounding.inside += 1
    try:
        yield
    finally:
        with _Rounding.lock:
            _Rounding.inside -= 1
            if not _Rounding.inside:
                setattr(*_Rounding.before)


class _Rounding:
    """Who is inside, and what the last to leave sets again."""

    lock = Lock()
    inside = 0
    before: tuple[Any, str, Any]


def _rounding(torch: Any) -> tuple[Any, str, Any]:
    """Switch TF32 off, and say what was set before; newer versions of torch name it anew."""
    products = torch.backends.cuda.matmul
    name, exact = (
        ("fp32_precision", "ieee") if hasattr(products, "fp32_precision") else ("allow_tf32", False)
    )
    before = getattr(products, name)
    setattr(products, name, exact)
    return products, name, before
