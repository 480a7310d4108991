"""Reading texts once: bags and mean vectors, remembered while a cell is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]

REMEMBERED = 60_000  # texts


@dataclass(frozen=True, eq=False)
class Reader:
    """Texts as bags of a vocabulary. Several attackers read a release; it is parted once."""

    vocabulary: Vocabulary
    _known: dict[str, Bag] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def bags(self, texts: Sequence[str]) -> list[Bag]:
        """Several threads may read: what one forgets, another still holds."""
        once = dict.fromkeys(texts)
        found = {text: bag for text in once if (bag := self._known.get(text)) is not None}
        new = [text for text in once if text not in found]
        found.update(zip(new, self.vocabulary.bags(new), strict=True))
        with self._lock:
            if len(self._known) + len(new) > REMEMBERED:
                self._known.clear()
            self._known.update((text, found[text]) for text in new)
        return [found[text] for text in texts]

    def __deepcopy__(self, _: dict[int, Any]) -> Reader:
        """Itself: scikit-learn copies what its estimators are made of, and this is shared."""
        return self

    def counts(self, texts: Sequence[str]) -> Any:
        """Texts as rows of counts: (n, V), sparse."""
        return matrix(self.bags(texts), self.vocabulary)

    def means(self, texts: Sequence[str]) -> Floats:
        """The mean vector of each text's kept words; zeros where there are none."""
        counts = self.counts(texts)
        total = np.maximum(np.asarray(counts.sum(axis=1)).reshape(-1, 1), 1)
        used, at = np.unique(counts.indices, return_inverse=True)
        vectors = self.vocabulary.table.vectors[used].astype(np.float64)
        narrow = type(counts)((counts.data, at, counts.indptr), shape=(len(texts), len(used)))
        return np.asarray(narrow @ vectors / total)


def matrix(bags: Sequence[Bag], vocabulary: Vocabulary) -> Any:
    """Bags as rows of counts: (n, V), sparse."""
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum([len(bag.ids) for bag in bags])]).astype(np.int64)
    none = np.zeros(0, dtype=np.int64)
    ids = np.concatenate([none, *(bag.ids for bag in bags)])
    counts = np.concatenate([none, *(bag.counts for bag in bags)]).astype(np.float64)
    return csr_array((counts, ids, starts), shape=(len(bags), len(vocabulary.table)))
