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
from nomdeplume.table.readers.text import header, is_number, read_text
from nomdeplume.table.readers.unpack import Unpacked
from nomdeplume.table.table import Table

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
PICKLE = re.compile(rb"\x80[\x02-\x05]")
WEB_PAGE = re.compile(rb"\s*<(!doctype\s|html[\s>]+<|\?xml\s)", re.IGNORECASE)
LOOKED_AT = 1 << 16
PICKLED = (
    "{} is a pickle, which can run any program when it is read. If gensim wrote it and you trust "
    "it, convert it: m = gensim.utils.SaveLoad.load(FILE); "
    "getattr(m, 'wv', m).save_word2vec_format('table.bin', binary=True)"
)


def open_table(path: Path, *, language: str | None = None, words: Path | None = None) -> Table:
    """The table in a file. `language` is what its words are in, if the file does not say (`en`)."""
    path = path / MODEL if (path / MODEL).is_file() else path
    if path.is_dir():
        raise TableError(f"{path} is a folder; name the table in it.")
    if not path.is_file():
        raise TableError(f"the table must be a file, found none at {path}.")
    with Unpacked(path) as file:
        start = file.peek(LOOKED_AT)
        if array := _array(start, path, language, words, packed=file.packed):
            return array
        if words:
            raise TableError(f"{path} holds words of its own; leave the list of words out.")
        if start.startswith(MAGIC):
            return read_fasttext(file, language or "en")
        if reason := _refused(start, path):
            raise TableError(reason)
        stated = header(file)
        if stated and not _is_text(start, stated[1]):
            return read_binary(file, stated, language or "en")
        if b"\0" in start:
            raise TableError(f"{path} is no table of a known kind; see 'tables build --help'.")
        return read_text(file, stated, language or "en")


def _array(
    start: bytes, path: Path, language: str | None, words: Path | None, *, packed: bool
) -> Table | None:
    """The table of a file of arrays, if it is one; these are mapped, so they must not be packed."""
    kinds = (container.is_container(start), start.startswith(NPY), start.startswith(ZIP))
    if any(kinds) and packed:
        raise TableError(f"{path} holds packed arrays; unpack it with gunzip.")
    if kinds[0]:
        return _safetensors(path, language, words)
    if kinds[1]:
        return read_npy(path, words, language or "en")
    return _zipped(path, words, language or "en") if kinds[2] else None


def _safetensors(path: Path, language: str | None, words: Path | None) -> Table:
    if not native.is_native(path):
        return read_safetensors(path, words, language or "en")
    table = native.read(path)
    if words:
        raise TableError(f"{path} holds words of its own; leave the list of words out.")
    if language not in (None, table.language):
        raise TableError(f"{path} holds words of language {table.language}, asked was {language}.")
    return table


def _zipped(path: Path, words: Path | None, language: str) -> Table:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise TableError(f"{path} is a damaged ZIP archive; fetch it again.") from None
    if any(each.endswith(".pkl") for each in members):
        raise TableError(PICKLED.format(path))
    if members and all(each.endswith(".npy") for each in members):
        return read_npz(path, words, language)
    raise TableError(f"{path} is a ZIP archive; unpack it, and name the table in it.")


def _refused(start: bytes, path: Path) -> str:
    """Why a file that begins so is no table, if it is known not to be one."""
    if PICKLE.match(start):
        return PICKLED.format(path)
    if WEB_PAGE.match(start):
        return f"{path} is a web page, not a table; look at where it came from."
    return ""


def _is_text(start: bytes, k: int) -> bool:
    """Whether the line after the header is a word and `k` numbers, as far as it can be seen."""
    line, _, rest = start.partition(b"\n")[2].partition(b"\n")
    fields = line.split()
    seen = fields[-k:] if rest or len(start) < LOOKED_AT else fields[1:-1]
    return len(fields) > 1 and len(seen) in (k, len(fields) - 2) and all(map(is_number, seen))
