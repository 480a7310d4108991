"""How rich a vocabulary is: measures of how often words come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import log


def richness(counts: Iterable[int]) -> dict[str, float]:
    """Measures of the counts of a text's words; all are 0 for a text without any.

    With N words, V different ones and Vₘ of them m times: Yule's K = 10⁴·(Σ m²·Vₘ − N)/N²,
    Simpson's D = Σ m·(m − 1)·Vₘ / (N·(N − 1)), Honoré's R = 100·ln N / (1 − V₁/V). Where every
    word occurs once R has no value: it is taken as if one more word were there, and twice.
    """
    times = Counter(counts)  # m → Vₘ
    words = sum(m * v for m, v in times.items())
    different = times.total()
    if not words:
        return dict.fromkeys(_NAMES, 0.0)
    squares = sum(m * m * v for m, v in times.items())
    once = max(1 - times[1] / different, 1 / (different + 1))
    values = (
        different / words,
        times[1] / words,
        times[2] / words,
        1e4 * (squares - words) / words**2,
        (squares - words) / max(words * (words - 1), 1),
        100 * log(words) / once,
        -sum(v * (m / words) * log(m / words) for m, v in times.items()),
    )
    return dict(zip(_NAMES, values, strict=True))


_NAMES = (
    "types per word",
    "hapax legomena",
    "dis legomena",
    "Yule's K",
    "Simpson's D",
    "Honoré's R",
    "entropy",
)
