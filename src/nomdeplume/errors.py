"""
Everything this package raises on purpose:

* PlumeError
  x InputError        the caller can fix it: a bad value, file or flag      (exit 2)
    + TableError      the embedding file or arrays are not a table
    + Unreadable      the document is not text, or its record lacks one
  x PrivacyError      continuing would break the guarantee                  (exit 3)

A message says what must hold, what was got, and what to do. It never quotes
the document: an error log must be as safe to share as a release.
"""

from __future__ import annotations

import math


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


def positive(name: str, value: float) -> float:
    """`value`, if it is a finite number above zero."""
    if not 0 < value < math.inf:
        raise InputError(f"{name} must be a finite number above 0, got {value!r}.")
    return value


def whole(name: str, value: int) -> int:
    """`value`, if it is a whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1, got {value!r}.")
    return value
