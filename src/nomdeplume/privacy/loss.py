"""Losses of privacy: how far a release can shift anyone's odds between two inputs."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from math import exp, floor, inf, log, log10

MOST_WHOLE = 1 << 20  # odds that are known to be whole
MOST_EXACT = 700.0  # nats that whole odds are multiplied up to


class Loss(float):
    """A bound on the shift of the log-odds, in nats: a number that can also say its factor.

    >>> Loss(2.0).factor, Loss(log(100)).factor, Loss(6.0 + 600).factor
    ('7.39', '100', 'e^606 (about 10^264)')
    >>> Loss(log(6)).times(3).factor
    '216'
    """

    def times(self, releases: int) -> Loss:
        """The loss of several releases; of whole odds w to 1, m of them lose ln(w^m)."""
        exact = self < log(MOST_WHOLE) and releases * self < MOST_EXACT
        whole = round(exp(self)) if exact else 0
        return Loss(log(whole**releases) if whole and log(whole) == self else releases * self)

    @property
    def factor(self) -> str:
        """The largest factor by which odds can shift, never less than it is."""
        if self == inf:
            return "no bound"
        if self < log(1000):
            whole = round(exp(self))
            return str(whole) if whole and log(whole) == self else up(exp(self))
        return f"e^{up(self)} (about 10^{up(self / log(10))})"


def up(number: float, digits: int = 3) -> str:
    """A bound with some significant digits, and never less than it is."""
    size = floor(log10(number)) if number else 0
    exact = Decimal(number)
    if size > 6:
        step = Decimal(10) ** (size - digits + 1)
        return f"{float((exact / step).to_integral_value(ROUND_CEILING) * step):.{digits}g}"
    places = max(0, digits - 1 - size)
    text = f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_CEILING)}"
    return text.rstrip("0").rstrip(".") if places else text
