"""Records: texts with their place in the input, one at a time.

A record that cannot be read is known by its place and the reason, never by its content.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from nomdeplume.errors import InputError, got
from nomdeplume.formats.kinds import Kind

USUAL = frozenset(  # words that names of columns are made of
    re.findall(
        r"\w+",
        """
        a abstract answer article author body book category class code comment content country
        created customer date day description document email feedback full genre group id index
        key label lang language link main message month name no note number order page post
        product question rating reply review score sentence sentiment source status story
        subject summary tag tags text time timestamp title topic tweet type updated url user
        utterance value when year
        """,
    )
)
SHOWN = 12  # names of fields in a message
COLUMN = re.compile(r"[^\W\d_][\w .:/()#-]{0,39}|_[\w-]{0,39}")


@dataclass(frozen=True)
class Record:
    """A text to be released, and the fields that were read beside it."""

    place: str
    text: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""
    unreadable: str = ""  # the reason, if there is no text


@dataclass(frozen=True)
class Fields:
    """The names of the fields that are read: the text, the id and others.

    A text file has one field beside its text: `name`.
    """

    text: str = "text"
    id: str = "id"
    keep: tuple[str, ...] = ()
    with_id: bool = True  # whether the id is read
    optional: tuple[str, ...] = ()  # read where they are there, whatever they hold

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", tuple(dict.fromkeys(self.keep)))
        if self.text in (self.id, *self.keep):
            raise InputError(
                f"field {got(self.text)} is the private text; it cannot be kept or be the id."
            )
        for name in {"text", "warning"} & {self.id, *self.keep}:
            raise InputError(
                f"field {got(name)} of the output has a meaning of its own; keep another."
            )

    @cached_property
    def beside(self) -> tuple[str, ...]:
        """Fields that are read beside the text, and must be plain values."""
        return tuple(dict.fromkeys((*([self.id] if self.with_id else []), *self.keep)))

    @cached_property
    def extra(self) -> tuple[str, ...]:
        """Optional fields that are not read anyway."""
        return tuple(name for name in self.optional if name not in (self.text, *self.beside))

    def check(self, names: Collection[str], *, told: bool = False) -> None:
        """A field that the first record lacks is more likely misspelt than missing.

        Names that a schema has `told` are names; others may be words of a text.
        """
        asked = [self.text, *self.keep] + ([self.id] if self.id != Fields.id else [])
        for name in asked:
            if name not in names:
                hint = " Name the one that holds the text with --text-field." * (name == self.text)
                raise InputError(
                    f"no field {got(name)} in the input; it has {shown(names, told)}.{hint}"
                )


def shown(names: Collection[str], told: bool) -> str:
    """Names of fields, those that are usual: any other can be a word of a text.

    Records can be counts of words, and the first row of a CSV file its first text.
    """
    plain = [name for name in names if (is_column if told else is_usual)(name)]
    others = [f"{len(names) - len(plain)} with other names"] if len(plain) < len(names) else []
    more = [f"{len(plain) - SHOWN} more"] if len(plain) > SHOWN else []
    return ", ".join([*plain[:SHOWN], *more, *others]) or "no fields"


def is_usual(name: str) -> bool:
    """Whether this is what fields are usually called, so that it is the name of one."""
    return is_column(name) and set(re.split(r"[\W_]+", name.lower())) <= USUAL


def is_column(text: str) -> bool:
    """Whether a text is short and made of few words and numbers, as names of columns are."""
    return COLUMN.fullmatch(text) is not None and text.count(" ") < 4


@dataclass(frozen=True)
class Inputs:
    """All texts of a run: their kind, the records in order, and how far the reading is."""

    kind: Kind
    records: Iterator[Record]
    meter: Meter
    total: int | None = None  # bytes; None for a pipe


class Meter:
    """Counts the bytes that have been read."""

    bytes = 0


class MeteredFile(io.FileIO):
    """A file that tells a meter what is read from it."""

    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path, "rb")
        self._meter = meter

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer) or 0
        self._meter.bytes += count
        return count

    def readall(self) -> bytes:
        data = super().readall()
        self._meter.bytes += len(data)
        return data
