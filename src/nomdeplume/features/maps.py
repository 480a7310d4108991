"""Maps fitted on public texts: directions, anchors and a learnt one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nomdeplume.errors import InputError, got
from nomdeplume.features.by_topic import ByTopic
from nomdeplume.features.directions import directions_of
from nomdeplume.features.learning import BUDGET, DIMENSIONS, learnt

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

FITTED = ("topics", "anchors", "learnt")
DIRECTIONS = 10  # if nothing is said
ANCHORS = 15  # words that stand for a topic


def fitted_maps(
    texts: ByTopic,
    chosen: Ids,
    wanted: Iterable[str],
    *,
    dimensions: int | None,
    budget: float | None,
    authors: list[Any] | None,
    tell: Callable[[int], None] | None,
    leaks: bool = False,
) -> dict[str, Any]:
    """The fields of features that hold the wanted maps, for the words in some columns."""
    names = list(wanted)
    if unknown := [name for name in names if name not in FITTED]:
        raise InputError(f"maps that are fitted are {', '.join(FITTED)}; got {got(unknown[0])}.")
    if "learnt" not in names and (budget is not None or authors is not None):
        raise InputError("a budget and authors are for the map learnt; ask for it, or leave them.")
    if authors is not None and len(authors) != len(texts):
        raise InputError(
            f"every text needs an author, got {len(texts):,} texts and {len(authors):,} authors."
        )
    narrowed = texts.only(chosen)
    found: dict[str, Any] = {}
    origins: dict[str, Floats] = {}
    share = typical(narrowed, chosen)
    if "topics" in names:
        found["directions"] = directions_of(narrowed, dimensions or min(DIRECTIONS, _k(texts)))
        origins["topics"] = share @ _vectors(texts, chosen) @ found["directions"].T
    if "anchors" in names:
        found["anchors"] = anchors(narrowed)
    if "learnt" in names:
        found["values"] = learnt(
            narrowed,
            chosen,
            m=dimensions or min(DIMENSIONS, _k(texts)),
            budget=BUDGET if budget is None else budget,
            authors=None if authors is None else ["" if a is None else str(a) for a in authors],
            tell=tell,
        )
        origins["learnt"] = share @ found["values"]
    return {**found, "origins": {} if leaks else origins}  # where private texts lie is not kept


def anchors(texts: ByTopic) -> tuple[tuple[str, ...], ...]:
    """The words of each topic that speak most for it: there far more often than is due."""
    present = np.asarray(texts.present.toarray(), dtype=np.float64)  # (topics, words)
    due = texts.texts[:, None] * present.sum(axis=0) / texts.texts.sum()
    apart = present - due
    speaks = apart * np.abs(apart) / np.maximum(due, 1e-12)
    table, ids = texts.vocabulary.table, texts.vocabulary.ids
    best = np.argsort(-speaks, axis=1, kind="stable")[:, :ANCHORS]
    return tuple(
        tuple(table.words[ids[i]] for i in row if speaks[topic, i] > 0)
        for topic, row in enumerate(best)
        if speaks[topic].max() > 0
    )


def typical(texts: ByTopic, chosen: Ids) -> Floats:
    """The mean share of each chosen word in a text: a text of no topic more than another."""
    counts = texts.counts[:, chosen]
    totals = counts.sum(axis=1)
    shares = sparse.csr_array(counts / np.maximum(totals, 1)[:, None])
    each = (texts.members @ shares).toarray() / (texts.members @ (totals > 0))[:, None].clip(1)
    return np.asarray(each.mean(axis=0))


def _vectors(texts: ByTopic, chosen: Ids) -> Floats:
    ids = texts.vocabulary.ids[chosen]
    return texts.vocabulary.table.vectors[ids].astype(np.float64)


def _k(texts: ByTopic) -> int:
    return int(texts.vocabulary.table.dimensions)
