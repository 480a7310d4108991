"""Maps by name: from words to the features whose mean is released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.features import Features
from nomdeplume.features.subjects import Subjects
from nomdeplume.mechanism.image import Anchors, FeatureMap, Network, Projection
from nomdeplume.table import Table
from nomdeplume.table.directions import number, principal_directions
from nomdeplume.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

PRINCIPAL, SUBJECTS = 10, 8  # directions, if nothing is said
COMMON = 4_000  # words by which it is told how far from anchors words are
FEW = 100  # words that documents are composed of, at least, of those that read like subjects


@dataclass(frozen=True, eq=False)
class Map:
    """A map, the words that documents are composed of under it, and public documents."""

    image: FeatureMap | None
    outputs: Ids | None = None  # all kept words if none
    public: tuple[Bag, ...] = ()


def mapped(name: str, vocabulary: Vocabulary, m: int | None) -> Map:
    """A map by its name, or the one that is usual for a vocabulary, in m dimensions if it can."""
    chosen = name or usual(vocabulary)
    if m is not None and chosen not in PROJECTIONS:
        raise InputError(f"the map {chosen} has the dimensions that it has; leave them out.")
    return MAPS[chosen](vocabulary, m)


def usual(vocabulary: Vocabulary) -> str:
    """The best map that there is: fitted on public texts, else subjects, else main directions."""
    features = vocabulary.features
    if features is not None:
        fitted = {
            "learnt": features.network is not None,
            "topics": features.directions is not None,
            "anchors": bool(features.anchors),
        }
        for name, there in fitted.items():
            if there:
                return name
    return "subjects" if Subjects.told(vocabulary.table) else "principal"


def projection(table: Table, features: Features | None, m: int) -> Projection:
    """Along the directions that tell topics, if features hold them; else along the main ones."""
    topical = None if features is None else features.along(table, m)
    if features is None or topical is None:
        return Projection(principal_directions(table, m), "principal")
    return Projection(topical, f"topics, features {features.fingerprint[:16]}")


def _vectors(_: Vocabulary, __: int | None) -> Map:
    return Map(None)


def _principal(vocabulary: Vocabulary, m: int | None) -> Map:
    table = vocabulary.table
    directions = principal_directions(table, m or min(PRINCIPAL, table.dimensions))
    return Map(Projection(directions, "principal"))


def _subjects(vocabulary: Vocabulary, m: int | None) -> Map:
    """Along the directions in which the anchors of subjects differ."""
    subjects, table = _told(vocabulary), vocabulary.table
    chosen = number(m or min(SUBJECTS, table.dimensions), table.dimensions)
    image = Projection(subjects.directions(table, chosen), "subjects")
    return Map(image, _readable(subjects, vocabulary))


def _topics(vocabulary: Vocabulary, m: int | None) -> Map:
    features = vocabulary.features
    if features is None or features.directions is None:
        raise InputError(
            "the map topics needs features with directions: nomdeplume features fit --map topics."
        )
    image = projection(vocabulary.table, features, m or len(features.directions))
    return Map(image, public=_public(features, vocabulary))


def _anchors(vocabulary: Vocabulary, _: int | None) -> Map:
    """By how near words are to anchors: those of features if they hold some, else of subjects."""
    features, table = vocabulary.features, vocabulary.table
    if features is not None and features.anchors:
        ids = [table.ids(words) for words in features.anchors]
        sets = [table.vectors[some].astype(np.float64) for some in ids if len(some)]
        image = Anchors.fading(sets, _common(vocabulary), f"features {features.fingerprint[:16]}")
        return Map(image, public=_public(features, vocabulary))
    subjects = _told(vocabulary)
    image = Anchors.fading(subjects.sets(table), _common(vocabulary), "subjects")
    return Map(image, _readable(subjects, vocabulary))


def _learnt(vocabulary: Vocabulary, _: int | None) -> Map:
    features = vocabulary.features
    if features is None or features.network is None:
        raise InputError(
            "the map learnt needs features that hold one: nomdeplume features fit --map learnt."
        )
    features.of_table(vocabulary.table)
    image = Network(*features.network, f"features {features.fingerprint[:16]}")
    return Map(image, public=_public(features, vocabulary))


def _told(vocabulary: Vocabulary) -> Subjects:
    subjects = Subjects.told(vocabulary.table)
    if subjects is None:
        raise InputError(
            f"there are no subjects for table {vocabulary.table.name} (language "
            f"{vocabulary.table.language}); take --map principal, or fit features."
        )
    return subjects


def _readable(subjects: Subjects, vocabulary: Vocabulary) -> Ids | None:
    """Kept words that read like subjects, if there are enough of them."""
    listed = [word for words in subjects.words.values() for word in words]
    ids = np.unique(vocabulary.table.ids(listed))
    kept = ids[np.isin(ids, vocabulary.ids)]
    return kept if len(kept) >= FEW else None


def _common(vocabulary: Vocabulary) -> Floats:
    return vocabulary.table.vectors[vocabulary.ids[:COMMON]].astype(np.float64)


def _public(features: Features, vocabulary: Vocabulary) -> tuple[Bag, ...]:
    """Public documents as bags of kept words, those that keep any."""
    bags = (vocabulary.counted(counts) for counts in features.public)
    return tuple(bag for bag in bags if len(bag))


MAPS: dict[str, Callable[[Vocabulary, int | None], Map]] = {
    "vectors": _vectors,
    "principal": _principal,
    "subjects": _subjects,
    "topics": _topics,
    "anchors": _anchors,
    "learnt": _learnt,
}
PROJECTIONS = ("principal", "subjects", "topics")
