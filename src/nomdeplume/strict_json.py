"""JSON as the standard has it: Python's own reader also takes NaN, Infinity and 1e999."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NoReturn


def loads(text: str) -> Any:
    """The value that `text` holds; ValueError if it is not JSON or nested too deeply."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two values under one name nobody can tell which counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


def _finite(number: str) -> float:
    return float(number) if isfinite(float(number)) else _refuse(number)


def _refuse(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_object)
