"""Documents: what a text is released as."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten

from nomdeplume.privacy.certificate import Certificate

MADE_FOR = (  # what is said wherever documents composed from a noisy mean are shown
    "A release by the mean is made for sorting and counting many texts by broad subject. It is "
    "not made for reading: do not rely on it for what a single text says, and a short or mixed "
    "text may come out under a wrong subject."
)


@dataclass(frozen=True, repr=False)
class Document:
    """A released text, and what is promised about it."""

    text: str
    certificate: Certificate
    vector: tuple[float, ...] | None = None  # the noisy mean behind the words, if asked for

    @property
    def words(self) -> tuple[str, ...]:
        """Its words: of a release of words they are in alphabetical order."""
        return tuple(self.text.split())

    def __repr__(self) -> str:
        return f"<Document: {shorten(self.text, 60, placeholder=' …')}>"
