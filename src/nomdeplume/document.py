"""Documents: what a text is released as."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten

from nomdeplume.privacy.certificate import Certificate


@dataclass(frozen=True, repr=False)
class Document:
    """A released text: its words in alphabetical order, and what is promised about them."""

    words: tuple[str, ...]
    certificate: Certificate
    vector: tuple[float, ...] | None = None  # the noisy mean behind the words, if asked for

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def __repr__(self) -> str:
        return f"<Document: {shorten(self.text, 60, placeholder=' …')}>"
