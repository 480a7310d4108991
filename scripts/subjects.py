"""Derive the words that documents are composed of from the anchor words of subjects.

    python scripts/subjects.py

Reads src/nomdeplume/data/subjects-en.json, which is written by hand, and the bundled table;
writes subjects-en.words.json beside it, and stretches.json with the stretch of the shipped map,
found over all pairs of kept words. No corpus has a say. For every word of the table its
distance to a subject is the mean distance to the three nearest anchors. A word joins the
nearest subject if it is near, clearly nearer than to the next one, neither very common nor
rare, and no name as far as the table shows it: a form of the same word is near. Those that
are nearest and clearest join first, until a subject has sixty.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from nomdeplume import Table, Vocabulary
from nomdeplume.distance.cloud import distances
from nomdeplume.features.subjects import FOLDER
from nomdeplume.mechanism.maps import mapped
from nomdeplume.mechanism.remembered import SHIPPED
from nomdeplume.mechanism.stretch import features_of, key_of, stretch

NEAREST = 3  # anchors
NEAR, CLEAR = 5.2, 0.5
COMMON, RARE, SHORT = 600, 20_000, 4  # places in the table between which words are; letters
WORDS = 60  # of a subject, anchors among them
FORMS = ("s", "es", "ed", "d", "ing", "ly", "er", "ers", "y", "al", "ist", "ists")
ALIKE = 5.0  # forms of a word that are no farther apart are taken for one


def main() -> None:
    anchors = json.loads((FOLDER / "subjects-en.json").read_text(encoding="utf-8"))
    table = Table.bundled()
    found = derived(anchors, table)
    path = FOLDER / "subjects-en.words.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{path.name}: {sum(map(len, found.values())):,} words of {len(found)} subjects")
    print(f"stretches: {stretches(table)}")
    for name, words in found.items():
        print(f"{name}: {' '.join(sorted(set(words) - set(anchors[name]))[:12])}")


def stretches(table: Table) -> dict[str, float]:
    """The stretch of the map that ships, under what it depends on; written, and given back."""
    vocabulary = Vocabulary.of(table)
    features = features_of(table, mapped("subjects", vocabulary, None).image, vocabulary.ids)
    found = {
        key_of(table, features, vocabulary.ids): stretch(table, features, vocabulary.ids),
    }
    SHIPPED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def derived(anchors: dict[str, list[str]], table: Table) -> dict[str, list[str]]:
    """The words of each subject, in alphabetical order."""
    vocabulary = Vocabulary.of(table)
    ids = vocabulary.ids[vocabulary.ids < RARE]
    away = _away(table, ids, list(anchors.values()))  # (words, subjects)
    ordered = np.sort(away, axis=1)
    own, gap = ordered[:, 0], ordered[:, 1] - ordered[:, 0]
    listed = {word for some in anchors.values() for word in some}
    found, names = {name: list(some) for name, some in anchors.items()}, list(anchors)
    for i in np.argsort(own - gap, kind="stable"):
        word, name = table.words[ids[i]], names[int(away[i].argmin())]
        fits = own[i] <= NEAR and gap[i] >= CLEAR and ids[i] >= COMMON and len(word) >= SHORT
        if fits and word not in listed and len(found[name]) < WORDS and _has_forms(word, table):
            found[name].append(word)
    return {name: sorted(some) for name, some in found.items()}


def _away(table: Table, ids: Any, sets: list[list[str]]) -> Any:
    """How far words are from each subject."""
    vectors = table.vectors[ids].astype(np.float64)
    columns = []
    for words in sets:
        anchors = table.vectors[table.ids(words)].astype(np.float64)
        columns.append(np.sort(distances(vectors, anchors), axis=1)[:, :NEAREST].mean(axis=1))
    return np.column_stack(columns)


def _has_forms(word: str, table: Table) -> bool:
    """Whether the table has another form of the word near it; names have none."""
    stems = {word} | {word.removesuffix(end) for end in FORMS if word.endswith(end)}
    stems |= {f"{word[:-3]}y"} if word.endswith("ies") else set()
    stems |= {f"{stem}e" for stem in stems}
    forms = {stem + end for stem in stems for end in ("", *FORMS)}
    forms |= {f"{word[:-1]}ies"} if word.endswith("y") else set()
    ids = table.ids(sorted(forms - {word}))
    here = table.vectors[table.ids([word])].astype(np.float64)
    near = (
        distances(here, table.vectors[ids].astype(np.float64)) if len(ids) else np.array([np.inf])
    )
    return bool(near.min() <= ALIKE)


if __name__ == "__main__":
    main()
