"""Worker processes on this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nomdeplume.threads import cores
from nomdeplume.workers import Pool


@dataclass(frozen=True)
class LocalPool:
    """So many processes, on a core each."""

    workers: int | None = None

    def open(self, work: Callable[[Any], Any]) -> Pool[Any, Any]:
        return Pool(work, self.workers or cores(), held=1, ordered=False)
