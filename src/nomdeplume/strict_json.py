"""JSON as the standard has it: Python's own reader also takes NaN, Infinity and 1e999."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NoReturn


def loads(text: str) -> Any:
    """The value that `text` holds; ValueError if it is not JSON or nested too deeply."""
    try:
        return json.loads(
            text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_object
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two values under one name nobody can tell which counts."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _refuse(number)


def _refuse(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
