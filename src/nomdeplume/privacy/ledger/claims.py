"""Names of documents and authors in a ledger: keyed hashes of what identifies them."""

from __future__ import annotations

import hmac
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from nomdeplume.bag import Item
from nomdeplume.errors import InputError, got

Digest = bytes  # SHA-256 of what identifies a document or an author; never stored
Name = bytes  # of a document or an author: a keyed hash of a digest
Claim = tuple[Name, ...]  # all that one release is charged to

LENGTH = 16  # bytes of a name: no two of any number of documents share one by chance
WHOLE = re.compile(r"([+-]?\d+)\.0*")
DOCUMENT, AUTHOR, PERMANENT = b"\1", b"\2", b"\3"  # the first byte of a name


@dataclass(frozen=True)
class Digests:
    """Digests that identify a document, and its author where authors are charged."""

    document: Digest
    author: Digest | None = None


@dataclass(frozen=True)
class Identity:
    """The fields that identify documents and their authors.

    A document is identified by its id where it has one, so that whether it is refused depends
    on nothing in its text; else by its kept words, or by its text. No key is needed: workers that
    read texts send digests, and the process that holds the ledger turns them into names.
    """

    id_field: str = ""
    author_field: str = ""
    needs_id: bool = False

    def digests(
        self, fields: Mapping[str, Any], content: Callable[[], Item] | None = None
    ) -> Digests | None:
        """The digests of a record; None if its author is charged and not known, or its id needed.

        Its content, a bag of kept words, or the text where a mechanism is about texts as they
        are, is made only if the record has no id.
        """
        value = fields.get(self.id_field)
        if has_id(value):
            document = id_digest(value)
        elif self.needs_id:
            return None
        elif content is None:
            raise InputError("every row must have an id to be charged; some have none.")
        else:
            document = content_digest(content())
        if not self.author_field:
            return Digests(document)
        author = fields.get(self.author_field)
        return Digests(document, author_digest(author)) if has_id(author) else None

    def knows(self, fields: Mapping[str, Any]) -> bool:
        """True if a record has an id that identifies it."""
        return has_id(fields.get(self.id_field))

    def missing(self, fields: Mapping[str, Any]) -> str:
        """The field without which a record has no digests."""
        return self.id_field if self.needs_id and not self.knows(fields) else self.author_field

    @property
    def nameless(self) -> str:
        """The reason for withholding a document whose author is not known."""
        return f"no value in field {got(self.author_field)}."


@dataclass(frozen=True)
class Claims:
    """Names of documents and authors under a key."""

    key: bytes

    def of(self, digests: Digests) -> Claim:
        """All names that a release is charged to."""
        document = DOCUMENT + self._hash(b"document", digests.document)
        if digests.author is None:
            return (document,)
        return document, AUTHOR + self._hash(b"author", digests.author)

    def by_id(self, value: Any) -> Name:
        """The name of a document with an id."""
        return self.of(Digests(id_digest(value)))[0]

    def by_content(self, content: Item) -> Name:
        """The name of a document without an id, by its kept words or by its text."""
        return self.of(Digests(content_digest(content)))[0]

    def by_author(self, value: Any) -> Name | None:
        """The name of an author; None if there is no value."""
        return AUTHOR + self._hash(b"author", author_digest(value)) if has_id(value) else None

    def permanent(self, claim: Claim, text: Digest, recipe: Digest) -> tuple[Name, bytes]:
        """The name of a release that is drawn once, and the secret seed of its draw.

        Both follow from the document, and its author if that is charged, from the text as it
        is, and from all that makes the release. Two documents never share a draw: it would tell
        whether their texts are the same.
        """
        data = b"".join((*claim, text, recipe))
        seed = hmac.digest(self.key, b"draw\0" + data, "sha256")
        return PERMANENT + self._hash(b"permanent", data), seed

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


def id_digest(value: Any) -> Digest:
    """The digest of an id; the number 7 and the text "7" are one id in every format."""
    return sha256(b"id\0" + _bytes(value)).digest()


def content_digest(content: Item) -> Digest:
    """The digest of kept words or of a text, whose layout does not count.

    A document without kept words has a new digest every time: it is released as the public bag
    and spends nothing, and a refusal would tell that it is empty.
    """
    if isinstance(content, str):
        plain = " ".join(unicodedata.normalize("NFC", content).split())
        return sha256(b"text\0" + plain.encode("utf-8", "surrogatepass")).digest()
    if not len(content):
        return secrets.token_bytes(sha256().digest_size)
    return sha256(b"bag\0" + content.ids.tobytes() + content.counts.tobytes()).digest()


def text_digest(text: Item) -> Digest:
    """The digest of a text exactly as it is."""
    if not isinstance(text, str):
        raise InputError("a permanent draw needs a text as it is, not a bag of words.")
    return sha256(b"as it is\0" + text.encode("utf-8", "surrogatepass")).digest()


def author_digest(value: Any) -> Digest:
    return sha256(b"author\0" + _bytes(value)).digest()


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
