"""Choosing ε by what it does to public words of a table, or by what two texts may lose."""

from nomdeplume.calibrate.between import Bounded, largest
from nomdeplume.calibrate.choose import WANTED, Wanted, choose
from nomdeplume.calibrate.curve import Curve, curve
from nomdeplume.calibrate.dial import Dial, Point
from nomdeplume.calibrate.effect import Effect, effect
from nomdeplume.calibrate.panel import Panel
from nomdeplume.calibrate.substitutes import Substitutes, substitutes

__all__ = [
    "WANTED",
    "Bounded",
    "Curve",
    "Dial",
    "Effect",
    "Panel",
    "Point",
    "Substitutes",
    "Wanted",
    "choose",
    "curve",
    "effect",
    "largest",
    "substitutes",
]
