"""Models fitted on a library: classifiers of its topics, or of clusters of its texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError, whole
from nomdeplume.extras import extra
from nomdeplume.features.seen import mark, marks
from nomdeplume.library.library import Library
from nomdeplume.library.model import Model
from nomdeplume.text import words

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

EACH = 30  # texts of a topic that are kept
MOST_WORDS = 20_000  # of a model, those in most texts
RARE, COMMON = 3, 0.3  # number and share of texts that a word is in, at least and at most,
MANY = 300  # if the library has so many texts
TELLING = 0.1  # share of texts that a word is in, at most, if it tells clusters
CLUSTERS = 20  # at most
DIRECTIONS = 100
FOLDS = 5
SMOOTHING = 0.05
SHOWN = 3  # words that name a cluster


def fitted(library: Library, kind: str = "auto", each: int = EACH) -> Library:
    """The library with a model by which its texts are scored, and the clearest texts of each topic.

    `topics` needs a topic for every text, `clusters` finds topics, `table` leaves the model out
    and keeps all texts; `auto` is topics if there are any, else clusters for a library of many
    texts, else table.
    """
    whole("the number of texts of a topic", each, least=2)
    labelled = all(passage.field for passage in library.passages) and len(library.fields) > 1
    if kind == "auto":
        kind = "topics" if labelled else "clusters" if len(library) >= MANY else "table"
    if kind == "table":
        return replace(library, model=None)
    if kind == "topics" and not labelled:
        raise InputError("a score by topics needs a topic for every text, and two topics or more.")
    counts = [words(passage.all_words, library.language) for passage in library.passages]
    weighed = Weighed.of(counts)
    named = library if kind == "topics" else _clustered(library, weighed, each)
    return _by_topics(named, weighed, each)


@dataclass(frozen=True, eq=False)
class Weighed:
    """tf-idf of texts, of unit length."""

    words: tuple[str, ...]
    idf: Floats  # (V,)
    rows: Any  # a sparse matrix (M, V)

    @classmethod
    def of(cls, counts: Sequence[Counter[str]]) -> Weighed:
        named, idf = _chosen(counts)
        return cls(named, idf, _weighed(counts, named, idf))


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


def _by_topics(library: Library, weighed: Weighed, each: int) -> Library:
    """The library with a classifier of topics; equally many texts of each topic, the clearest.

    A text is as clear as the probability of its topic, when it is held out. All texts of a topic
    have one score for a private text, so its best texts are those of the likeliest topic. Topics
    of one size make it likeliest that a release is on the topic (docs/proofs/standin.md). Texts
    without a field are left out.
    """
    bayes = extra("sklearn.naive_bayes", "libraries with topics", "eval")
    selection = extra("sklearn.model_selection", "libraries with topics", "eval")
    topics = tuple(field for field in library.fields if field)
    number = {topic: i for i, topic in enumerate(topics)}
    places = np.array([i for i, one in enumerate(library.passages) if one.field])
    codes = np.array([number[library.passages[i].field] for i in places])
    rows, sizes = weighed.rows[places], np.bincount(codes)
    if sizes.min() < 2:
        raise InputError("every topic of a library needs at least 2 texts.")
    classifier = bayes.MultinomialNB(alpha=SMOOTHING, fit_prior=False)
    folds = selection.StratifiedKFold(int(min(FOLDS, sizes.min())), shuffle=True, random_state=0)
    held_out = selection.cross_val_predict(
        classifier, rows, codes, cv=folds, method="predict_proba"
    )
    weights = classifier.fit(rows, codes).feature_log_prob_.T
    size = int(min(each, sizes.min()))
    order = np.argsort(-held_out[np.arange(len(codes)), codes], kind="stable")
    clearest = [order[codes[order] == topic][:size] for topic in range(len(topics))]
    kept = order[np.isin(order, np.concatenate(clearest))]
    model = Model(
        weighed.words,
        weighed.idf,
        weights - weights.mean(axis=1, keepdims=True),  # near 0, where half precision is finest
        library.language,
        topics,
        _on_topic(held_out, codes, size),
        float(size),
        marks(map(mark, library.texts)),
    )
    passages = tuple(library.passages[i] for i in places[kept])
    return replace(library, passages=passages, model=model)


def _on_topic(held_out: Floats, codes: Ids, size: int) -> tuple[tuple[int, float], ...]:
    """The number of texts of the j likeliest topics, and of these on a text's own topic.

    The latter is the mean over all texts, each of them held out.
    """
    own = held_out[np.arange(len(codes)), codes]
    before = (held_out > own[:, None]).sum(axis=1)
    within = np.cumsum(np.bincount(before, minlength=held_out.shape[1])) / len(codes)
    return tuple((j * size, float(size * share)) for j, share in enumerate(within[:-1], start=1))


def _clustered(library: Library, weighed: Weighed, each: int) -> Library:
    """The library with clusters as fields, named by their words; none for texts of small clusters.

    Clusters are those of k-means in the main directions of words that few texts share. A text
    weighs as much as it has words, because short texts tell little.
    """
    cluster = extra("sklearn.cluster", "libraries without topics", "eval")
    decomposition = extra("sklearn.decomposition", "libraries without topics", "eval")
    telling = weighed.rows[:, np.flatnonzero(weighed.idf >= 1 - np.log(TELLING))]
    count = min(CLUSTERS, len(library) // (2 * each))
    wide = min(DIRECTIONS, *(size - 1 for size in telling.shape))
    if count < 2 or wide < 1:
        raise InputError(
            f"clusters need at least {4 * each} texts, and words that only some of these have; "
            "give topics, lower --each, or take --score table."
        )
    places = decomposition.TruncatedSVD(wide, random_state=0).fit_transform(telling)
    places /= np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1e-12)
    means = cluster.KMeans(count, n_init=10, random_state=0)
    codes = means.fit_predict(places, sample_weight=1 + np.diff(weighed.rows.indptr))
    large = np.flatnonzero(np.bincount(codes) >= each / 2)
    if len(large) < 2:
        raise InputError("the texts of the library are too much alike for clusters; give topics.")
    fields = dict(zip(large.tolist(), _names(weighed, codes, large), strict=True))
    passages = tuple(
        replace(passage, field=fields.get(code, ""))
        for passage, code in zip(library.passages, codes.tolist(), strict=True)
    )
    return replace(library, passages=passages)


def _names(weighed: Weighed, codes: Ids, large: Ids) -> list[str]:
    """A number for each cluster, and the words that set it apart from the others most."""
    shares = np.stack([weighed.rows[codes == code].mean(axis=0) for code in large])
    apart = shares * np.log(shares / np.maximum(shares.mean(axis=0), 1e-12) + 1e-12)
    shown = np.argsort(-apart, axis=1, kind="stable")[:, :SHOWN]
    return [
        " ".join((str(number), *(weighed.words[i] for i in ids)))
        for number, ids in enumerate(shown, start=1)
    ]
