"""The rule by which ids of records are refused: those that tell who wrote a document."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nomdeplume.errors import PrivacyError, got
from nomdeplume.privacy.ledger.claims import has_id, plain

ID = "id"  # the usual name of the field, and the name of the numbers of released documents
AUTHOR = "author"  # the usual name of the field
PREFIXES = frozenset(  # words that ids are usually made of
    re.findall(
        r"\w+",
        """
        abstract answer article book case cell chapter chunk comment data doc document docs
        entry example file id ids idx index issue item key letter line log mail message msg
        new news no note nr num number obj object page para paragraph part passage post
        posts question rec record ref reply report review reviews row sample section segment
        sent sentence seq story test text texts thread ticket train tweet txt uid url uuid
        valid
        """,
    )
)
EMAIL = re.compile(r"[^\s@]@[^\s@]")
LETTERS = re.compile(r"[^\W\d_]+")
SPELLED = re.compile(r"(?<![a-z])[a-z][^a-z0-9]+[a-z](?![a-z])", re.IGNORECASE)  # J.D. or a-n-n
OTHER = re.compile(r"[^\w\s\-.,:/#+()\[\]|]")  # signs by which letters can be encoded
RANDOM = re.compile(  # a UUID, or a hexadecimal number of at least 16 digits
    r"(?<![^\W_])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})(?![^\W_])",
    re.IGNORECASE,
)


def identifying(value: Any, authors: Iterable[Any] = ()) -> str:
    """Return what an id tells about its author, or an empty string.

    An id may hold numbers, UUIDs, long hexadecimal numbers, single Latin letters and the words
    in `PREFIXES`, with usual punctuation. Any other letters can be a name.
    """
    text = " ".join(_texts(value))
    names = [name for author in authors for name in _texts(author)]
    parts = {part.casefold() for part in LETTERS.findall(text) if len(part) > 1}
    if any(_bare(name) and _bare(name) in _bare(text) for name in names):
        return "contains the value of its author field"
    if parts & {part.casefold() for name in names for part in LETTERS.findall(name)}:
        return "contains a part of its author field"
    if EMAIL.search(text):
        return "looks like an e-mail address"
    rest = RANDOM.sub(" ", text)
    if any(map(_is_name, LETTERS.findall(rest))) or SPELLED.search(rest) or OTHER.search(rest):
        return "holds letters that may be a name"
    return ""


def _texts(value: Any) -> Iterator[str]:
    """The plain values in a value, as texts without invisible characters."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
        return
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if has_id(value):
        text = unicodedata.normalize("NFKC", plain(value))
        yield "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def _is_name(letters: str) -> bool:
    single = len(letters) == 1 and letters.isascii()
    return not single and letters.lower() not in PREFIXES


def _bare(text: str) -> str:
    """The letters and digits of a text: 'Ann Smith' and 'ann_smith' are the same."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


@dataclass(frozen=True)
class IdCheck:
    """Refuses to release ids that tell who wrote a document."""

    names: tuple[str, ...] = ()  # of fields that hold ids and are released as they are
    authors: tuple[str, ...] = ()  # of fields that hold the authors
    fix: str = "leave the column out of keep, or add allow_identifying_ids=True."

    @classmethod
    def of(
        cls, keep: Iterable[str], *, id_: str = ID, author: str = "", allowed: bool = False
    ) -> IdCheck:
        """A check of the kept fields that hold ids; of none if all ids are `allowed`.

        Ids are compared with the field `author`, and with the field called author.
        """
        ids = (ID, id_.casefold())
        names = () if allowed else tuple(name for name in keep if name.casefold() in ids)
        return cls(names, tuple(dict.fromkeys((author or AUTHOR, AUTHOR))) if names else ())

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that are compared."""
        return tuple(dict.fromkeys((*self.names, *self.authors)))

    def one(self, place: str, fields: Mapping[str, Any]) -> None:
        """Raise if an id of this record tells its author. The message names its place only."""
        for name in self.names:
            authors = (fields.get(each) for each in self.authors if each != name)
            if told := identifying(fields.get(name), authors):
                raise PrivacyError(
                    f"{place}: the id in field {got(name)} {told} and is not released: {self.fix}"
                )

    def all(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Raise if an id of any row of a table tells its author."""
        for number, fields in enumerate(rows, start=1):
            self.one(f"row {number:,}", fields)
