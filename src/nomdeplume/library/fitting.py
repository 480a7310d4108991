"""Models fitted on a library: a classifier of its topics, or its latent directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.extras import extra
from nomdeplume.library.library import Library
from nomdeplume.library.model import Model
from nomdeplume.text import words

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_WORDS = 20_000  # of a model, those in most texts
RARE, COMMON = 3, 0.3  # number and share of texts that a word is in, at least and at most,
MANY = 300  # if the library has so many texts
DIRECTIONS = 100
FOLDS = 5
STEPS = 60  # numbers k of best texts that are tried


def fitted(library: Library, kind: str = "auto") -> Library:
    """The library with a model by which its texts are scored.

    `topics` needs a topic for every text, `latent` nothing, `table` leaves the model out; `auto`
    is topics if there are any, else latent for a library of many texts, else table.
    """
    labelled = all(each.field for each in library.passages) and len(library.fields) > 1
    if kind == "auto":
        kind = "topics" if labelled else "latent" if len(library) >= MANY else "table"
    if kind == "table":
        return replace(library, model=None)
    if kind == "topics" and not labelled:
        raise InputError("a score by topics needs a topic for every text, and two topics or more.")
    counted = [words(each.all_words, library.language) for each in library.passages]
    named, idf = _chosen(counted)
    rows = _weighed(counted, named, idf)
    make = _by_topics if kind == "topics" else _latent
    return make(library, named, idf, rows)


def _chosen(counted: Sequence[Counter[str]]) -> tuple[tuple[str, ...], Floats]:
    """The words of a model and their idf, log((1 + M)/(1 + texts with the word)) + 1."""
    size = len(counted)
    least, most = (RARE, COMMON * size) if size >= MANY else (1, size - 1)
    within = Counter(word for each in counted for word in each)
    kept = [word for word, n in within.most_common() if least <= n <= most]
    if not kept:
        raise InputError("the texts of the library have no words that tell them apart.")
    named = tuple(kept[:MOST_WORDS])
    return named, np.log((1 + size) / (1 + np.array([within[word] for word in named]))) + 1


def _weighed(counted: Sequence[Counter[str]], named: Sequence[str], idf: Floats) -> Any:
    """tf-idf of each text, of unit length: a sparse matrix (M, V)."""
    from scipy.sparse import csr_array

    place = {word: i for i, word in enumerate(named)}
    found = [[(place[w], n) for w, n in each.items() if w in place] for each in counted]
    starts = np.cumsum([0, *map(len, found)])
    ids = np.array([i for row in found for i, _ in row], dtype=np.int64)
    times = np.array([n for row in found for _, n in row], dtype=np.float64)
    weights = (1 + np.log(times)) * idf[ids]
    lengths = np.sqrt(np.add.reduceat(np.append(weights**2, 0), np.minimum(starts[:-1], len(ids))))
    lengths[np.diff(starts) == 0] = 1
    weights /= np.repeat(lengths, np.diff(starts))
    return csr_array((weights, ids, starts), shape=(len(counted), len(named)))


def _by_topics(library: Library, named: tuple[str, ...], idf: Floats, rows: Any) -> Library:
    """The library with a classifier of topics, its clearest texts first.

    A text is as clear as the probability of its topic, when it is held out. All texts of a topic
    have one score for a private text, and ties go to earlier texts: so the clearest come out.
    """
    linear = extra("sklearn.linear_model", "libraries with topics", "eval")
    selection = extra("sklearn.model_selection", "libraries with topics", "eval")
    topics = tuple(library.fields)
    number = {topic: i for i, topic in enumerate(topics)}
    codes = np.array([number[each.field] for each in library.passages])
    sizes = np.bincount(codes)
    if sizes.min() < 2:
        raise InputError("every topic of a library needs at least 2 texts.")
    classifier = linear.LogisticRegression(C=20, max_iter=1000)
    folds = selection.StratifiedKFold(int(min(FOLDS, sizes.min())), shuffle=True, random_state=0)
    held_out = selection.cross_val_predict(
        classifier, rows, codes, cv=folds, method="predict_proba"
    )
    classifier.fit(rows, codes)
    matrix, bias = classifier.coef_.T, classifier.intercept_
    if len(topics) == 2:
        matrix, bias = np.hstack([0 * matrix, matrix]), np.append(0, bias)
    clear = held_out[np.arange(len(codes)), codes]
    order = np.argsort(-clear, kind="stable")
    model = Model(
        named,
        idf,
        matrix,
        bias,
        library.language,
        topics,
        _on_topic(held_out, codes, sizes),
        float(np.bincount(codes, clear)[codes].mean()),
    )
    passages = tuple(library.passages[i] for i in order)
    return replace(library, passages=passages, model=model)


def _on_topic(held_out: Floats, codes: Ids, sizes: Ids) -> tuple[tuple[int, float], ...]:
    """For some numbers k, how clearly the k best texts are on a text's own topic, on average.

    The best texts are those of the likeliest topic, then those of the next one, and so on; of
    each the clearest first. Each counts by how clear it is.
    """
    own = held_out[np.arange(len(codes)), codes]
    earlier = np.arange(held_out.shape[1]) < codes[:, None]
    before = ((held_out > own[:, None]) | ((held_out == own[:, None]) & earlier)) @ sizes  # (M,)
    first = [np.append(0, np.cumsum(-np.sort(-own[codes == topic]))) for topic in range(len(sizes))]
    ks = np.unique(np.geomspace(1, max(1, len(codes) - 1), STEPS).round().astype(int))
    return tuple((int(k), _clearly(k - before, codes, first)) for k in ks)


def _clearly(room: Ids, codes: Ids, first: Sequence[Floats]) -> float:
    """The mean over texts of how clear the first texts of their topic are, as many as have room."""
    found = [
        sums[np.clip(room[codes == topic], 0, len(sums) - 1)].sum()
        for topic, sums in enumerate(first)
    ]
    return float(sum(found) / len(codes))


def _latent(library: Library, named: tuple[str, ...], idf: Floats, rows: Any) -> Library:
    """The library with the main directions of its texts' tf-idf."""
    decomposition = extra("sklearn.decomposition", "libraries without topics", "eval")
    count = min(DIRECTIONS, *(size - 1 for size in rows.shape))
    if count < 1:
        raise InputError("the library is too small for latent directions; take --score table.")
    found = decomposition.TruncatedSVD(count, random_state=0).fit(rows)
    matrix, bias = found.components_.T, np.zeros(count)
    return replace(library, model=Model(named, idf, matrix, bias, library.language))
