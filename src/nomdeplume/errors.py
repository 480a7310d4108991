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
import re
from numbers import Integral, Real
from pathlib import Path
from sys import float_info

NAME = re.compile(r"[\w.:/+=-]{1,40}", re.ASCII)


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

    number = 0  # of the first document without room, where they are charged together


def got(value: object) -> str:
    """A value as a message may quote it: a number, or what can only be a name.

    Anything else may be a text that was put in its place.
    """
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a larger one" if value > 0 else "a smaller one"  # thousands of digits are no text
    if value is None or isinstance(value, Real):
        return f"{value!r:.40}"
    if isinstance(value, str):
        return repr(value) if NAME.fullmatch(value) else "'…'"
    return type(value).__name__


def at(path: str | Path) -> str:
    """A path as a message may quote it, which a text put in its place may not be."""
    name = re.sub(r"//[^/@]*@", "//…@", str(path))  # without a password
    plain = len(name) <= 100 and name.isprintable() and (" " not in name or Path(name).suffix)
    return name if plain else "the name given"


def positive(name: str, value: float) -> float:
    """`value`, if it is a finite number above zero."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value <= float_info.max:
        raise InputError(f"{name} must be a finite number above 0, got {got(value)}.")
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
            f"{name} must be a whole number from {least} to {most:,}, got {got(value)}."
        )
    return int(value)
