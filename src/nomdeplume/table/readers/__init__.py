"""Tables in files, told apart by content: native, text, binary, models, bare arrays."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from nomdeplume.errors import TableError
from nomdeplume.table import container, native
from nomdeplume.table.readers.arrays import MODEL, read_npy, read_npz, read_safetensors
from nomdeplume.table.readers.binary import read_binary
from nomdeplume.table.readers.fasttext import MAGIC, read_fasttext
from nomdeplume.table.readers.text import header, read_text
from nomdeplume.table.readers.unpack import Unpacked
from nomdeplume.table.table import Table

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
PICKLE = re.compile(rb"\x80[\x02-\x05]")
WEB_PAGE = re.compile(rb"\s*<(!doctype|html|\?xml)", re.IGNORECASE)
NUMERIC = re.compile(rb"[\d.eE+\-naifNAIF \t\r]*")
LOOKED_AT = 1 << 12


def open_table(path: Path, *, language: str | None = None, words: Path | None = None) -> Table:
    """The table in a file. `language` is what its words are in, if the file does not say (`en`)."""
    path = path / MODEL if (path / MODEL).is_file() else path
    if not path.is_file():
        raise TableError(f"the table must be a file, found none at {path}.")
    with Unpacked(path) as file:
        start = file.peek(LOOKED_AT)
        if not file.packed and container.is_container(start):
            return _safetensors(path, language, words)
        language = language or "en"
        if not file.packed and start.startswith(NPY):
            return read_npy(path, words, language)
        if not file.packed and start.startswith(ZIP):
            return _zipped(path, words, language)
        if start.startswith(MAGIC):
            return read_fasttext(file, language)
        if reason := _refused(start, path):
            raise TableError(reason)
        stated = header(file)
        if stated and not _is_text(start):
            return read_binary(file, stated, language)
        return read_text(file, language)


def _safetensors(path: Path, language: str | None, words: Path | None) -> Table:
    if not native.is_native(path):
        return read_safetensors(path, words, language or "en")
    table = native.read(path)
    if language not in (None, table.language):
        raise TableError(f"{path} holds words of language {table.language}, asked was {language}.")
    return table


def _zipped(path: Path, words: Path | None, language: str) -> Table:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
    except zipfile.BadZipFile:
        raise TableError(f"{path} is a damaged ZIP archive; fetch it again.") from None
    if members and all(each.endswith(".npy") for each in members):
        return read_npz(path, words, language)
    raise TableError(f"{path} is a ZIP archive; unpack it, and name the table in it.")


def _refused(start: bytes, path: Path) -> str:
    """Why a file that begins so is no table, if it is known not to be one."""
    if PICKLE.match(start):
        return (
            f"{path} is a pickle, which can run any program when it is read. If gensim wrote it, "
            "convert it: gensim.models.KeyedVectors.load(FILE)"
            ".save_word2vec_format('table.bin', binary=True)"
        )
    if WEB_PAGE.match(start):
        return f"{path} is a web page, not a table; look at where it came from."
    if b"\0" in start and not _header_line(start):
        return f"{path} is no table of a known kind; see 'nomdeplume tables build --help'."
    return ""


def _header_line(start: bytes) -> bool:
    return re.match(rb"\s*\d+\s+\d+\s*\n", start) is not None


def _is_text(start: bytes) -> bool:
    """Whether the line after the header has numbers in letters: four random bytes rarely have."""
    line = start.split(b"\n")[1] if start.count(b"\n") else b""
    numbers = line.partition(b" ")[2][:1024]
    return bool(numbers) and NUMERIC.fullmatch(numbers) is not None
