"""
Everything this package raises on purpose:

* PlumeError
  x InputError        the caller can fix it: a bad value, file or flag      (exit 2)
    + TableError      the embedding file or arrays are not a table
    + Unreadable      the document is not text, or its record lacks one
  x PrivacyError      continuing would break the guarantee                  (exit 3)
    + BudgetSpent     the ledger has no room for this release

A message says what must hold, what was got, and what to do. It never quotes
the document: an error log must be as safe to share as a release.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from sys import float_info


class PlumeError(Exception):
    """Base of every error raised on purpose."""

    exit_code = 1


class InputError(PlumeError, ValueError):
    """The caller can fix it."""

    exit_code = 2


class TableError(InputError):
    """The embedding file or arrays are not a table."""


class Unreadable(InputError):
    """The document is not text, or its record lacks one."""


class PrivacyError(PlumeError):
    """Continuing would break the guarantee."""

    exit_code = 3


class BudgetSpent(PrivacyError):
    """The ledger has no room for this release."""


def positive(name: str, value: float) -> float:
    """`value`, if it is a finite number above zero."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value <= float_info.max:
        raise InputError(f"{name} must be a finite number above 0, got {shown(value)}.")
    return value


def stated(name: str, value: float, widest: float) -> None:
    """Refuse an ε whose loss between the farthest words is beyond floats, or next to it."""
    if not math.isfinite(value * (4 * widest)):
        raise InputError(
            f"{name} must be smaller on this table, got {value!r}: floats cannot hold its losses."
        )


def whole(name: str, value: int, *, least: int = 1, most: int = 10**7) -> int:
    """`value`, if it is a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= value <= most:
        raise InputError(
            f"{name} must be a whole number from {least} to {most:,}, got {shown(value)}."
        )
    return int(value)


def shown(value: object) -> str:
    """What was got, if it fits in a line."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a larger one" if value > 0 else "a smaller one"  # thousands of digits are no text
    return f"{value!r:.40}"
