"""Results on disk: written after every cell, and read back when an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from nomdeplume import strict_json
from nomdeplume.errors import InputError
from nomdeplume.evaluate.results import Cell, Clean, Results
from nomdeplume.formats.targets import write_whole

FORMAT = 2
CLEAN = "clean"
UNFIT = (msgspec.ValidationError, UnicodeEncodeError)  # of a key with a lone surrogate


@dataclass(frozen=True)
class Parts:
    """Parts of results by key: clean texts, and cells by the keys of their settings."""

    clean: Clean | None = None
    cells: Mapping[str, Cell] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        return [*([CLEAN] if self.clean else []), *self.cells]

    def __or__(self, others: Parts) -> Parts:
        return Parts(others.clean or self.clean, {**self.cells, **others.cells})


@dataclass(frozen=True)
class Header:
    """Fields by which a file of results is known."""

    format: int
    question: str


@dataclass(frozen=True, kw_only=True)
class File:
    """A file of results: of a finished run all, with the keys of its cells; and other parts."""

    format: int = FORMAT
    question: str
    complete: bool = False
    results: Results | None = None
    keys: tuple[str, ...] = ()
    parts: Parts = Parts()

    def __post_init__(self) -> None:
        if self.complete != (self.results is not None):
            raise InputError("a file that is complete must have results.")
        if self.results and len(self.keys) != len(self.results.cells):
            raise InputError("every cell must have a key.")

    @property
    def everything(self) -> Parts:
        """All parts, those that the results are made of among them."""
        if self.results is None:
            return self.parts
        cells = zip(self.keys, self.results.cells, strict=True)
        return self.parts | Parts(self.results.clean, dict(cells))


@dataclass(eq=False)
class Store:
    """Parts found so far, and the file that keeps them if there is a path for one.

    `question` is a hash that tells evaluations apart: parts of another one are not used.
    """

    question: str
    path: Path | None = None
    parts: Parts = field(default_factory=Parts)

    @classmethod
    def open(
        cls, path: Path | None, question: str, *, force: bool = False, fresh: bool = False
    ) -> Store:
        """The store at `path` if it belongs to the same question, else a new one."""
        if path is None or not path.exists() or (fresh and force):
            return cls(question, path)
        file = read(path)
        if fresh or file.question != question:
            if fresh or force:
                return cls(question, path)
            raise InputError(
                f"{path} holds results of another evaluation; name another file, or replace it "
                "with --force."
            )
        return cls(question, path, file.everything)

    def add(self, found: Parts) -> None:
        """Add parts, and write them at once."""
        self.parts |= found
        self._write(File(question=self.question, parts=self.parts))

    def finish(self, results: Results, keys: Sequence[str]) -> None:
        """Write all results, and beside them the cells of other settings that were found earlier.

        `keys` are those of the results' cells.
        """
        others = {key: cell for key, cell in self.parts.cells.items() if key not in keys}
        self._write(
            File(
                question=self.question,
                complete=True,
                results=results,
                keys=tuple(keys),
                parts=Parts(cells=others),
            )
        )

    def _write(self, file: File) -> None:
        """The file appears whole or never, and is its owner's to read."""
        if self.path is not None:
            write_whole(self.path, encoded(file), force=True, private=True)


def encoded(file: File) -> str:
    """The file as JSON.

    By Python's own writer: msgspec's makes null of NaN, and refuses lone surrogates in a name.
    """
    data = msgspec.to_builtins(file, str_keys=True)
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def read(path: Path) -> File:
    """The file of results at `path`; InputError if it is none, or lacks a part."""
    try:
        data = strict_json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # UnicodeDecodeError is one
        raise InputError(f"{path} must hold results of an evaluation as JSON.") from None
    try:
        ours = msgspec.convert(data, Header).format == FORMAT
    except UNFIT:
        ours = False
    if not ours:
        raise InputError(f"{path} holds no results of an evaluation that this program reads.")
    try:
        return msgspec.convert(data, File, str_keys=True)
    except UNFIT:
        raise InputError(f"{path} lacks part of its results; make them anew: --fresh.") from None
