"""Documents: what a text is released as."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten

from nomdeplume.privacy.certificate import Certificate


@dataclass(frozen=True, repr=False)
class Document:
    """A released text, and what is promised about it."""

    text: str
    certificate: Certificate
    vector: tuple[float, ...] | None = None  # the noisy mean behind the words, if asked for
    standin: str = ""  # the id of the public text that it is, if it is one

    @property
    def words(self) -> tuple[str, ...]:
        """Its words: of a release of words they are in alphabetical order."""
        return tuple(self.text.split())

    def __repr__(self) -> str:
        return f"<Document: {shorten(self.text, 60, placeholder=' …')}>"
