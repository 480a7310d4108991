"""Mechanisms: from the ids of private words to the ids of released ones."""

from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.mechanism.noisy_nearest import NoisyNearest
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

__all__ = ["Mechanism", "NoisyNearest"]


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
