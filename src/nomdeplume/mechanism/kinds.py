"""What every mechanism signs, and what some can do besides."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table


class Mechanism(Protocol):
    """Releases each word independently of the others, under a guarantee for one word."""

    @property
    def name(self) -> str: ...
    @property
    def table(self) -> Table: ...
    @property
    def outputs(self) -> NDArray[np.int64] | None: ...  # ids it may release; None: any
    @property
    def guarantee(self) -> Guarantee: ...
    def release(self, ids: NDArray[np.int64], rng: Generator) -> NDArray[np.int64]: ...


@runtime_checkable
class Movable(Mechanism, Protocol):
    """A mechanism that can be moved: to other words, under another ε. So small worlds audit it."""

    def elsewhere(self, table: Table, epsilon: float) -> Movable: ...


@runtime_checkable
class Finite(Mechanism, Protocol):
    """A mechanism that can say its chances: those of every word of the table, for each id."""

    def channel(self, ids: NDArray[np.int64]) -> NDArray[np.float64]: ...
