"""What is known of documents before any noise: public, and of use to whoever composes words."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError, positive
from nomdeplume.noise import Noise

Floats = NDArray[np.float64]

GAIN = 2.0


@dataclass(frozen=True, eq=False)
class Belief:
    """Where texts lie that are about nothing, where public ones lie, and how much is padding.

    Most words of a text say little about its topic, and draw its mean towards the `origin`.
    Words composed to have that mean would cancel out. So what is off the origin counts
    `gain` times: words then read like the topic, and as much is told by them.
    """

    origin: Floats  # (m,)
    centres: Floats | None = None  # (c, m), mean features of public documents
    gain: float = field(default=GAIN, kw_only=True)

    def __post_init__(self) -> None:
        positive("gain", self.gain)
        if self.origin.ndim != 1:
            raise InputError("the origin of a belief must be one row of numbers.")
        if self.centres is not None and self.centres.shape[1:] != self.origin.shape:
            raise InputError("the centres of a belief must be rows as long as its origin.")

    def targets(self, noisy: Floats, noise: Noise, stretch: float, middle: Floats) -> Floats:
        """What to compose for each noisy mean, (n, m), of words that lie around `middle`."""
        found = noisy
        if self.centres is not None:
            found = believed(noisy, self.centres / stretch, noise)
        return np.asarray(middle + self.gain * (found - self.origin / stretch))


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
