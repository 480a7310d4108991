"""A smaller table out of a larger one: words in lower case, of letters, the commonest."""

from __future__ import annotations

import numpy as np

from nomdeplume.errors import InputError, whole
from nomdeplume.table import Table
from nomdeplume.text import is_word


def select(
    table: Table,
    *,
    words: int | None = None,
    lower: bool = False,
    alphabetic: bool = False,
    name: str | None = None,
) -> Table:
    """The first `words` words of `table` that a text can contain.

    Tables list their words by frequency, so the first are the commonest, and of those
    that become one in lower case the first gives its vector. `alphabetic` drops words
    with digits and signs, which no text is taken to contain.
    """
    limit = len(table) if words is None else whole("words", words)
    _ = table.fingerprint  # a table that was changed on the disk is refused here
    kept: dict[str, int] = {}
    for i, word in enumerate(table.words):
        written = word.lower() if lower else word
        if written in kept or (alphabetic and not is_word(written, table.language)):
            continue
        kept[written] = i
        if len(kept) == limit:
            break
    if not kept:
        raise InputError(f"no word of table {table.name} is left; words in capitals need --lower.")
    rows = np.fromiter(kept.values(), dtype=np.int64, count=len(kept))
    vectors = np.array(table.vectors[rows], dtype=np.float32)
    return Table.owning(tuple(kept), vectors, name or table.name, table.language)
