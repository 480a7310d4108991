"""Shards through the pool with more and more workers, on cores and on a card.

    python benchmarks/engine_scaling.py [name]

Documents of 12 words, 20 released at once, and of 100 words, released word by word at ε = 6.
Rates are those of a run less a shorter one, which takes out the start. The result is kept under
`name`: machines differ.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import engines
from common import record
from engines import corpus, released
from nomdeplume.threads import cores

WORKERS = (1, 2, 4, 8, 16)
SHARDS, PART = 32, 4  # a shorter run has one in so many of the shards
LEVELS = {  # words of a document, documents of a shard for each core, options
    "mean, 20 words": (12, 2500, ("--size", "20")),
    "ε = 6, 100 words": (100, 100, ("--size", "100", "--epsilon", "6")),
}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "here"
    able = [workers for workers in WORKERS if workers <= cores()]
    devices = ("cpu", "cuda") if card() else ("cpu",)
    found: dict[str, Any] = {"cores": cores(), "card": card(), "levels": {}}
    with tempfile.TemporaryDirectory() as place:
        for level, (words, each, options) in LEVELS.items():
            folder = Path(place) / level.partition(",")[0].replace(" ", "")
            folder.mkdir()
            engines.WORDS = words
            corpus(folder / "many", SHARDS, each * min(cores(), 4))
            corpus(folder / "few", SHARDS // PART, each * min(cores(), 4))
            for device in devices:
                rates = {n: rate(folder, each, device, n, *options) for n in able}
                found["levels"].setdefault(level, {})[device] = rates
                print(level, device, rates, flush=True)
    record(f"engine-scaling-{name}", found)


def rate(folder: Path, each: int, device: str, workers: int, *options: str) -> int:
    """Documents a second."""
    how = ("--engine", "pool", "--workers", str(workers), "--device", device, *options)
    few, _ = released(folder, "few", *how)
    many, _ = released(folder, "many", *how)
    return round(each * min(cores(), 4) * SHARDS * (1 - 1 / PART) / (many - few))


def card() -> str:
    """The name of the card, if there is one."""
    try:
        import torch
    except ImportError:
        return ""
    return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else ""


if __name__ == "__main__":
    main()
