"""Mechanisms taken apart, copies with something else in a place, and a whole system as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import PrivacyError
from nomdeplume.mechanism import Mechanism, Ranked
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

Ids = NDArray[np.int64]


def before_steps(mechanism: Mechanism) -> Mechanism:
    """What releases words before any step by rank; the mechanism itself if there is none."""
    while isinstance(mechanism, Ranked):
        mechanism = mechanism.mechanism
    return mechanism


@dataclass(frozen=True, eq=False)
class Instead:
    """A mechanism in all but its releases, which a function makes of the words, without chance."""

    mechanism: Any
    released: Callable[[Ids], Ids]

    def release(self, ids: Ids, rng: Generator) -> Ids:  # noqa: ARG002
        return self.released(ids)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "mechanism"), name)


@dataclass(frozen=True, eq=False)
class Documents:
    """A whole system as a mechanism: every word is a text, and its document one word.

    It draws from the generator that the system takes by itself.
    """

    system: Obfuscator

    @property
    def table(self) -> Table:
        return self.system.vocabulary.table

    @property
    def name(self) -> str:
        return self.system.mechanism.name

    @property
    def outputs(self) -> Ids | None:
        return self.system.mechanism.outputs

    @property
    def guarantee(self) -> Guarantee:
        return self.system.mechanism.guarantee

    def release(self, ids: Ids, rng: Generator) -> Ids:  # noqa: ARG002
        documents = self.system([self.table.words[i] for i in ids.tolist()])
        return self.table.ids(document.words[0] for document in documents)


def cold(mechanism: Any) -> Any:
    """A copy that has made nothing yet of what is made on first use; itself if it has no copy."""
    if not is_dataclass(mechanism) or isinstance(mechanism, type):
        return mechanism
    values = {each.name: getattr(mechanism, each.name) for each in fields(mechanism)}
    inside = {name: cold(value) for name, value in values.items() if hasattr(value, "release")}
    try:
        return replace(mechanism, **inside)
    except (TypeError, ValueError, PrivacyError):
        return mechanism
