"""Contribution bounds: of each author some documents are drawn, and the others are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from nomdeplume.errors import InputError
from nomdeplume.formats.records import Record
from nomdeplume.privacy.ledger.claims import Digest, author_digest, has_id


@dataclass(frozen=True)
class Drawn:
    """The numbers of the records that were drawn, each with the digest of its author.

    The choice depends on authors and numbers of records alone, never on a text. So a loss
    that holds for each document holds `most` times for all that an author wrote, and it
    holds whichever documents a reader believes were drawn.
    """

    field: str  # that names authors
    authors: Mapping[int, Digest]

    @classmethod
    def of(cls, records: Iterable[Record], field: str, most: int, rng: Generator) -> Drawn:
        """Draw `most` documents of each author, or all where there are fewer.

        Every set of that size is equally likely: document m of an author takes the place of
        a drawn one with probability most/m.
        """
        counts: dict[Digest, int] = {}
        drawn: dict[Digest, list[int]] = {}
        for number, record in enumerate(records, start=1):
            author = author_of(record.fields, field)
            if record.unreadable or author is None:
                continue
            counts[author] = count = counts.get(author, 0) + 1
            numbers = drawn.setdefault(author, [])
            if count <= most:
                numbers.append(number)
            elif (place := int(rng.integers(count))) < most:
                numbers[place] = number
        return cls(field, {each: author for author, some in drawn.items() for each in some})

    def has(self, number: int, fields: Mapping[str, Any]) -> bool | None:
        """True if a record was drawn; None if it names no author.

        A drawn record whose author has changed since is refused: too many of one author could
        be released.
        """
        author = author_of(fields, self.field)
        if author is None or number not in self.authors:
            return None if author is None else False
        if author != self.authors[number]:
            raise InputError("the input was changed while documents were drawn; run it again.")
        return True


def author_of(fields: Mapping[str, Any], field: str) -> Digest | None:
    """The digest of a record's author, as a ledger knows it; None if there is no value."""
    value = fields.get(field)
    return author_digest(value) if has_id(value) else None
