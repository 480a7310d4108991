"""What may be kept of a frame: plain values, of types that hide nothing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nomdeplume.errors import InputError

STRINGS = ("string", "large_string", "string_view")  # Arrow's


def is_plain(kind: Any) -> bool:
    """Whether an Arrow type is neither nested nor an extension, nor a dictionary of such."""
    pa = import_module("pyarrow")
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return not pa.types.is_nested(kind) and not isinstance(kind, pa.BaseExtensionType)


def home(value: Any) -> str:
    """The package that a value's type comes from."""
    return type(value).__module__.partition(".")[0]


def unkept(name: str, found: object) -> InputError:
    """The refusal of a column that is not plain."""
    return InputError(f"column {name!r} must hold plain values, got {found!s:.60}; leave it out.")
