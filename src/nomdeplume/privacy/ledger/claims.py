"""Whom a release is charged to: names that tell nothing without the key."""

from __future__ import annotations

import hmac
import re
import secrets
import unicodedata
from dataclasses import dataclass
from typing import Any

from nomdeplume.bag import Bag

Name = bytes  # of a document or an author: a keyed hash
Claim = tuple[Name, ...]  # all that one release is charged to

LENGTH = 16  # bytes of a name: no two of any number of documents share one by chance
WHOLE = re.compile(r"([+-]?\d+)\.0*")
DOCUMENT, AUTHOR = b"\1", b"\2"  # the first byte of a name


@dataclass(frozen=True)
class Claims:
    """Names of documents and authors under a key.

    A document is known by its id where it has one, so that whether it is refused depends on
    nothing in its text; else by its kept words.
    """

    key: bytes

    def by_id(self, value: Any) -> Name:
        """A document; the number 7 and the text "7" are one id, whatever a format makes of it."""
        return DOCUMENT + self._hash(b"id", _bytes(value))

    def by_bag(self, bag: Bag) -> Name:
        """A document. One without kept words is another every time.

        It is released as the public bag, so that nothing of it is spent; and a refusal would
        tell that it is empty.
        """
        if not len(bag):
            return DOCUMENT + secrets.token_bytes(LENGTH)
        return DOCUMENT + self._hash(b"bag", bag.ids.tobytes() + bag.counts.tobytes())

    def by_author(self, value: Any) -> Name | None:
        """An author; none if there is no value."""
        return AUTHOR + self._hash(b"author", _bytes(value)) if has_id(value) else None

    def seal(self, *parts: Any) -> bytes:
        """What only the holder of the key can put to a row."""
        return self._hash(b"seal", repr(parts).encode())

    def sealed(self, seal: Any, *parts: Any) -> bool:
        return isinstance(seal, bytes) and hmac.compare_digest(seal, self.seal(*parts))

    @property
    def check(self) -> bytes:
        """By which a ledger knows its key."""
        return self._hash(b"check", b"")

    def _hash(self, what: bytes, data: bytes) -> bytes:
        return hmac.digest(self.key, what + b"\0" + data, "sha256")[:LENGTH]


def has_id(value: Any) -> bool:
    """Whether a value names something: nothing, spaces and NaN do not."""
    value = value.as_py() if hasattr(value, "as_py") else value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return False
    return value == value and bool(str(value).strip())  # noqa: PLR0124


def plain(value: Any) -> str:
    """The text of an id or an author, one for 7, "7", 7.0 and "7.0 ", and for each form of é."""
    value = value.as_py() if hasattr(value, "as_py") else value
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    text = unicodedata.normalize("NFC", str(value).strip())
    whole = WHOLE.fullmatch(text)
    return whole[1] if whole else text


def _bytes(value: Any) -> bytes:
    return plain(value).encode("utf-8", "surrogatepass")


def shown(name: Name) -> str:
    """A name as people see it."""
    return name[1:].hex()
