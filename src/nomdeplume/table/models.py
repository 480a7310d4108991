"""Tables of models that are in memory already: gensim, model2vec, mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.packed import usable
from nomdeplume.table.table import Table

KINDS = "a gensim KeyedVectors, a model2vec StaticModel, or a mapping of words to vectors"


def table_of(model: Any, *, name: str, language: str) -> Table:
    """A table with the words and vectors of `model`, copied: later training does not change it."""
    words, vectors = _parts(model)
    if len(words) != len(vectors):
        raise TableError(f"the model has {len(words)} words, but {len(vectors)} vectors.")
    if not all(isinstance(word, str) for word in words):
        raise TableError("the words of a table must be strings; these are not all.")
    rows = [i for i, word in enumerate(words) if usable(word)]
    if len(rows) == len(words):
        return Table(words, vectors, name, language)
    kept, left_out = [words[i] for i in rows], len(words) - len(rows)
    return Table(kept, np.asarray(vectors)[rows], name, language, left_out=left_out)


def _parts(model: Any) -> tuple[list[Any], Any]:
    if isinstance(model, Mapping):
        return list(model), list(model.values())
    keyed = getattr(model, "wv", model)  # gensim's trained models keep their vectors there
    if hasattr(keyed, "index_to_key") and hasattr(keyed, "vectors"):
        return list(keyed.index_to_key), keyed.vectors
    if hasattr(model, "tokens") and hasattr(model, "embedding"):
        shared, weights = getattr(model, "token_mapping", None), getattr(model, "weights", None)
        return list(model.tokens), weighted(model.embedding, shared, weights)
    raise TableError(f"a table is made of {KINDS}, got a {type(model).__name__}.")


def weighted(vectors: Any, mapping: Any, weights: Any) -> NDArray[np.float32]:
    """The vectors of model2vec's tokens: several may share a row, and each may have a weight."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused later
            rows = np.asarray(vectors, dtype=np.float32)
            rows = rows if mapping is None else rows[np.asarray(mapping)]
            scale = None if weights is None else np.asarray(weights, np.float32).reshape(-1, 1)
            return rows if scale is None else rows * scale
    except (IndexError, ValueError):
        raise TableError("the model's weights or mapping do not fit its vectors.") from None
