"""The file of features: JSON, with arrays in base64."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume import strict_json
from nomdeplume.errors import InputError

FORMAT = 2


def written(values: Mapping[str, Any]) -> str:
    """The fields of features as JSON."""
    data = {"format": FORMAT, **values, "words": list(values["words"])}
    data["seen"] = _packed(values["seen"], "<u8")
    if (directions := values["directions"]) is not None:
        data["directions"] = _rows(directions)
    if (learnt := values["values"]) is not None:
        data["values"] = {"number": len(learnt), "float32": _packed(learnt, "<f4")}
    data["anchors"] = list(map(list, values["anchors"]))
    data["speaking"] = list(values["speaking"])
    data["weights"] = list(values["weights"])
    data["origins"] = {name: row.tolist() for name, row in values["origins"].items()}
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def read(text: str) -> dict[str, Any]:
    """The fields of features from JSON, each of its type; nothing of it is quoted if not."""
    try:
        data = strict_json.loads(text)
    except ValueError:
        raise InputError("features must be JSON; this file is not.") from None
    if not isinstance(data, dict) or "format" not in data or "kept_fingerprint" not in data:
        raise InputError("this JSON is no file of features; nomdeplume features fit makes one.")
    if data.pop("format") != FORMAT:
        raise InputError(
            f"this program reads features of format {FORMAT}; use the version of nomdeplume that "
            "made them."
        )
    try:
        if set(data) != set(FIELDS):
            raise KeyError
        return {name: FIELDS[name](data[name]) for name in FIELDS}
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError("the features lack a field or have one of another type.") from None


def _rows(array: NDArray[np.float64]) -> dict[str, Any]:
    return {"number": len(array), "float64": _packed(array, "<f8")}


def _packed(array: NDArray[Any], kind: str) -> str:
    return b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def _unpacked(text: Any, kind: str) -> NDArray[Any]:
    return np.frombuffer(b64decode(_plain(str)(text), validate=True), dtype=kind)


def _plain(*kinds: type) -> Callable[[Any], Any]:
    """What gives back a value of just these types, and refuses others."""

    def plain(value: Any) -> Any:
        if type(value) not in kinds:
            raise TypeError
        return value

    return plain


def _words(value: Any) -> tuple[str, ...]:
    found = tuple(map(_plain(str), _plain(list)(value)))
    "".join(found).encode()  # half of a pair of surrogates is no letter: a ValueError
    return found


def _fingerprint(value: Any) -> str:
    if not re.fullmatch("[0-9a-f]{64}", _plain(str)(value)):
        raise ValueError
    return str(value)


def _share(value: Any) -> float | None:
    return None if value is None else float(_plain(int, float)(value))


def _directions(value: Any) -> NDArray[np.float64] | None:
    if value is None:
        return None
    if set(_plain(dict)(value)) != {"number", "float64"} or _plain(int)(value["number"]) < 1:
        raise KeyError
    return _unpacked(value["float64"], "<f8").astype(np.float64).reshape(value["number"], -1)


def _values(value: Any) -> NDArray[np.float64] | None:
    if value is None:
        return None
    if set(_plain(dict)(value)) != {"number", "float32"} or _plain(int)(value["number"]) < 1:
        raise KeyError
    found = _unpacked(value["float32"], "<f4").astype(np.float64).reshape(value["number"], -1)
    if not np.isfinite(found).all():
        raise ValueError
    return found


def _lists(value: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(map(_words, _plain(list)(value)))


def _origins(value: Any) -> dict[str, NDArray[np.float64]]:
    if set(_plain(dict)(value)) - {"topics", "learnt"}:
        raise KeyError
    return {
        name: np.array(list(map(_plain(int, float), _plain(list)(row))), dtype=np.float64)
        for name, row in value.items()
    }


def _marks(value: Any) -> NDArray[np.uint64]:
    return _unpacked(value, "<u8").astype(np.uint64)


FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "method": _plain(str),
    "topics": _plain(int),
    "texts": _plain(int),
    "leaks": _plain(bool),
    "accuracy": _share,
    "accuracy_all": _share,
    "table_fingerprint": _fingerprint,
    "kept_fingerprint": _fingerprint,
    "words": _words,
    "directions": _directions,
    "anchors": _lists,
    "speaking": _words,
    "weights": lambda value: tuple(map(float, map(_plain(int, float), _plain(list)(value)))),
    "values": _values,
    "origins": _origins,
    "seen": _marks,
}
