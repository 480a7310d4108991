"""What is known of documents before any noise: public, and of use to whoever composes words."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError, positive

Floats = NDArray[np.float64]

GAIN, MOST = 2.0, 1e3


@dataclass(frozen=True, eq=False)
class Belief:
    """Where texts lie that are about nothing, and how much of a text is padding.

    Most words of a text say little about its topic, and draw its mean towards the `origin`.
    Words composed to have that mean would cancel out. So what is off the origin counts
    `gain` times: words then read like the topic, and as much is told by them.
    """

    origin: Floats  # (m,)
    gain: float = field(default=GAIN, kw_only=True)

    def __post_init__(self) -> None:
        if positive("gain", self.gain) > MOST:
            raise InputError(f"gain must be at most {MOST:g}, got {self.gain:g}.")
        if self.origin.ndim != 1 or not np.isfinite(self.origin).all():
            raise InputError("the origin of a belief must be one row of finite numbers.")

    def targets(self, noisy: Floats, stretch: float, middle: Floats) -> Floats:
        """What to compose for each noisy mean, (n, m), of words that lie around `middle`."""
        return np.asarray(middle + self.gain * (noisy - self.origin / stretch))
