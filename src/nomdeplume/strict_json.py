"""JSON as the standard has it: Python's own reader also takes NaN, Infinity and 1e999."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NoReturn


def loads(text: str) -> Any:
    """The value that `text` holds; ValueError if it is not JSON or nested too deeply."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _refuse(number)


def _refuse(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
