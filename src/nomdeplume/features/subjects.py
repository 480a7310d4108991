"""Broad subjects, each by a list of anchor words, that owe nothing to any corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nomdeplume.table.directions import leading

if TYPE_CHECKING:
    from nomdeplume.table import Table

Floats = NDArray[np.float64]

FOLDER = Path(__file__).parent.parent / "data"
KNOWN = 0.5  # of the anchors, that a table must hold for subjects to be told in it


@dataclass(frozen=True)
class Subjects:
    """Anchor words by subject, written for this project, and words that read like each."""

    anchors: Mapping[str, tuple[str, ...]]
    words: Mapping[str, tuple[str, ...]]  # anchors among them; derived by scripts/subjects.py

    @classmethod
    @cache
    def of(cls, language: str) -> Subjects | None:
        """Those that ship for a language, if any do."""
        path = FOLDER / f"subjects-{language}.json"
        if not path.is_file():
            return None
        data = json.loads(path.read_text(encoding="utf-8"))
        words = json.loads(path.with_suffix(".words.json").read_text(encoding="utf-8"))
        return cls(*({name: tuple(some) for name, some in each.items()} for each in (data, words)))

    @classmethod
    def told(cls, table: Table) -> Subjects | None:
        """Those of a table's language, if the table knows enough of their anchors."""
        found = cls.of(table.language)
        if found is None:
            return None
        listed = [word for some in found.anchors.values() for word in some]
        return found if len(table.ids(listed)) >= max(KNOWN * len(listed), 2) else None

    def sets(self, table: Table) -> list[Floats]:
        """The vectors of each subject's anchors, of those that the table knows."""
        ids = [table.ids(words) for words in self.anchors.values()]
        return [table.vectors[some].astype(np.float64) for some in ids if len(some)]

    def directions(self, table: Table, m: int) -> Floats:
        """The m directions along which anchors, and so subjects, differ most: orthonormal rows."""
        vectors = np.concatenate(self.sets(table))
        apart = vectors - vectors.mean(axis=0)
        return leading(apart.T @ apart, m)
