"""What may be kept of a frame: plain values, of types that hide nothing."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from nomdeplume.errors import InputError, got

STRINGS = ("string", "large_string", "string_view")  # Arrow's


def is_plain(kind: Any) -> bool:
    """Whether an Arrow type is neither nested nor an extension, nor a dictionary of such."""
    pa = import_module("pyarrow")
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return not pa.types.is_nested(kind) and not isinstance(kind, pa.BaseExtensionType)


def kind_of(found: object) -> str:
    """The outermost name of a type: what is named within it are fields or values."""
    return re.split(r"[<(\[{]", str(found), maxsplit=1)[0]


def home(value: Any) -> str:
    """The package that a value's type comes from."""
    return type(value).__module__.partition(".")[0]


def unkept(name: str, found: object) -> InputError:
    """The refusal of a column that is not plain."""
    return InputError(
        f"column {got(name)} must hold plain values, got {kind_of(found)}; leave it out."
    )
