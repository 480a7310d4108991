"""Results as they are read: whatever is missing or no number is None, never an error.

Results come from a file that another version, a run that was ended or a hand may have
written. A report says what is there; what is not there it leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nomdeplume.evaluate.figures import Figure

BEYOND = 1e15


def figure_of(thing: Any, name: str = "value") -> Figure | None:
    """The figure that an entry of the results holds, or None."""
    value = number(at(thing, name))
    if value is None:
        return None
    low, high = number(at(thing, "low")), number(at(thing, "high"))
    return Figure(value, value if low is None else low, value if high is None else high)


def at(thing: Any, *path: str | int) -> Any:
    """What stands at a path of names and places, None where the path ends early."""
    for step in path:
        if isinstance(step, str):
            thing = thing.get(step) if isinstance(thing, Mapping) else None
        else:
            rows = sequence(thing)
            thing = rows[step] if 0 <= step < len(rows) else None
    return thing


def number(thing: Any) -> float | None:
    """A number, or None; what is beyond all measure is not one."""
    if isinstance(thing, bool) or not isinstance(thing, int | float):
        return None
    return float(thing) if abs(thing) < BEYOND else None


def words(thing: Any) -> str:
    return thing if isinstance(thing, str) else ""


def sequence(thing: Any) -> Sequence[Any]:
    return thing if isinstance(thing, list | tuple) else ()


def mapping(thing: Any) -> Mapping[str, Any]:
    return thing if isinstance(thing, Mapping) else {}


def sentences(thing: Any) -> list[str]:
    return [each for each in map(words, sequence(thing)) if each]


def better(*figures: Figure | None) -> Figure | None:
    """The largest of the figures that were measured."""
    return max((each for each in figures if each), key=lambda each: each.value, default=None)
