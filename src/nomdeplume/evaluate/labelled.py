"""Texts with labels: who wrote each, what it is about, and what may not be torn apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.errors import InputError

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]

TRAIN, TEST = ("train", "training"), ("test", "testing")


@dataclass(frozen=True, eq=False)
class Labels:
    """One label for each text: `names[codes[i]]` is that of text i, and every name is used."""

    names: tuple[str, ...]
    codes: Ids  # (n,)

    @classmethod
    def of(cls, values: Iterable[Any]) -> Labels:
        said = [str(value) for value in values]
        place = {name: i for i, name in enumerate(sorted(set(said)))}
        return cls(tuple(place), np.array([place[name] for name in said], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> Ids:
        """How many texts have each label."""
        return np.bincount(self.codes, minlength=len(self.names))

    def only(self, mine: Mask) -> Labels:
        """The labels of some texts; names that none of them has are gone."""
        used, codes = np.unique(self.codes[mine], return_inverse=True)
        return Labels(tuple(self.names[i] for i in used), codes.astype(np.int64))


@dataclass(frozen=True, eq=False)
class Labelled:
    """A corpus to evaluate on: texts, and of authors and topics what is known.

    `group` is what a fold may not tear apart, such as a book; `test` says which texts are
    for testing, where that is given.
    """

    texts: tuple[str, ...]
    author: Labels | None = None
    topic: Labels | None = None
    group: Labels | None = None
    test: Mask | None = None
    places: Ids | None = None  # of the texts among those that were given
    left_out: int = 0  # texts that lacked a label, or whose author has too few

    def __post_init__(self) -> None:
        if self.author is None and self.topic is None:
            raise InputError("texts to evaluate on need an author or a topic each.")
        if self.group is not None and self.test is not None:
            raise InputError("give groups or a split, not both: a split may tear groups apart.")
        for name in ("author", "topic", "group", "test"):
            labels = getattr(self, name)
            if labels is not None and len(labels) != len(self.texts):
                raise InputError(
                    f"{len(self.texts):,} texts need as many labels of {name}, got {len(labels):,}."
                )

    @classmethod
    def of(
        cls,
        texts: Iterable[str],
        authors: Iterable[Any] | None = None,
        topics: Iterable[Any] | None = None,
        *,
        groups: Iterable[Any] | None = None,
        split: Iterable[Any] | None = None,
    ) -> Labelled:
        """A corpus of texts and their labels; a text that lacks one is left out."""
        texts = tuple(texts)
        found = {"author": authors, "topic": topics, "group": groups, "split": split}
        columns = {name: list(values) for name, values in found.items() if values is not None}
        for name, values in columns.items():
            if len(values) != len(texts):
                raise InputError(
                    f"{len(texts):,} texts need as many labels of {name}, got {len(values):,}."
                )
        whole = [i for i in range(len(texts)) if all(_said(v[i]) for v in columns.values())]
        if not whole:
            raise InputError("no text has all labels that were asked for.")
        labels = {name: [values[i] for i in whole] for name, values in columns.items()}
        test = _tested(labels.pop("split")) if "split" in labels else None
        made = {name: Labels.of(values) for name, values in labels.items()}
        chosen = tuple(texts[i] for i in whole)
        left_out, places = len(texts) - len(whole), np.array(whole, dtype=np.int64)
        return cls(chosen, **made, test=test, places=places, left_out=left_out)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def classes(self) -> Labels:
        """What folds keep in proportion: authors if they are known, else topics."""
        found = self.author if self.author is not None else self.topic
        if found is None:  # which __post_init__ refused
            raise InputError("texts to evaluate on need an author or a topic each.")
        return found

    def only(self, mine: Mask) -> Labelled:
        """Some of the texts, with what is known of them."""
        labels = {name: getattr(self, name) for name in ("author", "topic", "group")}
        return replace(
            self,
            texts=tuple(self.texts[i] for i in np.flatnonzero(mine)),
            **{name: each if each is None else each.only(mine) for name, each in labels.items()},
            test=None if self.test is None else self.test[mine],
            places=None if self.places is None else self.places[mine],
            left_out=self.left_out + int((~mine).sum()),
        )

    def with_at_least(self, documents: int) -> Labelled:
        """Only the classes with so many texts, and texts to learn from other than those tested.

        Who has a single group cannot be learnt from another one, and who is never tested, or
        never taught, tells nothing.
        """
        classes = self.classes
        enough = classes.counts >= max(2, documents)
        if self.group is not None:
            pairs = np.unique(np.stack([classes.codes, self.group.codes]), axis=1)
            enough &= np.bincount(pairs[0], minlength=len(enough)) >= 2
        if self.test is not None:
            for part in (self.test, ~self.test):
                enough &= np.bincount(classes.codes[part], minlength=len(enough)) >= 1
        mine = enough[classes.codes]
        if enough.sum() < 2:
            raise InputError(
                f"an evaluation needs two {'authors' if self.author is not None else 'topics'} "
                f"with at least {max(2, documents)} texts each, got {int(enough.sum())}; "
                "see --min-documents."
            )
        kept = self if mine.all() else self.only(mine)
        one = kept.author is not None and kept.topic is not None and len(kept.topic.names) < 2
        return replace(kept, topic=None) if one else kept  # what all are about tells nothing

    def shuffled(self, rng: Generator) -> Labelled:
        """The same with authors dealt out anew: there is nothing left to recognise."""
        if self.author is None:
            raise InputError("these texts have no authors to deal out anew.")
        codes = rng.permutation(self.author.codes)
        return replace(self, author=Labels(self.author.names, codes))

    def without_names(self) -> Labelled:
        """The same with authors numbered, in an order that only who has the texts can tell."""
        if self.author is None:
            return self
        mark = self.fingerprint
        names = self.author.names
        keys = [
            sha256(f"{mark} {name}".encode("utf-8", "surrogatepass")).digest() for name in names
        ]
        rank = np.argsort(np.argsort(np.array(keys)))
        width = len(str(len(names)))
        numbered = Labels.of(f"author {rank[code] + 1:0{width}}" for code in self.author.codes)
        return replace(self, author=numbered)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of texts and labels, by which a run knows its corpus again."""
        digest = sha256(fingerprint(self.texts).encode())
        for name in ("author", "topic", "group"):
            labels = getattr(self, name)
            digest.update(f"\0{name}\0".encode())
            if labels is not None:
                digest.update("\n".join(labels.names).encode("utf-8", "surrogatepass"))
                digest.update(labels.codes.tobytes())
        if self.test is not None:
            digest.update(self.test.tobytes())
        return digest.hexdigest()


def fingerprint(texts: Iterable[str]) -> str:
    """SHA-256 of the hashes of texts."""
    digest = sha256()
    for text in texts:
        digest.update(sha256(text.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()


def _said(value: Any) -> bool:
    """Whether a label is there at all: not missing, and not blank."""
    return value is not None and value == value and str(value).strip() != ""  # noqa: PLR0124


def _tested(split: Sequence[Any]) -> Mask:
    """Which texts are for testing, by the words train and test."""
    said = [str(value).strip().lower() for value in split]
    if not set(said) <= {*TRAIN, *TEST} or len({each in TEST for each in said}) < 2:
        raise InputError("a split must say train or test of each text, and both must occur.")
    return np.array([each in TEST for each in said])
