"""Table: words, ids and vectors of one public vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from math import floor, log2
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nomdeplume.errors import TableError
from nomdeplume.table.directions import contraction
from nomdeplume.table.packed import Packed, repeated, usable

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

ROWS = 1 << 14  # rows looked at together: bounds the memory of a pass over the table


@runtime_checkable
class Vectors(Protocol):
    """Rows of float32, in memory or read on demand from a file."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, rows: Any, /) -> NDArray[np.float32]: ...


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A vocabulary with one vector per word: `vectors[i]` belongs to `words[i]`.

    The metric of every promise is the Euclidean distance between these vectors
    as they are: nothing here is normalised.

    >>> table = Table(("pear", "lake"), np.array([[0, 0], [3, 4]]), name="tiny")
    >>> len(table), table.dimensions, table.ids(["lake", "moon"]).tolist()
    (2, 2, [1])
    """

    words: Sequence[str]
    vectors: Vectors  # (V, k)
    name: str = "unnamed"
    language: str = "en"
    seal: str | None = field(default=None, repr=False)  # the fingerprint that a native file states
    left_out: int = field(default=0, repr=False)  # entries of a file that no text can contain

    def __post_init__(self) -> None:
        if self.seal is None:
            object.__setattr__(self, "vectors", _copied(self.vectors))
            if not isinstance(self.words, Packed):
                object.__setattr__(self, "words", tuple(self.words))
            self._validate()

    @classmethod
    def owning(
        cls,
        words: Sequence[str],
        vectors: NDArray[np.float32],
        name: str,
        language: str,
        left_out: int = 0,
    ) -> Table:
        """A table of an array that its maker gives away and nobody else has: it is not copied."""
        vectors.flags.writeable = False
        table = object.__new__(cls)
        vars(table).update(
            words=words, vectors=vectors, name=name, language=language, seal=None, left_out=left_out
        )
        table._validate()
        return table

    def with_vectors(self, vectors: NDArray[np.float32]) -> Table:
        """The same words elsewhere, by an array that its maker gives away; words stay as seen."""
        vectors.flags.writeable = False
        table = object.__new__(Table)
        vars(table).update({**{f.name: getattr(self, f.name) for f in fields(self)}, "seal": None})
        vars(table)["vectors"] = vectors
        table._validate_vectors()
        return table

    @classmethod
    def bundled(cls) -> Table:
        """The table that ships with the package: 50,000 English words, 100 dimensions."""
        from nomdeplume.table.bundled import open_bundled

        return open_bundled()

    @classmethod
    def open(
        cls, path: str | Path, *, language: str | None = None, words: str | Path | None = None
    ) -> Table:
        """The table in a file of any usual kind, told by content (docs/guide/tables.md).

        `language` is what its words are in, if the file does not say; `words` the list
        that goes with an array of bare vectors.
        """
        from nomdeplume.table.readers import open_table

        return open_table(Path(path), language=language, words=Path(words) if words else None)

    @classmethod
    def of(cls, model: Any, *, name: str = "unnamed", language: str = "en") -> Table:
        """The table of a model in memory: gensim, model2vec, or a mapping of words to vectors."""
        from nomdeplume.table.models import table_of

        return table_of(model, name=name, language=language)

    def save(self, path: str | Path, *, dtype: str = "float32", **notes: str) -> None:
        """Write the native form, which opens in milliseconds whatever its size."""
        from nomdeplume.table.native import write

        write(self, Path(path), dtype=dtype, notes=notes)

    def project(self, directions: ArrayLike) -> Table:
        """The words with their images under a linear map that lengthens nothing, (m, k).

        ‖Px − Py‖ ≤ ‖x − y‖ if no singular value of P exceeds 1, so noise on the image keeps
        ε·d with d the metric of this table, not of the image's: the promise stays in it, and
        the image serves to search for the nearest word.
        """
        across = contraction(directions, self.dimensions).T
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused
            images = np.concatenate([(rows @ across).astype(np.float32) for rows in self.blocks()])
        name = f"{self.name} in {across.shape[1]} direction{'s' * (across.shape[1] > 1)}"
        return Table.owning(self.words, images, name, self.language)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self):,} words × {self.dimensions}, {self.language}>"

    @property
    def dimensions(self) -> int:
        return self.vectors.shape[1]

    def ids(self, words: Iterable[str], *, unknown: int | None = None) -> Ids:
        """Ids of the words that the table knows; the others are left out, or `unknown`."""
        known = self._id_of
        if unknown is not None:
            return np.array([known.get(word, unknown) for word in words], dtype=np.int64)
        return np.array([known[word] for word in words if word in known], dtype=np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of words and vectors: two releases compare only under one table.

        Always computed from what is there, once; if a native file states another
        one, it was changed since it was written and is refused.
        """
        found = digest(self.words, self.vectors)
        if self.seal is not None:
            self._validate()  # a table in memory was, when it was made
        if self.seal not in (None, found):
            raise TableError(
                f"table {self.name} states the fingerprint {str(self.seal)[:16]}… but its content "
                f"has {found[:16]}…: the file was changed; fetch or build it again."
            )
        return found

    @cached_property
    def centre(self) -> Floats:
        """The mean vector. Subtracting it from every vector changes no distance."""
        return np.asarray(sum(rows.sum(axis=0) for rows in self.blocks()) / len(self))

    @cached_property
    def radius(self) -> float:
        """Distance from the centre to the farthest word: half of what two words can be apart."""
        return max(
            float(np.sqrt(((rows - self.centre) ** 2).sum(axis=1).max())) for rows in self.blocks()
        )

    @property
    def grid(self) -> float:
        """Step of the public grid for noisy vectors: 2⁻²³ of the radius, as a power of two."""
        return 2.0 ** (floor(log2(self.radius or 1.0)) - 23)

    def blocks(self) -> Iterator[Floats]:
        """All vectors in float64, some thousand rows at a time."""
        return map(self.block, self.starts)

    @property
    def starts(self) -> range:
        """Where blocks start."""
        return range(0, len(self), ROWS)

    def block(self, start: int) -> Floats:
        """The vectors of one block, in float64."""
        return self.vectors[start : start + ROWS].astype(np.float64)

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def _validate(self) -> None:
        size = len(self.words)
        self._validate_vectors()
        words = self.words
        if not (words.usable if isinstance(words, Packed) else all(map(usable, words))):
            raise TableError("words must be strings in Unicode, not empty, without spaces.")
        if repeated(self.words):
            twice = size - len(set(self.words))
            raise TableError(f"words must be distinct, got {twice} repeated.")

    def _validate_vectors(self) -> None:
        size = len(self.words)
        if len(self.vectors.shape) != 2 or len(self.vectors) != size or not self.vectors.shape[1]:
            raise TableError(f"{size} words need ({size}, k) vectors, got {self.vectors.shape}.")
        if not size:
            raise TableError("a table must hold at least one word, got none.")
        if not all(np.isfinite(self.vectors[i : i + ROWS]).all() for i in self.starts):
            raise TableError("vectors must be finite, got NaN or infinity; re-export the table.")


def digest(words: Sequence[str], vectors: Vectors) -> str:
    """SHA-256 of words and vectors, the vectors as float32."""
    found = sha256(f"nomdeplume table 1\n{len(words)} {vectors.shape[1]}\n".encode())
    found.update(Packed.of(words).joined.data)
    for start in range(0, len(words), ROWS):
        found.update(np.ascontiguousarray(vectors[start : start + ROWS], dtype="<f4").data)
    return found.hexdigest()


def _copied(vectors: Any) -> NDArray[np.float32]:
    """`vectors` as float32 that nobody else has, so that nobody can change them."""
    try:
        copy = np.array(vectors[:] if isinstance(vectors, Vectors) else vectors)
    except (TypeError, ValueError):
        raise TableError("vectors must be rows of equally many numbers; these are not.") from None
    if copy.dtype.kind not in "fiub":
        raise TableError(f"vectors must be numbers, got {copy.dtype}.")
    given = copy.any()
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused as such
        copy = np.ascontiguousarray(copy, dtype=np.float32)
    if given and not copy.any():
        raise TableError("vectors must be of a size that float32 holds, got less; rescale them.")
    copy.flags.writeable = False
    return copy
