"""Tables of models that are in memory already: gensim, model2vec, mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nomdeplume.errors import TableError
from nomdeplume.table.table import Table

KINDS = "a gensim KeyedVectors, a model2vec StaticModel, or a mapping of words to vectors"


def table_of(model: Any, *, name: str, language: str) -> Table:
    """A table with the words and vectors of `model`, copied: later training does not change it."""
    words, vectors = _parts(model)
    vectors = np.asarray(vectors, dtype=np.float32)
    if len(words) != len(vectors):
        raise TableError(f"the model has {len(words)} words, but {len(vectors)} vectors.")
    usable = [i for i, word in enumerate(words) if word and not {" ", "\n"} & set(word)]
    left_out = len(words) - len(usable)
    kept = [words[i] for i in usable]
    return Table(kept, vectors[usable] if left_out else vectors, name, language, left_out=left_out)


def _parts(model: Any) -> tuple[list[str], Any]:
    if isinstance(model, Mapping):
        return list(model), np.stack(list(model.values())) if model else np.empty((0, 0))
    keyed = getattr(model, "wv", model)  # gensim's trained models keep their vectors there
    if hasattr(keyed, "index_to_key") and hasattr(keyed, "vectors"):
        return list(keyed.index_to_key), keyed.vectors
    if hasattr(model, "tokens") and hasattr(model, "embedding"):
        return _static(model)
    raise TableError(f"a table is made of {KINDS}, got a {type(model).__name__}.")


def _static(model: Any) -> tuple[list[str], Any]:
    """model2vec: a token's row may be shared with others, and weighted."""
    vectors = np.asarray(model.embedding, dtype=np.float32)
    if (shared := getattr(model, "token_mapping", None)) is not None:
        vectors = vectors[np.asarray(shared)]
    if (weights := getattr(model, "weights", None)) is not None:
        vectors = vectors * np.asarray(weights, dtype=np.float32)[:, None]
    return list(model.tokens), vectors
