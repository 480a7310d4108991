"""From a noisy vector to the nearest word: post-processing, it never sees the secret."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nomdeplume.nearest.exact import Exact
from nomdeplume.nearest.several import Several

__all__ = ["Exact", "Index", "Several"]


class Index(Protocol):
    """Finds the id of the word nearest to each query."""

    def nearest(self, queries: NDArray[np.float64]) -> NDArray[np.int64]: ...
