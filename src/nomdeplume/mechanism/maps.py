"""Maps by name: from words to the features whose mean is released."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nomdeplume.compose.belief import GAIN, Belief
from nomdeplume.decode import zipf
from nomdeplume.errors import InputError, whole
from nomdeplume.features.subjects import Subjects
from nomdeplume.mechanism.image import FeatureMap, Projection
from nomdeplume.table import Table
from nomdeplume.table.directions import number, principal_directions
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.features import Features
    from nomdeplume.mechanism.image import Anchors, Values

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

PRINCIPAL, SUBJECTS = 10, 8  # directions, if nothing is said
COMMON = 4_000  # words, by their place in the table
TOPICAL = 1.5  # the gain where only topic words are kept, so that less of a text is padding
FEW = 100  # words that documents are composed of, at least, of those that read like subjects


@dataclass(frozen=True, eq=False)
class Map:
    """A map, what is believed of documents under it, and the words that they are composed of."""

    image: FeatureMap | None
    belief: Belief
    outputs: Ids


def mapped(name: str, vocabulary: Vocabulary, m: int | None) -> Map:
    """A map by its name, or the one that is usual for a vocabulary, in m dimensions if it can."""
    chosen = name or usual(vocabulary)
    if m is not None and chosen not in PROJECTIONS:
        raise InputError(f"the map {chosen} has the dimensions that it has; leave them out.")
    return MAPS[chosen](vocabulary, None if m is None else whole("dimensions", m))


def usual(vocabulary: Vocabulary) -> str:
    """The best map that there is: fitted on public texts, else subjects, else main directions."""
    features = vocabulary.features
    if features is not None:
        fitted = {
            "learnt": features.values is not None,
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


def _vectors(vocabulary: Vocabulary, _: int | None) -> Map:
    return _of(vocabulary, None)


def _principal(vocabulary: Vocabulary, m: int | None) -> Map:
    table = vocabulary.table
    directions = principal_directions(table, m or min(PRINCIPAL, table.dimensions))
    image = Projection(directions, "principal")
    return _of(vocabulary, image)


def _subjects(vocabulary: Vocabulary, m: int | None) -> Map:
    """Along the directions in which the anchors of subjects differ."""
    subjects, table = _told(vocabulary), vocabulary.table
    chosen = number(m or min(SUBJECTS, table.dimensions), table.dimensions)
    image = Projection(subjects.directions(table, chosen), "subjects")
    return _of(vocabulary, image)


def _topics(vocabulary: Vocabulary, m: int | None) -> Map:
    features = vocabulary.features
    if features is None or features.directions is None:
        raise _lacking("topics", "with directions")
    image = projection(vocabulary.table, features, m or len(features.directions))
    return Map(image, _seen("topics", features, vocabulary, image), _readable(vocabulary))


def _anchors(vocabulary: Vocabulary, _: int | None) -> Map:
    """By how near words are to anchors: those of features if they hold some, else of subjects."""
    from nomdeplume.mechanism.image import Anchors

    features, table = vocabulary.features, vocabulary.table
    if features is not None and features.anchors:
        features.of_table(table)
        ids = [table.ids(words) for words in features.anchors]
        sets = [table.vectors[some].astype(np.float64) for some in ids if len(some)]
        if len(sets) < len(ids):
            raise InputError("every topic of the features needs an anchor that the table knows.")
        image = Anchors.fading(sets, _common(vocabulary), f"features {features.fingerprint[:16]}")
        return _of(vocabulary, image)
    subjects = _told(vocabulary)
    image = Anchors.fading(subjects.sets(table), _common(vocabulary), "subjects")
    return _of(vocabulary, image)


def _learnt(vocabulary: Vocabulary, _: int | None) -> Map:
    from nomdeplume.mechanism.image import Values

    features = vocabulary.features
    if features is None or features.values is None:
        raise _lacking("learnt", "that hold one")
    features.of_table(vocabulary.table)
    image = Values(*_learnt_values(features, vocabulary), f"features {features.fingerprint[:16]}")
    return Map(image, _seen("learnt", features, vocabulary, image), _readable(vocabulary))


def _lacking(name: str, what: str) -> InputError:
    fit = f"nomdeplume features fit --map {name}"
    return InputError(f"the map {name} needs features {what}: {fit}.")


def _learnt_values(features: Features, vocabulary: Vocabulary) -> tuple[Ids, Floats]:
    """Ids and values of a learnt map, in the order of the table."""
    values = np.asarray(features.values)
    if features.words:
        ids = vocabulary.table.ids(features.words)
        if len(ids) != len(values):
            raise InputError("the learnt map has words that the table does not; fit it with it.")
        order = np.argsort(ids)
        return ids[order], values[order]
    if features.kept_fingerprint != vocabulary.fingerprint or len(values) != len(vocabulary):
        raise InputError("the learnt map is for other stop words than these; fit it with them.")
    return vocabulary.ids, values


def _told(vocabulary: Vocabulary) -> Subjects:
    subjects = Subjects.told(vocabulary.table)
    if subjects is None:
        raise InputError(
            f"there are no subjects for table {vocabulary.table.name} (language "
            f"{vocabulary.table.language}); take --map principal, or fit features."
        )
    return subjects


def _readable(vocabulary: Vocabulary) -> Ids:
    """Words to compose documents of: topic words, those that read like subjects, or common ones."""
    features, subjects = vocabulary.features, Subjects.told(vocabulary.table)
    if features is not None and features.words:
        return vocabulary.ids
    if features is not None and features.speaking:
        return _kept(features.speaking, vocabulary)
    listed = [] if subjects is None else [w for some in subjects.words.values() for w in some]
    kept = _kept(listed, vocabulary)
    return kept if len(kept) >= FEW else vocabulary.ids[:COMMON]


def _kept(words: Sequence[str], vocabulary: Vocabulary) -> Ids:
    ids = np.unique(vocabulary.table.ids(words))
    return ids[np.isin(ids, vocabulary.ids)]


def _common(vocabulary: Vocabulary) -> Floats:
    return vocabulary.table.vectors[vocabulary.ids[:COMMON]].astype(np.float64)


def _of(vocabulary: Vocabulary, image: Anchors | Projection | None) -> Map:
    return Map(image, _about_nothing(vocabulary, image), _readable(vocabulary))


def _seen(
    name: str, features: Features, vocabulary: Vocabulary, image: Projection | Values
) -> Belief:
    """Where public texts lay under a fitted map, on average, if features say so."""
    if name not in features.origins:
        return _about_nothing(vocabulary, image)
    gain = TOPICAL if features.words else GAIN
    return Belief(features.origins[name][: int(image.settings["dimensions"])], gain=gain)


def _about_nothing(vocabulary: Vocabulary, image: Anchors | Projection | Values | None) -> Belief:
    """A text of kept words as often as language has them, going by their place in the table."""
    table, common = vocabulary.table, vocabulary.ids[:COMMON]
    if image is None:
        rows = table.vectors[common].astype(np.float64)
    elif callable(image):
        rows = image(table.vectors[common].astype(np.float64))
    else:
        rows = image.rows[np.searchsorted(image.ids, common)]
    weights = zipf(table)[common]
    return Belief(np.asarray(weights @ rows / weights.sum()))


MAPS: dict[str, Callable[[Vocabulary, int | None], Map]] = {
    "vectors": _vectors,
    "principal": _principal,
    "subjects": _subjects,
    "topics": _topics,
    "anchors": _anchors,
    "learnt": _learnt,
}
PROJECTIONS = ("principal", "subjects", "topics")
