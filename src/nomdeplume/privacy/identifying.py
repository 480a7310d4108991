"""The rule by which ids of records are refused: those that tell who wrote a document."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from nomdeplume.errors import PrivacyError, got
from nomdeplume.privacy.ledger.claims import has_id, plain

ID = "id"  # the usual name of the field, and the name of the numbers of released documents
AUTHOR = "author"  # the usual name of the field
AUTHORS = (AUTHOR, "Author", "AUTHOR")  # spellings of that name
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
UUID_BYTES = 16
EMAIL = re.compile(r"[^\s@]@[^\s@]")
LETTERS = re.compile(r"[^\W\d_]+")
NUMBER = re.compile(r"\d+")
SHORT = 3  # digits of a number that is a part of a name, at least
NEIGHBOURS = 4  # runs of digits that may be one number
SPELLED = re.compile(r"(?<![a-z])[a-z][^a-z0-9]+[a-z](?![a-z])", re.IGNORECASE)  # J.D. or a-n-n
OTHER = re.compile(r"[^\w\s\-.,:/#+()\[\]|]")  # characters that can encode letters
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
    if any(_bare(name) and _bare(name) in _bare(text) for name in names):
        return "contains the value of its author field"
    if _words(text) & _words(" ".join(names)) or _numbers(names) & _joined(text):
        return "contains a part of its author field"
    if EMAIL.search(text):
        return "looks like an e-mail address"
    rest = RANDOM.sub(" ", text)
    letters = LETTERS.findall(rest)
    single = [each for each in letters if len(each) == 1]
    if any(map(_is_name, letters)) or len(single) > 2 or SPELLED.search(rest):
        return "holds letters that may be a name"
    if OTHER.search(text):
        return "holds characters that can encode letters"
    return ""


def _words(text: str) -> set[str]:
    return {word.casefold() for word in LETTERS.findall(text) if len(word) > 1}


def _numbers(names: Iterable[str]) -> set[str]:
    """The numbers of `SHORT` digits or more in names."""
    found = {number for name in names for number in _joined(name)}
    return {number for number in found if len(number) >= SHORT}


def _joined(text: str) -> set[str]:
    """The numbers in a text, and those of neighbouring digits: 47-11 holds 47, 11 and 4711."""
    runs = NUMBER.findall(text)
    parts = (runs[i : i + n] for i in range(len(runs)) for n in range(1, NEIGHBOURS + 1))
    return {"".join(part).lstrip("0") for part in parts}


def _texts(value: Any) -> Iterator[str]:
    """The plain values and names in a value, as texts without invisible characters."""
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if hasattr(value, "tolist"):
        value = value.tolist()  # an array
    if isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _texts(each)
        return
    if isinstance(value, bytes):
        value = _decoded(value)
    if has_id(value):
        text = unicodedata.normalize("NFKC", plain(value))
        yield "".join(_digit(each) for each in text if unicodedata.category(each) != "Cf")


def _decoded(value: bytes) -> str:
    """The text of bytes: UTF-8, or a UUID. Other bytes become characters that are refused."""
    with suppress(UnicodeDecodeError):
        return value.decode()
    if len(value) == UUID_BYTES and UUID(bytes=value).version is not None:
        return str(UUID(bytes=value))
    return value.decode("utf-8", "replace")


def _digit(character: str) -> str:
    """A digit of any script as one of 0 to 9, and any other character as it is."""
    return str(unicodedata.digit(character)) if character.isdecimal() else character


def _is_name(letters: str) -> bool:
    single = len(letters) == 1 and letters.isascii()
    return not single and letters.lower() not in PREFIXES


def _bare(text: str) -> str:
    """The letters and digits of a text, without leading zeros.

    'Ann Smith' and 'ann_smith' are the same, and so are '0042' and '42'.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = "".join(each for each in folded if each.isalnum())
    return bare.lstrip("0") or bare[:1]


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

        Ids are compared with the field `author` names, and with the field called author.
        """
        ids = (ID, id_.casefold())
        names = () if allowed else tuple(name for name in keep if name.casefold() in ids)
        return cls(names, tuple(dict.fromkeys((author or AUTHOR, *AUTHORS))) if names else ())

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
