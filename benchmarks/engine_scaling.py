"""Shards through the pool with more and more workers, on cores and on a card.

    python benchmarks/engine_scaling.py [name [cores|card|mean …]]

Documents of 12 words, 20 released at once, and of 100 words, released word by word at ε = 6; every
worker has as many of them, the same shards again, however many workers there are. Rates are those
of a run less a shorter one, which takes out the start. The result is kept under `name`: machines
differ. Words pick some of the runs, which join those that are kept already.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import RESULTS, record
from engines import COMMAND, corpus
from nomdeplume.threads import cores

WORKERS = (1, 2, 4, 8, 16)
ON_A_CARD = 8  # workers at most: each starts a context of its own
SHARDS, FEW = 8, 2  # shards that differ; shards for each worker in the shorter run
RUNS = {  # words of a document, documents of a shard, shards for each worker, options
    "mean, 20 words, cores": (12, 10_000, 8, ("--size", "20", "--device", "cpu")),
    "ε = 6, 100 words, cores": (100, 200, 8, ("--epsilon", "6", "--device", "cpu")),
    "ε = 6, 100 words, card": (100, 10_000, 32, ("--epsilon", "6", "--device", "cuda")),
}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "here"
    able = [workers for workers in WORKERS if workers <= cores()]
    before = RESULTS / f"engine-scaling-{name}.json"
    rates_before = json.loads(before.read_text())["documents a second"] if before.exists() else {}
    found: dict[str, Any] = {"cores": cores(), "card": card(), "documents a second": rates_before}
    for run, (words, each, many, options) in RUNS.items():
        asked = all(word in run for word in sys.argv[2:])
        if not asked or (run.endswith("card") and not card()):
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            corpus(folder / "all", SHARDS, each, words)
            took(folder, 1, 1, *options)  # the first one reads programs too
            rates = found["documents a second"][run] = {}
            for workers in able:
                if workers <= ON_A_CARD or not run.endswith("card"):
                    rates[workers] = rate(folder, each, many, workers, *options)
                    record(f"engine-scaling-{name}", found)


def rate(folder: Path, each: int, many: int, workers: int, *options: str) -> int:
    """Documents a second."""
    how = ("--workers", str(workers), *options)
    seconds = [took(folder, shards, workers, *how) for shards in (FEW, many)]
    print(workers, seconds, flush=True)
    return round((many - FEW) * workers * each / (seconds[1] - seconds[0]))


def took(folder: Path, shards: int, workers: int, *options: str) -> float:
    """Seconds for so many shards for each of so many workers."""
    some = folder / "some"
    shutil.rmtree(some, ignore_errors=True)
    shutil.rmtree(folder / "out", ignore_errors=True)
    some.mkdir()
    files = sorted((folder / "all").iterdir())
    for shard in range(shards * workers):
        (some / f"{shard:04}.parquet").hardlink_to(files[shard % len(files)])
    command = (*COMMAND, "some", "-o", "out", "--quiet", "--force", "--engine", "pool", *options)
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True)
    return time.perf_counter() - began


def card() -> str:
    """The name of the card, if there is one."""
    try:
        import torch
    except ImportError:
        return ""
    return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else ""


if __name__ == "__main__":
    main()
