"""Where documents go: whole or not at all, hashed while they are written."""

from __future__ import annotations

import gzip
import json
import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Protocol

from nomdeplume.errors import InputError
from nomdeplume.formats.jsonl import is_jsonl
from nomdeplume.privacy.certificate import Output


class Sink(Protocol):
    """Takes documents one by one; nothing is there under its name before `publish`."""

    def write(self, words: str, fields: Mapping[str, Any]) -> None: ...
    def close(self) -> Output: ...
    def publish(self) -> None: ...
    def discard(self) -> None: ...


def open_sink(
    output: Path | None, kind: str, *, id_field: str, force: bool = False, warning: str = ""
) -> Sink:
    """Where documents of a kind of input go: output follows input, unless it is named .jsonl."""
    as_json = kind == "jsonl" or (output is not None and is_jsonl(output))
    lines = "jsonl" if as_json else "text"
    if output is None:
        if sys.stdout is None:
            raise InputError("standard output is closed; name a file with -o.")
        return LineSink(sys.stdout.buffer, kind=lines, warning=warning)
    if as_json and not is_jsonl(output):
        raise InputError(f"JSONL goes to a file named .jsonl or .jsonl.gz, got {output.name}.")
    if kind == "folder" and not as_json:
        if output.suffix in (".txt", ".md"):
            raise InputError(f"several documents go to a folder or a .jsonl file, got {output}.")
        return FolderSink(output, id_field=id_field, force=force, warning=warning)
    packed = output.suffix.lower() == ".gz"
    return LineSink(AtomicFile(output, force=force), kind=lines, packed=packed, warning=warning)


class AtomicFile:
    """A file that appears under its name complete or never.

    It is written beside its place under a hidden name, readable by its owner only.
    """

    def __init__(self, path: Path, *, force: bool = False) -> None:
        vacant(path, force=force)
        self._path = path.resolve()
        self._partial = _partial(self._path)
        opened = os.open(self._partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        self.file: IO[bytes] = os.fdopen(opened, "wb")

    def close(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self._partial.chmod(0o666 & ~_umask())

    def publish(self) -> None:
        self._partial.replace(self._path)

    def discard(self) -> None:
        self.file.close()
        self._partial.unlink(missing_ok=True)


class LineSink:
    """One document a line, as plain words or as JSON, to a file or a stream."""

    def __init__(
        self, target: AtomicFile | IO[bytes], *, kind: str, packed: bool = False, warning: str = ""
    ) -> None:
        self.kind, self.warning = kind, warning
        self._target = target
        self._hash = sha256()
        self._file = target.file if isinstance(target, AtomicFile) else target
        self._gzip = gzip.GzipFile("", "wb", fileobj=_Tee(self._put), mtime=0) if packed else None
        if warning and kind == "text":
            self._line(f"# {warning}")

    def write(self, words: str, fields: Mapping[str, Any]) -> None:
        if self.kind == "text":
            self._line(words)
            return
        record = {**fields, "text": words} | ({"warning": self.warning} if self.warning else {})
        self._line(_dumped(record))

    def close(self) -> Output:
        if self._gzip:
            self._gzip.close()
        if isinstance(self._target, AtomicFile):
            self._target.close()
        else:
            self._target.flush()
        return Output(self.kind, self._hash.hexdigest())

    def publish(self) -> None:
        if isinstance(self._target, AtomicFile):
            self._target.publish()

    def discard(self) -> None:
        if isinstance(self._target, AtomicFile):
            self._target.discard()

    def _line(self, line: str) -> None:
        data = (line + "\n").encode()
        if self._gzip:
            self._gzip.write(data)
        else:
            self._put(data)

    def _put(self, data: bytes) -> None:
        self._hash.update(data)
        self._file.write(data)


class FolderSink:
    """One file a document, under its number, or under its text's name if that is kept."""

    def __init__(
        self, path: Path, *, id_field: str, force: bool = False, warning: str = ""
    ) -> None:
        vacant(path, force=force, folder=True)
        self._path, self._warning, self._id_field = path.resolve(), warning, id_field
        self._partial = _partial(self._path)
        self._partial.mkdir(mode=0o700)
        self._lines: list[bytes] = []

    def write(self, words: str, fields: Mapping[str, Any]) -> None:
        name = str(fields.get("name", f"document-{fields[self._id_field]:04}.txt"))
        place = self._partial / name
        place.parent.mkdir(parents=True, exist_ok=True)
        data = ((f"# {self._warning}\n" if self._warning else "") + words + "\n").encode()
        place.write_bytes(data)
        self._lines.append(listed(data, name))

    def close(self) -> Output:
        self._partial.chmod(0o777 & ~_umask())
        return Output("folder", sha256(b"".join(sorted(self._lines))).hexdigest())

    def publish(self) -> None:
        replaced = _partial(self._path)
        if self._path.exists():
            self._path.rename(replaced)
        self._partial.rename(self._path)
        shutil.rmtree(replaced, ignore_errors=True)

    def discard(self) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)


class _Tee:
    """The little of a file that gzip writes to."""

    def __init__(self, put: Any) -> None:
        self.write = put

    def flush(self) -> None: ...


def _dumped(record: Mapping[str, Any]) -> str:
    """A record as JSON in UTF-8; where a string is not Unicode, in ASCII with escapes."""
    line = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(record, allow_nan=False)
    return line


def listed(data: bytes, name: str) -> bytes:
    """The line by which a file counts in the hash of its folder."""
    return sha256(data).hexdigest().encode() + b"  " + os.fsencode(name) + b"\n"


def vacant(path: Path, *, force: bool = False, folder: bool = False) -> None:
    """Refuse to write where something is, unless `force` allows it and it is of the same kind."""
    if not path.name:
        raise InputError(f"the output must have a name, got {str(path)!r}.")
    if not path.resolve().parent.is_dir():
        raise InputError(f"no folder {path.parent} to write into; make it first.")
    if os.path.lexists(path) and not force:
        raise InputError(f"{path} exists; choose another name, or say --force to replace it.")
    if path.exists() and not (path.is_dir() if folder else path.is_file()):
        raise InputError(f"{path} is not a {'folder' if folder else 'file'}; choose another name.")


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
