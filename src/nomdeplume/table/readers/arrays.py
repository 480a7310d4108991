"""Tables as bare arrays with a list of words beside them: .npy, .npz, safetensors of others."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import TableError
from nomdeplume.table import container
from nomdeplume.table.packed import Packed
from nomdeplume.table.readers.gather import stem
from nomdeplume.table.table import Table

LISTS = "{0}.txt {0}.words.txt {0}.vocab.txt {0}.json words.txt vocab.txt vocab.json tokenizer.json"
MODEL = "model.safetensors"
PICKLED = "{} holds Python objects, which can run any program when read; save plain numbers."


def read_npy(path: Path, words: Path | None, language: str) -> Table:
    """One array of vectors, mapped; its words in a list beside it."""
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError):
        raise TableError(_why_not(path)) from None
    return _table(path, vectors, _listed(path, words), language)


def read_npz(path: Path, words: Path | None, language: str) -> Table:
    """An archive of arrays: the one in two dimensions, and the words in an array or beside it."""
    _bounded(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError):
        raise TableError(_why_not(path)) from None
    inside = [each for each in arrays.values() if each.ndim == 1 and each.dtype.kind == "U"]
    listed = inside[0].tolist() if len(inside) == 1 and words is None else _listed(path, words)
    return _table(path, _matrix(path, arrays), listed, language)


def read_safetensors(path: Path, words: Path | None, language: str) -> Table:
    """Somebody else's safetensors: its one tensor in two dimensions, and a list beside it.

    A model2vec model is a folder that holds such a file; the folder's name is the model's.
    """
    tensors = container.tensors(path)
    return _table(path, _matrix(path, tensors), _listed(path, words), language)


def _matrix(path: Path, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    matrices = [each for each in arrays.values() if each.ndim == 2 and each.dtype.kind == "f"]
    if len(matrices) != 1:
        raise TableError(
            f"{path} must hold one array of vectors, (words, dimensions), got {len(matrices)}."
        )
    return matrices[0]


def _table(path: Path, vectors: NDArray[Any], words: Sequence[str], language: str) -> Table:
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise TableError(
            f"{path} must hold numbers in two dimensions, got {vectors.dtype} {vectors.shape}."
        )
    if len(words) != len(vectors):
        raise TableError(f"{path} has {len(vectors)} vectors, but the list has {len(words)} words.")
    usable = [i for i, word in enumerate(words) if word and not {" ", "\n"} & set(word)]
    left_out = len(words) - len(usable)
    rows = vectors[usable] if left_out else vectors
    frozen = np.array(rows, dtype=np.float32, order="C")
    frozen.flags.writeable = False
    name = path.parent.name if path.name == MODEL else stem(path.name)
    packed = Packed.of([words[i] for i in usable])
    return Table(packed, frozen, name, language, left_out=left_out)


def _listed(path: Path, words: Path | None) -> list[str]:
    """The words that go with an array: one a line, a JSON list, or a tokenizer's vocabulary."""
    places = (
        [words]
        if words
        else [path.with_name(each.format(stem(path.name))) for each in LISTS.split()]
    )
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise TableError(
            f"{path} holds vectors without words; put the words, one a line, into "
            f"{stem(path.name)}.txt beside it, or name the list."
        )
    try:
        text = found.read_text(encoding="utf-8-sig")
        return _vocabulary(json.loads(text)) if found.suffix == ".json" else _split(text)
    except UnicodeDecodeError:
        raise TableError(f"{found} must be UTF-8 text; it is not.") from None
    except (json.JSONDecodeError, KeyError, TypeError, IndexError, RecursionError):
        raise TableError(f"{found} must be a JSON list of words, or words with numbers.") from None


def _split(text: str) -> list[str]:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _vocabulary(data: Any) -> list[str]:
    """Words in the order of their numbers."""
    if isinstance(data, dict):
        model = data.get("model")
        numbered = model["vocab"] if isinstance(model, dict) else data
        if isinstance(numbered, list):  # of pairs, as unigram models have it
            return [str(pair[0]) for pair in numbered]
        ordered = sorted(numbered, key=numbered.__getitem__)
        if [numbered[word] for word in ordered] != list(range(len(ordered))):
            raise KeyError("the numbers of the words must be 0, 1, 2 …")
        return ordered
    if not isinstance(data, list) or not all(isinstance(word, str) for word in data):
        raise TypeError("not a list of words")
    return data


def _bounded(path: Path) -> None:
    """Refuse an archive that says it unpacks to more than a hundred times its size."""
    with zipfile.ZipFile(path) as archive:
        stated = sum(entry.file_size for entry in archive.infolist())
    if stated > 100 * path.stat().st_size:
        raise TableError(f"{path} unpacks to more than 100 times its size, which no table does.")


def _why_not(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(256)
    if b"'|O'" in start or b"|O" in start:
        return PICKLED.format(path)
    return f"{path} is damaged, cut short, or holds Python objects; save plain numbers again."
