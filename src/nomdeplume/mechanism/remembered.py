"""What was calibrated before: found once on a table, and remembered under what it depends on."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nomdeplume import strict_json

if TYPE_CHECKING:
    from nomdeplume.mechanism.tight import Tight

SHIPPED = Path(__file__).parent.parent / "data" / "stretches.json"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, OverflowError)
FORMAT = 2  # one more whenever calibration changes, so that nothing older is believed


@dataclass(frozen=True)
class Memory:
    """A folder of calibrations, a small file each. What cannot be read is found again.

    It is as safe as the folder is: `nomdeplume certificate` never asks it, and computes anew.
    """

    folder: Path

    @classmethod
    def usual(cls) -> Memory:
        """NOMDEPLUME_CACHE, or the user's folder for what can be made again."""
        if chosen := os.environ.get("NOMDEPLUME_CACHE"):
            return cls(Path(chosen) / "calibrations")
        from platformdirs import user_cache_path

        return cls(user_cache_path("nomdeplume") / "calibrations")

    def number(self, key: str) -> float | None:
        """A number above 0 that was found, here or by scripts/subjects.py for what ships."""
        try:
            found = float(self._read(key)["number"])
        except UNREADABLE:
            return _shipped().get(key)
        return found if 0 < found < inf else None

    def keep_number(self, key: str, number: float) -> None:
        """Remember it, if the folder can be written to."""
        self._write(key, {"number": number})

    def recall(self, key: str) -> tuple[float, Tight] | None:
        """The a that was found, and what it promises."""
        try:
            data = self._read(key)
            a, epsilon, exact = float(data["a"]), float(data["epsilon"]), bool(data["exact"])
        except UNREADABLE:
            return None
        if not (0 < a < inf and 0 <= epsilon <= 2 * a):  # which no calibration is outside of
            return None
        from nomdeplume.mechanism.tight import Tight

        return a, Tight(epsilon, 2 * a, exact, np.empty((0, 2), dtype=np.int64))

    def keep(self, key: str, a: float, found: Tight) -> None:
        """Remember it, if the folder can be written to."""
        self._write(key, {"a": a, "epsilon": found.epsilon, "exact": found.exact})

    def _read(self, key: str) -> dict[str, Any]:
        data = strict_json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        if data["format"] != FORMAT or data["key"] != key:
            raise ValueError("another format, or another key")
        return dict(data)

    def _write(self, key: str, found: dict[str, Any]) -> None:
        text = json.dumps({"format": FORMAT, "key": key, **found})
        path, partial = self.folder / f"{key}.json", self.folder / f"{key}.{os.getpid()}.partial"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
        except OSError:
            with suppress(OSError):
                partial.unlink()


@cache
def _shipped() -> dict[str, float]:
    """Stretches of the maps that ship, on the bundled table, by what they depend on."""
    return dict(json.loads(SHIPPED.read_text(encoding="utf-8")))
