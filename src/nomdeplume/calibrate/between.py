"""The largest ε under which a release loses no more than so much between two texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from math import isfinite, log10, sqrt

from nomdeplume.calibrate.dial import DIGITS, LEAST, MOST, uncalibrated
from nomdeplume.errors import InputError, got, positive
from nomdeplume.mechanism import Recipe
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.loss import Loss
from nomdeplume.vocabulary import Vocabulary

ROUNDS = 40
CLOSE = 1e-5  # of ε


@dataclass(frozen=True)
class Bounded:
    """An ε, and what is lost under it between two texts: purely, and up to a δ if one is given."""

    epsilon: float
    loss: Loss
    at_delta: Loss | None = None


def largest(
    recipe: Recipe,
    vocabulary: Vocabulary,
    texts: tuple[str, str],
    nats: float,
    *,
    size: int = 100,
    reduction: str = "sample",
    delta: float | None = None,
) -> Bounded:
    """The largest ε, to four digits, whose guarantee loses at most `nats` between two texts.

    With a δ it is what is lost up to it that is bounded. It depends on the texts: whoever is
    told the ε is told how far apart they are.
    """
    positive("loss", nats)
    if delta is not None and not 0 < delta < 1:
        raise InputError(f"delta must be between 0 and 1, got {got(delta)}.")

    def system(epsilon: float) -> Obfuscator:
        return Obfuscator(vocabulary, uncalibrated(recipe, vocabulary, epsilon), size, reduction)

    def pure(epsilon: float) -> Loss:
        return system(epsilon).guarantee.loss(*texts)

    epsilon = _scaled(pure, nats)
    if delta is None:
        return Bounded(epsilon, pure(epsilon))

    def up_to(epsilon: float) -> Loss:
        return min(pure(epsilon), system(epsilon).account(*texts).loss(delta))

    epsilon = _halved(up_to, nats, epsilon)
    return Bounded(epsilon, pure(epsilon), up_to(epsilon))


def _scaled(lost: Callable[[float], float], nats: float) -> float:
    """Of losses that rise in proportion to ε, or more and more slowly; from below.

    Such a loss for each unit of ε never rises, so ε·nats/loss does not pass the answer.
    """
    epsilon, first = LEAST, lost(LEAST)
    if not isfinite(first):
        raise InputError("between these texts this mechanism promises nothing; take another.")
    if not first:
        raise InputError("the two texts keep the same words: nothing is lost under any ε.")
    if first > nats:
        raise InputError(f"loss must be at least {first:.3g} nats, that of ε = {LEAST:g}.")
    for _ in range(ROUNDS):
        before, epsilon = epsilon, min(MOST, epsilon * nats / lost(epsilon))
        if epsilon <= before * (1 + CLOSE):
            break
    return _down(epsilon, lost, nats)


def _halved(lost: Callable[[float], float], nats: float, low: float) -> float:
    """Of losses that rise with ε somehow, from an ε under which no more is lost."""
    high = low
    while high < MOST and lost(high) <= nats:
        low, high = high, min(MOST, 2 * high)
    while high > low * (1 + 1e-3):
        middle = sqrt(low * high)
        low, high = (middle, high) if lost(middle) <= nats else (low, middle)
    return _down(low, lost, nats)


def _down(epsilon: float, lost: Callable[[float], float], nats: float) -> float:
    """ε to few digits, and so that no more is lost."""
    exact = Decimal(epsilon)
    step = Decimal(10) ** (int(Decimal(log10(epsilon)).to_integral_value(ROUND_FLOOR)) - DIGITS + 1)
    rounded = (exact / step + Decimal("1e-6")).to_integral_value(ROUND_FLOOR) * step
    while lost(float(rounded)) > nats:
        rounded -= step
    return float(rounded)
