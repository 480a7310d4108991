"""Tables as bare arrays with a list of words beside them: .npy, .npz, safetensors of others."""

from __future__ import annotations

import json
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table import container
from nomdeplume.table.models import weighted
from nomdeplume.table.packed import Packed, usable
from nomdeplume.table.readers.gather import stem
from nomdeplume.table.readers.unpack import RATIO
from nomdeplume.table.table import ROWS, Table

LISTS = "{0}.txt {0}.words.txt {0}.vocab.txt {0}.json words.txt vocab.txt vocab.json tokenizer.json"
MODEL = "model.safetensors"
BROKEN = (  # what NumPy and zipfile raise on files that are damaged
    ValueError, EOFError, OSError, KeyError, TypeError, SyntaxError, OverflowError, MemoryError,
    RuntimeError, AttributeError, SystemError, TokenError, zlib.error, zipfile.BadZipFile,
)  # fmt: skip
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGED = "{} is damaged, cut short, or holds Python objects; save plain numbers again."


def read_npy(path: Path, words: Path | None, language: str) -> Table:
    """One array of vectors, mapped; its words in a list beside it."""
    try:
        with _quietly():
            vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except BROKEN:
        raise TableError(DAMAGED.format(path)) from None
    return _table(path, vectors, _listed(path, words), language)


def read_npz(path: Path, words: Path | None, language: str) -> Table:
    """An archive of arrays: the one in two dimensions, and the words in an array or beside it."""
    arrays = _unpacked(path)
    inside = [each for each in arrays.values() if each.ndim == 1 and each.dtype.kind == "U"]
    listed = _strings(path, inside[0]) if len(inside) == 1 and not words else _listed(path, words)
    return _table(path, _matrix(path, arrays), listed, language)


def read_safetensors(path: Path, words: Path | None, language: str) -> Table:
    """Somebody else's safetensors: its one tensor in two dimensions, and a list beside it.

    A model2vec model is a folder that holds such a file; the folder's name is the model's.
    """
    tensors = container.tensors(path)
    vectors = _matrix(path, tensors)
    if path.name == MODEL and {"weights", "mapping"} & set(tensors):
        shared = tensors.get("mapping")
        if shared is not None and 4 * shared.size * vectors.shape[1] > RATIO * path.stat().st_size:
            raise TableError(f"{path} maps words to more than {RATIO} times what it holds.")
        vectors = weighted(vectors, shared, tensors.get("weights"))
    return _table(path, vectors, _listed(path, words), language)


def _unpacked(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an archive, each no larger than the archive says, and that within reason."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > RATIO * path.stat().st_size:
                raise MemoryError
            if any(entry.compress_type not in PACKINGS for entry in entries):
                raise ValueError("packed as NumPy packs nothing")
            with _quietly():
                return {entry.filename: _member(archive, entry) for entry in entries}
    except BROKEN:
        raise TableError(DAMAGED.format(path)) from None


@contextmanager
def _quietly() -> Iterator[None]:
    """Without what NumPy says on standard error about headers that are old, or lie."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(file)
        if dtype.hasobject or np.prod(shape, dtype=object) * dtype.itemsize > entry.file_size:
            raise ValueError("not plain, or larger than stated")
    with archive.open(entry) as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _strings(path: Path, words: NDArray[Any]) -> list[str]:
    """The words of an array, if they are in Unicode."""
    try:
        return [str(word) for word in words.tolist()]
    except BROKEN:
        raise TableError(DAMAGED.format(path)) from None


def _matrix(path: Path, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    matrices = [each for each in arrays.values() if each.ndim == 2 and each.dtype.kind in "fiu"]
    if len(matrices) != 1:
        raise TableError(
            f"{path} must hold one array of vectors, (words, dimensions), got {len(matrices)}."
        )
    return matrices[0]


def _table(path: Path, vectors: NDArray[Any], words: Sequence[str], language: str) -> Table:
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise TableError(
            f"{path} must hold numbers in two dimensions, got an array of {vectors.ndim} "
            f"with values of kind {vectors.dtype.kind!r}."
        )
    if len(words) != len(vectors):
        raise TableError(f"{path} has {len(vectors)} vectors, but the list has {len(words)} words.")
    rows = [i for i, word in enumerate(words) if usable(word)]
    left_out = len(words) - len(rows)
    if not rows:
        raise TableError("a list of words must have one word on each line, without spaces.")
    name = path.resolve().parent.name if path.name == MODEL else stem(path.name)
    packed = Packed.of([words[i] for i in rows] if left_out else words)
    return Table.owning(packed, _floats(vectors, rows), name, language, left_out)


def _floats(vectors: NDArray[Any], rows: list[int]) -> NDArray[np.float32]:
    """Rows of `vectors` as float32 of their own, converted some thousand at a time."""
    found = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused as such
        for i in range(0, len(rows), ROWS):
            found[i : i + ROWS] = vectors[rows[i : i + ROWS]]
    return found


def _listed(path: Path, words: Path | None) -> list[str]:
    """The words that go with an array: one a line, a JSON list, or a tokenizer's vocabulary."""
    beside = LISTS.format(stem(path.name)).split()
    places = [words] if words else [path.with_name(each) for each in beside]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise TableError(
            f"{path} holds vectors without words; put the words, one a line, into "
            f"{stem(path.name)}.txt beside it (or: tables build --word-list FILE)."
        )
    try:
        text = found.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{found} must be UTF-8 text; it is not.") from None
    if found.suffix != ".json":
        return text.removesuffix("\n").split("\n")
    try:
        return _vocabulary(json.loads(text))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise TableError(f"{found} must be a JSON list of words, or words with numbers.") from None


def _vocabulary(data: Any) -> list[str]:
    """Words in the order of their numbers, those that a tokenizer added included."""
    if isinstance(data, dict):
        model, numbered = data.get("model"), data
        if isinstance(model, dict):  # else `model` and `added_tokens` are words like others
            numbered = model["vocab"]
            if isinstance(numbered, list):  # of pairs, as unigram models have it
                numbered = {pair[0]: i for i, pair in enumerate(numbered)}
            added = {each["content"]: each["id"] for each in data.get("added_tokens", [])}
            numbered = {**numbered, **added}
        data = sorted(numbered, key=numbered.__getitem__)
        if [numbered[word] for word in data] != list(range(len(data))):
            raise KeyError("the numbers of the words must be 0, 1, 2 …")
    if not isinstance(data, list) or not all(isinstance(word, str) for word in data):
        raise TypeError("not a list of words")
    return data
