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

FILES = (".txt", ".md", ".gz", ".json", ".csv", ".zip", ".docx", ".html")


class Sink(Protocol):
    """Takes documents one by one; nothing is there under its name before `publish`."""

    def write(self, words: str, fields: Mapping[str, Any]) -> None: ...
    def close(self) -> Output: ...
    def publish(self) -> None: ...
    def discard(self) -> None: ...


def open_sink(
    output: Path | None, kind: str, *, keep: bool, force: bool = False, warning: str = ""
) -> Sink:
    """Where documents of a kind of input go: output follows input, unless it is named .jsonl."""
    as_json = kind == "jsonl" or (output is not None and is_jsonl(output))
    if as_json and output is not None and not is_jsonl(output):
        raise InputError(f"JSONL goes to a file named .jsonl or .jsonl.gz, got {output.name}.")
    if kind == "folder" and output is not None and not as_json:
        if output.suffix.lower() in FILES:
            raise InputError(f"several documents go to a folder or a .jsonl file, got {output}.")
        return FolderSink(output, force=force, warning=warning)
    if keep and not as_json:
        raise InputError("plain lines of words cannot hold kept fields; write to a .jsonl file.")
    target = Stream() if output is None else AtomicFile(output, force=force)
    packed = output is not None and output.suffix.lower() == ".gz"
    return LineSink(target, kind="jsonl" if as_json else "text", packed=packed, warning=warning)


class Target(Protocol):
    """Where bytes go, and what happens when they are all there."""

    file: IO[bytes]

    def close(self) -> None: ...
    def publish(self) -> None: ...
    def discard(self) -> None: ...


class Stream:
    """Standard output: what is written is published, and cannot be taken back."""

    def __init__(self) -> None:
        if sys.stdout is None:
            raise InputError("standard output is closed; name a file with -o.")
        self.file: IO[bytes] = sys.stdout.buffer

    def close(self) -> None:
        self.file.flush()

    def publish(self) -> None: ...
    def discard(self) -> None: ...


class AtomicFile:
    """A file that appears under its name complete or never.

    It is written beside its place under a hidden name, readable by its owner only.
    """

    def __init__(self, path: Path, *, force: bool = False) -> None:
        vacant(path, force=force)
        self._path, self._force = path.resolve(), force
        self._partial = _partial(self._path)
        opened = os.open(self._partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        self.file: IO[bytes] = os.fdopen(opened, "wb")

    def close(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self._partial.chmod(0o666 & ~_umask())

    def publish(self) -> None:
        """Take the name; if it was taken meanwhile, only by force."""
        if not self._force:
            vacant(self._path)
        self._partial.replace(self._path)

    def discard(self) -> None:
        self.file.close()
        self._partial.unlink(missing_ok=True)


class LineSink:
    """One document a line, as plain words or as JSON, to a file or a stream."""

    def __init__(
        self, target: Target, *, kind: str, packed: bool = False, warning: str = ""
    ) -> None:
        self._target, self._kind, self._warning = target, kind, warning
        self._hash = sha256()
        self._gzip = gzip.GzipFile("", "wb", fileobj=_Tee(self._put), mtime=0) if packed else None
        if warning and kind == "text":
            self._line(f"# {warning}")

    def write(self, words: str, fields: Mapping[str, Any]) -> None:
        if self._kind == "text":
            self._line(words)
            return
        mark = {"warning": self._warning} if self._warning else {}
        self._line(_dumped({**fields, "text": words, **mark}))

    def close(self) -> Output:
        if self._gzip:
            self._gzip.close()
        self._target.close()
        return Output(self._kind, self._hash.hexdigest())

    @property
    def on_terminal(self) -> bool:
        return self._target.file.isatty()

    def publish(self) -> None:
        self._target.publish()

    def discard(self) -> None:
        self._target.discard()

    def _line(self, line: str) -> None:
        write = self._gzip.write if self._gzip else self._put
        write((line + "\n").encode())

    def _put(self, data: bytes) -> None:
        self._hash.update(data)
        self._target.file.write(data)


class FolderSink:
    """One file a document, under its number, or under its text's name if that is kept."""

    def __init__(self, path: Path, *, force: bool = False, warning: str = "") -> None:
        vacant(path, force=force, folder=True)
        self._path, self._warning = path.resolve(), warning
        self._partial = _partial(self._path)
        self._partial.mkdir(mode=0o700)
        self._lines: list[bytes] = []

    def write(self, words: str, fields: Mapping[str, Any]) -> None:
        name = str(fields.get("name", f"document-{fields['id']:04}.txt"))
        place = self._partial / name
        place.parent.mkdir(parents=True, exist_ok=True)
        data = ((f"# {self._warning}\n" if self._warning else "") + words + "\n").encode()
        place.write_bytes(data)
        self._lines.append(listed(data, name))

    def close(self) -> Output:
        if hasattr(os, "sync"):
            os.sync()  # all files at once, rather than one by one
        self._partial.chmod(0o777 & ~_umask())
        return Output("folder", sha256(b"".join(sorted(self._lines))).hexdigest())

    def publish(self) -> None:
        """Take the name; an earlier release steps aside under a hidden name until then."""
        replaced = self._partial.with_suffix(".replaced")
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
