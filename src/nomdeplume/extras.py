"""Parts that are not always installed; a missing one answers with the line that installs it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nomdeplume.errors import InputError


def extra(module: str, purpose: str, name: str) -> Any:
    """The module, if the extra that brings it is installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise InputError(f"{purpose} need {module}: pip install 'nomdeplume[{name}]'") from None


def installed(module: str, purpose: str, name: str) -> None:
    """Say the same of a module that is missing, without loading one that is there."""
    if find_spec(module) is None:
        raise InputError(f"{purpose} need {module}: pip install 'nomdeplume[{name}]'")


def evaluations() -> None:
    """Refuse to evaluate without what the extra `eval` brings, and load nothing of it."""
    for module in ("sklearn", "msgspec"):
        installed(module, "evaluations", "eval")


def arrow() -> Any:
    """pyarrow, which reads and writes Parquet, Arrow and zstd."""
    return extra("pyarrow", "Parquet, Arrow and .zst files", "formats")
