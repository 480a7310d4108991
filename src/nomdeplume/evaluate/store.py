"""Results on disk: written after every cell, and taken up again where a run was cut off."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nomdeplume import strict_json
from nomdeplume.errors import InputError
from nomdeplume.formats.targets import write_whole

FORMAT = 1


@dataclass(eq=False)
class Store:
    """What was found so far, by the key of each part; a file if there is a place for one.

    `question` tells evaluations apart: what was found under another is not taken up.
    """

    question: str
    path: Path | None = None
    parts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(
        cls, path: Path | None, question: str, *, force: bool = False, fresh: bool = False
    ) -> Store:
        """The one at `path` if it belongs to the same question, else a new one."""
        if path is None or not path.exists() or (fresh and force):
            return cls(question, path)
        data = read(path)
        if fresh or data["question"] != question:
            if fresh or force:
                return cls(question, path)
            raise InputError(
                f"{path} holds results of another evaluation; name another file, or replace it "
                "with --force."
            )
        return cls(question, path, data["parts"])

    def add(self, key: str, part: Mapping[str, Any]) -> None:
        """Remember a part, on disk at once."""
        self.parts[key] = dict(part)
        self._write({"complete": False, "parts": self.parts})

    def finish(self, results: Mapping[str, Any], keys: Sequence[str]) -> None:
        """Write all results, which hold the parts of these keys: the clean texts, then cells.

        What was found earlier under other settings stays beside them.
        """
        others = {key: part for key, part in self.parts.items() if key not in keys}
        self._write({**results, "keys": list(keys), "parts": others})

    def _write(self, data: Mapping[str, Any]) -> None:
        """The file appears whole or never, and is its owner's to read."""
        if self.path is None:
            return
        data = {"format": FORMAT, **data, "question": self.question}
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
        write_whole(self.path, text, force=True, private=True)


def read(path: Path) -> dict[str, Any]:
    """The results in a file, with the parts they are made of."""
    try:
        data = strict_json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # UnicodeDecodeError is one
        raise InputError(f"{path} must hold results of an evaluation as JSON.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or "question" not in data:
        raise InputError(f"{path} holds no results of an evaluation that this program reads.")
    try:
        parts = dict(data["parts"])
        if data["complete"]:
            parts |= zip(data["keys"], [data["clean"], *data["cells"]], strict=True)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path} lacks part of its results; make them anew: --fresh.") from None
    return {**data, "parts": parts}
