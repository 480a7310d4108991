"""Fitting features: which words tell the topics of public texts, and how many are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError, got, positive, whole
from nomdeplume.features.bayes import Fold, accuracy, folds, smallest
from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.features import METHODS, Features
from nomdeplume.features.maps import fitted_maps, typical
from nomdeplume.features.scores import ranked
from nomdeplume.features.seen import mark, marks
from nomdeplume.table.directions import number
from nomdeplume.vocabulary import Vocabulary

WORDS = 500


def fit_features(
    texts: Iterable[str],
    topics: Iterable[Any],
    vocabulary: Vocabulary,
    *,
    method: str = "chi2",
    words: int | None = None,
    keep_topic: float | None = None,
    maps: Iterable[str] = (),
    dimensions: int | None = None,
    budget: float | None = None,
    authors: Iterable[Any] | None = None,
    leaks: bool = False,
    tell: Callable[[int], None] | None = None,
) -> Features:
    """The words of public texts that tell their topics, by χ² or mutual information, and maps.

    As many as `words`, or the fewest from which a share `keep_topic` of what can be told from
    all kept words can be told; 500 if neither is given, and all words are kept if it is 0.
    `maps` are fitted on bags of these words: `topics`, directions that tell topics apart (also
    if only `dimensions` are given), `anchors`, words that stand for each topic, and `learnt`,
    for noise of a `budget`, hiding `authors` where these are known. `leaks` says that the
    texts are those to be released: then what is kept tells about them, and no promise covers
    that.
    """
    wanted = tuple(dict.fromkeys([*maps, *(["topics"] if dimensions and not maps else [])]))
    _check(vocabulary, method, words, keep_topic, dimensions)
    found: list[int | None] = []

    def bags() -> Iterator[Bag]:
        for text, bag in vocabulary.read(texts):
            found.append(mark(text))
            yield bag

    by_topic = ByTopic.of(bags(), topics, vocabulary)
    order, _ = ranked(by_topic.present, by_topic.texts, method)
    if not len(order):
        raise InputError("no text has a kept word; use texts and a table of one language.")
    size, shares = _size(by_topic, method, words, keep_topic, len(order))
    chosen = order[:size] if words != 0 else np.arange(len(vocabulary))
    best = order[: WORDS if words == 0 else size]
    names = [vocabulary.table.words[i] for i in vocabulary.ids[best]]
    return Features(
        words=() if words == 0 else tuple(names),
        speaking=tuple(names) if words == 0 else (),
        weights=() if leaks else tuple(typical(by_topic, best).tolist()),
        method=method,
        topics=by_topic.topics,
        texts=len(by_topic),
        table_fingerprint=vocabulary.table.fingerprint,
        kept_fingerprint=vocabulary.fingerprint,
        leaks=leaks,
        accuracy=shares[0],
        accuracy_all=shares[1],
        seen=marks(() if leaks else found),  # of private texts not even hashes are kept
        **fitted_maps(
            by_topic,
            chosen,
            wanted,
            dimensions=dimensions,
            budget=budget,
            authors=None if authors is None else list(authors),
            tell=tell,
            leaks=leaks,
        ),
    )


def _check(
    vocabulary: Vocabulary,
    method: str,
    words: int | None,
    keep_topic: float | None,
    dimensions: int | None,
) -> None:
    """Say what cannot be before any text is read."""
    if vocabulary.features is not None:
        raise InputError("features are fitted on all kept words; leave other features out.")
    if method not in METHODS:
        raise InputError(f"method must be {' or '.join(METHODS)}, got {got(method)}.")
    if words is not None and keep_topic is not None:
        raise InputError("give words or keep_topic, not both: each says how many words.")
    if words:
        whole("words", words)
    if keep_topic is not None and positive("keep_topic", keep_topic) > 1:
        raise InputError(f"keep_topic must be above 0 and at most 1, got {keep_topic:g}.")
    if dimensions is not None:
        number(dimensions, vocabulary.table.dimensions)


def _size(
    texts: ByTopic, method: str, words: int | None, keep_topic: float | None, most: int
) -> tuple[int, tuple[float | None, float | None]]:
    """How many words to choose, and the accuracy with these and with all, where it is measured."""
    if words is not None and words > most:
        raise InputError(f"words must be at most {most:,}, which the texts hold; got {words:,}.")
    lonely = int((texts.texts < 2).sum())
    if keep_topic is not None and lonely:
        raise InputError(
            f"to test how topics are told, each needs at least 2 texts; {lonely} of "
            f"{texts.topics} have 1. Give the number of words instead."
        )
    tested: list[Fold] = [] if lonely else folds(texts, method)
    everything = accuracy(tested, most) if tested else None
    size = most if words == 0 else words or min(WORDS, most)
    if keep_topic is not None and everything is not None:
        size = smallest(tested, keep_topic * everything, most)
    return size, (accuracy(tested, size) if tested else None, everything)
