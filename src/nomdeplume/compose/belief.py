"""What a noisy mean was most likely made of, going by public documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nomdeplume.noise import Noise

Floats = NDArray[np.float64]


def believed(noisy: Floats, centres: Floats, noise: Noise) -> Floats:
    """The mean of what is behind each noisy mean, (n, m), if it is one of the public `centres`.

    Bayes' rule with the law of the noise: a centre f has the weight exp(−E‖z − f‖). It lies
    among the centres wherever z is, so what is composed from it can be met.
    """
    logs = noise.log_density(noisy, centres)  # (n, c)
    logs -= logs.max(axis=1, keepdims=True)
    weights = np.exp(logs)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(weights @ centres)
