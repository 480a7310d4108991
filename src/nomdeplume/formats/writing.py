"""Where documents go: whole or not at all, hashed while they are written."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from nomdeplume.errors import InputError
from nomdeplume.extras import arrow
from nomdeplume.formats.kinds import PACKABLE, delimiter_of, named, packing_of
from nomdeplume.formats.streams import packer
from nomdeplume.formats.targets import AtomicFile, Stream, Target, hidden, umask, vacant
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.identifying import ID

Beside = Mapping[str, Any]  # what comes out after the text: a noisy mean, the id of a stand-in
NOTHING: Beside = {}
Number = int | str | None  # of a document in its release

FILES = (".txt", ".md", ".gz", ".zst", ".json", ".zip", ".docx", ".xlsx", ".html")


class Sink(Protocol):
    """Takes documents one by one; nothing is there under its name before `publish`.

    A document may have a number, and more that comes after its text, where the sink can hold them.
    """

    def write(
        self,
        words: str,
        fields: Mapping[str, Any],
        beside: Beside = NOTHING,
        number: Number = None,
    ) -> None: ...
    def close(self) -> Output: ...
    def publish(self) -> None: ...
    def discard(self) -> None: ...


def open_sink(
    output: Path | None,
    kind: str,
    *,
    keep: bool,
    force: bool = False,
    warning: str = "",
    vectors: bool = False,
    private: bool = False,
) -> Sink:
    """Where documents go, as the name of the output says; without one, as the input was.

    Columns have no place on standard output: their rows come as JSONL there. A `private` file
    stays readable by its owner only.
    """
    chosen = _chosen(output, kind)
    file = partial(AtomicFile, force=force, private=private)
    if vectors and chosen in ("text", "folder"):
        raise InputError("plain lines of words cannot hold vectors; write to a .jsonl file.")
    if chosen == "folder" and output is not None:
        return FolderSink(output, force=force, warning=warning)
    if chosen in ("parquet", "arrow") and output is not None:
        from nomdeplume.formats.table_sink import TableSink

        arrow()  # if it cannot be had, that is said before all else
        return TableSink(file(output), output, kind=chosen, warning=warning)
    if keep and chosen == "text":
        raise InputError("plain lines of words cannot hold kept fields; write to a .jsonl file.")
    packing = packing_of(output.name) if output else ""
    packer(packing, len)  # likewise
    target = Stream() if output is None else file(output)
    lines = CsvLines(output) if chosen == "csv" else _LINES[chosen]
    return LineSink(target, lines, kind=chosen, packing=packing, warning=warning)


def _chosen(output: Path | None, kind: str) -> str:
    """The kind of output: folder, text, jsonl, csv, parquet or arrow."""
    if output is None:
        return {"folder": "text", "parquet": "jsonl", "arrow": "jsonl"}.get(kind, kind)
    asked = named(output)
    if asked and packing_of(output.name) and asked not in PACKABLE:
        raise InputError(f"{output.name}: {asked} is packed inside already; leave the last suffix.")
    if asked:
        return asked
    if kind == "folder" and output.suffix.lower() in FILES:
        raise InputError(f"several documents go to a folder or a .jsonl file, got {output}.")
    if kind not in ("text", "folder"):
        raise InputError(
            f"records go to a file named .jsonl, .csv, .parquet or .arrow, got {output.name}."
        )
    return kind


class Lines(Protocol):
    """How documents look as lines of text."""

    def start(self, warning: str) -> str: ...
    def line(self, words: str, fields: Mapping[str, Any], beside: Beside, warning: str) -> str: ...


class TextLines:
    """The words of a document, and nothing else."""

    def start(self, warning: str) -> str:
        return f"# {warning}\n" if warning else ""

    def line(
        self,
        words: str,
        fields: Mapping[str, Any],  # noqa: ARG002
        beside: Beside,  # noqa: ARG002
        warning: str,  # noqa: ARG002
    ) -> str:
        return f"{words}\n"


class JsonLines:
    """A record as JSON; where a string is not Unicode, in ASCII with escapes."""

    _encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

    def start(self, warning: str) -> str:  # noqa: ARG002
        return ""

    def line(self, words: str, fields: Mapping[str, Any], beside: Beside, warning: str) -> str:
        record: dict[str, Any] = {**fields, "text": words, **beside}
        if warning:
            record["warning"] = warning
        line = self._encoder.encode(record)
        try:
            line.encode()
        except UnicodeEncodeError:
            line = json.dumps(record, allow_nan=False)
        return f"{line}\n"


class CsvLines:
    """A row; the first document says which fields there are. A vector is numbers with spaces."""

    def __init__(self, path: Path | None) -> None:
        self._delimiter = (path and delimiter_of(path)) or ","
        self._names: list[str] | None = None

    def start(self, warning: str) -> str:  # noqa: ARG002
        return ""

    def line(self, words: str, fields: Mapping[str, Any], beside: Beside, warning: str) -> str:
        mark = {
            name: " ".join(map(repr, value)) if isinstance(value, list) else value
            for name, value in beside.items()
        }
        mark |= {"warning": warning} if warning else {}
        head = ""
        if self._names is None:
            self._names = list(fields)
            head = self._row([*self._names, "text", *mark])
        if set(fields) - set(self._names):
            raise InputError("a record has a field that the first lacks; write to a .jsonl file.")
        values = [*(fields.get(name) for name in self._names), words, *mark.values()]
        return head + self._row(values)

    def _row(self, values: list[Any]) -> str:
        row = io.StringIO()
        writer = csv.writer(
            row, delimiter=self._delimiter
        )  # ends lines so that it quotes \r and \n
        writer.writerow([str(x).lower() if isinstance(x, bool) else x for x in values])
        return row.getvalue().removesuffix("\r\n").encode("utf-8", "replace").decode() + "\n"


_LINES: dict[str, Lines] = {"text": TextLines(), "jsonl": JsonLines()}


class LineSink:
    """Documents as lines, to a file or a stream, packed or not."""

    def __init__(
        self, target: Target, lines: Lines, *, kind: str, packing: str = "", warning: str = ""
    ) -> None:
        self._target, self._lines, self._kind, self._warning = target, lines, kind, warning
        self._hash = sha256()
        self._packer = packer(packing, self._put)
        self._write(lines.start(warning))

    def write(
        self,
        words: str,
        fields: Mapping[str, Any],
        beside: Beside = NOTHING,
        number: Number = None,
    ) -> None:
        before = fields if number is None else {ID: number, **fields}
        self._write(self._lines.line(words, before, beside, self._warning))

    def close(self) -> Output:
        if self._packer:
            self._packer.close()
        self._target.close()
        return Output(self._kind, self._hash.hexdigest())

    @property
    def on_terminal(self) -> bool:
        return self._target.file.isatty()

    def publish(self) -> None:
        self._target.publish()

    def discard(self) -> None:
        self._target.discard()

    def _write(self, text: str) -> None:
        (self._packer.write if self._packer else self._put)(text.encode())

    def _put(self, data: bytes) -> int:
        self._hash.update(data)
        return self._target.file.write(data)


class FolderSink:
    """One file a document, under its number, or under its text's name if that is kept."""

    def __init__(self, path: Path, *, force: bool = False, warning: str = "") -> None:
        vacant(path, force=force, folder=True)
        self._path, self._warning = path.resolve(), warning
        self._force = force
        self._partial = hidden(self._path)
        self._partial.mkdir(mode=0o700)
        self._lines: list[bytes] = []

    def write(
        self,
        words: str,
        fields: Mapping[str, Any],
        beside: Beside = NOTHING,  # noqa: ARG002 - a file holds the text alone
        number: Number = None,  # noqa: ARG002 - counted here
    ) -> None:
        name = str(fields.get("name", f"document-{len(self._lines) + 1:04}.txt"))
        place = self._partial / name
        place.parent.mkdir(parents=True, exist_ok=True)
        data = ((f"# {self._warning}\n" if self._warning else "") + words + "\n").encode()
        place.write_bytes(data)
        self._lines.append(listed(data, name))

    def close(self) -> Output:
        if hasattr(os, "sync"):
            os.sync()  # all files at once, rather than one by one
        return Output("folder", sha256(b"".join(sorted(self._lines))).hexdigest())

    def publish(self) -> None:
        """Take the name; an earlier release steps aside under a hidden name until then."""
        vacant(self._path, force=self._force, folder=True)
        replaced = self._partial.with_suffix(".replaced")
        self._partial.chmod(0o777 & ~umask())
        if self._path.exists():
            self._path.rename(replaced)
        self._partial.rename(self._path)
        shutil.rmtree(replaced, ignore_errors=True)

    def discard(self) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)


def listed(data: bytes, name: str) -> bytes:
    """The line by which a file counts in the hash of its folder."""
    return line_of(sha256(data).hexdigest(), name)


def line_of(digest: str, name: str) -> bytes:
    """The same, of a file whose hash is known."""
    return digest.encode() + b"  " + os.fsencode(name) + b"\n"
