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


def is_text(kind: Any) -> bool:
    """Whether an Arrow column of this type holds strings, encoded however."""
    types = import_module("pyarrow").types
    inner = kind.value_type if types.is_dictionary(kind) else kind
    view = getattr(types, "is_string_view", lambda _: False)
    return bool(types.is_string(inner) or types.is_large_string(inner) or view(inner))


def check_text(name: str, kind: Any) -> None:
    """Refuse an Arrow column that is not text."""
    if not is_text(kind) and not import_module("pyarrow").types.is_null(kind):
        raise InputError(f"field {got(name)} must hold text, got {kind_of(kind)}.")


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
