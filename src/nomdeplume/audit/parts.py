"""Mechanisms taken apart, copies with something else in a place, and a whole system as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from nomdeplume.errors import PrivacyError
from nomdeplume.mechanism.contract import DocumentMechanism, Ids, Mechanism
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary


class Releasing(Protocol):
    """Anything that releases words of a table, one for each."""

    @property
    def table(self) -> Table: ...
    def release(self, ids: Ids, rng: Generator) -> Ids: ...


def before_steps(mechanism: Mechanism) -> Mechanism:
    """The mechanism that releases words before any step; itself if there is no step."""
    while (step := mechanism.declaration.step) is not None:
        mechanism = step.mechanism
    return mechanism


@dataclass(frozen=True, eq=False)
class Instead:
    """A mechanism with some of its methods replaced; everything else is its own."""

    mechanism: Any
    methods: Mapping[str, Callable[..., Any]]

    def __getattr__(self, name: str) -> Any:
        methods = object.__getattribute__(self, "methods")
        return methods.get(name) or getattr(object.__getattribute__(self, "mechanism"), name)

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism:
        """Documents as the mechanism makes them, with the methods replaced."""
        made: Any = self.mechanism.documents(vocabulary, size, reduction)
        documents: DocumentMechanism = replace(made, words=self)
        return documents


def released_as(mechanism: Mechanism, released: Callable[[Ids], Ids]) -> Any:
    """The mechanism, with releases that a function makes of the words, without chance."""
    return Instead(mechanism, {"release": lambda ids, _: released(ids)})


@dataclass(frozen=True, eq=False)
class Documents:
    """A whole system as a mechanism: every word is a text, and its document one outcome.

    It draws from the generator that the system takes by itself.
    """

    system: Obfuscator

    @property
    def table(self) -> Table:
        return self.system.vocabulary.table

    def release(self, ids: Ids, rng: Generator) -> Ids:  # noqa: ARG002
        documents = self.system([self.table.words[i] for i in ids.tolist()])
        return numbered(document.text for document in documents)


def numbered(texts: Iterable[str]) -> Ids:
    """A number of 62 bits for each text, the same in every process; equal texts have equal ones."""
    digests = (sha256(text.encode()).digest()[:8] for text in texts)
    return np.array([int.from_bytes(each, "little") >> 2 for each in digests], dtype=np.int64)


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
