"""Features: the words worth keeping for their topic, as public data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.features import form
from nomdeplume.features.seen import Marks, among, mark
from nomdeplume.table.directions import contraction

if TYPE_CHECKING:
    from nomdeplume.table import Table

METHODS = {"chi2": "χ²", "mutual-information": "mutual information"}
LEAK = (
    "FITTED ON THE PRIVATE TEXTS: which words are kept depends on them, and no promise covers that"
)


@dataclass(frozen=True, eq=False, repr=False)
class Features:
    """Topic words, best first, maps of words that tell topics, and what they were fitted on.

    Words narrow what is kept, and the promise is about what is kept; without any, all words
    are. A map says what a mean is taken of. That is sound if they
    are public, fixed before any private text is looked at: hence `seen`, by which a text
    that they were fitted on is refused when it is to be released, unless `leaks` says so.
    """

    words: tuple[str, ...]
    method: str  # a name in METHODS
    topics: int
    texts: int
    table_fingerprint: str  # of the table and the kept words that they were fitted on
    kept_fingerprint: str
    leaks: bool = False  # fitted on private texts, as whoever did it says
    accuracy: float | None = None  # of telling topics from these words; None if not measured
    accuracy_all: float | None = None  # and from all kept words
    directions: NDArray[np.float64] | None = None  # (m, k), that tell topics apart
    anchors: tuple[tuple[str, ...], ...] = ()  # words that stand for each topic
    values: NDArray[np.float64] | None = None  # (words, m): a learnt map of these, or of all kept
    speaking: tuple[str, ...] = ()  # words to compose documents of, where all words are kept
    weights: tuple[float, ...] = ()  # how often texts hold these words, of `words` or `speaking`
    origins: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # mean text, by map
    seen: Marks = field(default_factory=lambda: np.empty(0, np.uint64))  # ascending

    def __post_init__(self) -> None:
        if len(set(self.words)) < len(self.words) or "" in self.words:
            raise InputError("features must hold each of their words once.")
        mapped = self.directions is not None or self.anchors or self.values is not None
        if not (self.words or mapped):
            raise InputError("features must hold at least one word, or a map.")
        wide = {
            "topics": 0 if self.directions is None else len(self.directions),
            "learnt": 0 if self.values is None else np.shape(self.values)[1],
        }
        if self.weights and len(self.weights) != len(self.words or self.speaking):
            raise InputError("features must have a weight for each word, or none.")
        if not all(0 < weight < np.inf for weight in self.weights):
            raise InputError("the weights of features must be finite numbers above 0.")
        if any(wide.get(name) != len(row) for name, row in self.origins.items()):
            raise InputError("the origins of features must be as long as their maps are wide.")
        if self.values is not None and self.words and len(self.values) != len(self.words):
            raise InputError("a learnt map must have a row of values for each word.")
        if self.method not in METHODS:
            raise InputError(f"the method of features must be {' or '.join(METHODS)}.")
        if self.topics < 2 or self.texts < self.topics:
            raise InputError("features must be of at least 2 topics, with a text for each.")
        shares = [each for each in (self.accuracy, self.accuracy_all) if each is not None]
        if not all(0 <= each <= 1 for each in shares):
            raise InputError("the accuracy of features must be between 0 and 1.")
        if (self.seen[1:] <= self.seen[:-1]).any():
            raise InputError("the marks of features must ascend.")
        self.seen.flags.writeable = False
        if self.directions is not None:
            found = contraction(self.directions, np.shape(self.directions)[-1])
            found.flags.writeable = False
            object.__setattr__(self, "directions", found)

    @classmethod
    def open(cls, path: str | Path) -> Features:
        """The features in a file that `save`, or `nomdeplume features fit`, wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError("features must be UTF-8 text; this file is not.") from None
        return cls.from_json(text)

    def save(self, path: str | Path) -> None:
        """Write a file that `open` reads."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def from_json(cls, text: str) -> Features:
        """Read features back; anything missing, extra or of another type is refused."""
        return cls(**form.read(text))

    def to_json(self) -> str:
        return form.written({name: getattr(self, name) for name in form.FIELDS})

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Features: {self.origin}>"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the file."""
        return sha256(self.to_json().encode()).hexdigest()

    @property
    def origin(self) -> str:
        """How the words were chosen, and on what: what a certificate says about them."""
        kind = "" if self.leaks else "public "
        words = f"{len(self):,} word{'s' * (len(self) > 1)} chosen by {METHODS[self.method]}"
        made = (
            f"{words if self.words else 'all words, and maps fitted'} on "
            f"{self.texts:,} {kind}texts (fingerprint {self.fingerprint[:16]}…)"
        )
        return f"{made}, {LEAK}" if self.leaks else made

    def fitted_on(self, text: str) -> bool:
        """Whether a text is one they were fitted on, and nobody said so."""
        return not self.leaks and among(mark(text), self.seen)

    def along(self, table: Table, m: int) -> NDArray[np.float64] | None:
        """The first m directions, if there are any: of the table that they were fitted on."""
        if self.directions is None:
            return None
        self.of_table(table)
        if m > len(self.directions):
            raise InputError(
                f"these features hold {len(self.directions)} directions, asked was for {m}; fit "
                f"features with --dimensions {m}."
            )
        return self.directions[:m]

    def of_table(self, table: Table) -> None:
        """Refuse another table than they were fitted on: maps are of its vectors."""
        if table.fingerprint != self.table_fingerprint:
            raise InputError(
                f"the directions and maps of these features are not those of table {table.name}; "
                "fit features with this table."
            )
