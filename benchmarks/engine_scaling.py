"""Shards through the pool with more and more workers, on cores and on a card.

    python benchmarks/engine_scaling.py [name [cores|card|mean …]]

Documents of 12 words, 20 released at once, and of 100 words, released word by word at ε = 6; every
worker has as many of them, however many workers there are. Rates are those of a run less a shorter
one, which takes out the start. The result is kept under `name`: machines differ. Words pick some
of the runs, which join those that are kept already.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import RESULTS, record
from engines import corpus, released
from nomdeplume.threads import cores

WORKERS = (1, 2, 4, 8, 16)
MANY, FEW = 8, 2  # shards for each worker
RUNS = {  # words of a document, documents of a shard, options
    "mean, 20 words, cores": (12, 10_000, ("--size", "20", "--device", "cpu")),
    "ε = 6, 100 words, cores": (100, 200, ("--epsilon", "6", "--device", "cpu")),
    "ε = 6, 100 words, card": (100, 4000, ("--epsilon", "6", "--device", "cuda")),
}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "here"
    able = [workers for workers in WORKERS if workers <= cores()]
    before = RESULTS / f"engine-scaling-{name}.json"
    rates_before = json.loads(before.read_text())["documents a second"] if before.exists() else {}
    found: dict[str, Any] = {"cores": cores(), "card": card(), "documents a second": rates_before}
    for run, (words, each, options) in RUNS.items():
        asked = all(word in run for word in sys.argv[2:])
        if not asked or (run.endswith("card") and not card()):
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            corpus(folder / "all", MANY * max(able), each, words)
            rates = {workers: rate(folder, each, workers, *options) for workers in able}
        found["documents a second"][run] = rates
        record(f"engine-scaling-{name}", found)


def rate(folder: Path, each: int, workers: int, *options: str) -> int:
    """Documents a second."""
    how = ("--engine", "pool", "--workers", str(workers), *options)
    seconds = [took(folder, shards * workers, *how) for shards in (FEW, MANY)]
    return round((MANY - FEW) * workers * each / (seconds[1] - seconds[0]))


def took(folder: Path, shards: int, *options: str) -> float:
    """Seconds for so many shards."""
    some = folder / "some"
    shutil.rmtree(some, ignore_errors=True)
    some.mkdir()
    for file in sorted((folder / "all").iterdir())[:shards]:
        (some / file.name).hardlink_to(file)
    return released(folder, "some", *options)[0]


def card() -> str:
    """The name of the card, if there is one."""
    try:
        import torch
    except ImportError:
        return ""
    return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else ""


if __name__ == "__main__":
    main()
