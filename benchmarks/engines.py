"""300,000 short documents through Parquet on every engine: how fast, and in how much memory?

    python benchmarks/engines.py [documents]
    python benchmarks/engines.py --long

Documents of about 12 words in 30 shards, 20 released words each, under the usual mechanism, by
the pool with one worker and two, by Ray with two, by a Spark of two cores. Memory is that of all
processes of a run together, what they share counted once, every half second. Rates are those of
a run less one on a tenth of the shards, which takes out the start; beside them is the whole time.
Java fills its heap before it tidies up, which takes longer than that: so Spark alone gets four
times as many in the end; the second line measures only that, beside what is kept already.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from common import RESULTS, record
from nomdeplume import Table
from nomdeplume.threads import cores

COMMAND = (sys.executable, "-m", "nomdeplume", "obfuscate")
DOCUMENTS, SHARDS, SIZE, WORDS, OFTEN = 300_000, 30, 20, 12, 0.5
TIMES = 4  # as many documents for a longer run
PARTS = 3  # of a run, whose memory is compared: the last with the one in the middle
RUNS: dict[str, tuple[str, ...]] = {
    "pool, 1 worker": ("--engine", "pool", "--workers", "1"),
    "pool, 2 workers": ("--engine", "pool", "--workers", "2"),
    "Ray, 2 actors": ("--engine", "ray", "--workers", "2"),
    "Spark, 2 cores": (),
}


def main() -> None:
    if sys.argv[1:2] == ["--spark"]:
        spark(*sys.argv[2:])
        return
    if sys.argv[1:2] == ["--long"]:
        long()
        return
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus(folder / "many", SHARDS, documents // SHARDS)
        corpus(folder / "few", SHARDS // 10, documents // SHARDS)
        found = {each: measured(folder, each, documents) for each in RUNS}
    plain = found["pool, 2 workers"]
    for each in found.values():
        each["of the pool's rate, without the start"] = round(
            each["documents a second, without the start"]
            / plain["documents a second, without the start"],
            3,
        )
        each["of the pool's rate, whole run"] = round(plain["seconds"] / each["seconds"], 3)
    record("engines", {"documents": documents, "shards": SHARDS, "cores": cores(), "runs": found})
    long()


def long() -> None:
    """The memory of Spark over a longer run, beside what is kept."""
    kept = json.loads((RESULTS / "engines.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder, documents = Path(name), TIMES * DOCUMENTS
        corpus(folder / "many", TIMES * SHARDS, DOCUMENTS // SHARDS)
        seconds, curve = ran(folder, "Spark, 2 cores", "many")
        checked(folder / "out", documents)
    kept["longer"] = {
        "documents": documents,
        "seconds": round(seconds, 1),
        "MiB at most": max(memory for _, memory in curve),
        "last third over the middle one": steady(curve),
        "memory": curve,
    }
    record("engines", kept)


def corpus(folder: Path, shards: int, each: int, length: int = WORDS) -> None:
    """Shards of short documents, of words by Zipf's law."""
    folder.mkdir()
    rng, words = np.random.default_rng(0), np.array(Table.bundled().words)
    weights = 1 / np.arange(10, 10 + len(words))
    for shard in range(shards):
        drawn = rng.choice(words, (each, length), p=weights / weights.sum())
        ids = np.arange(shard * each, (shard + 1) * each)
        texts = [" ".join(row).capitalize() + "." for row in drawn]
        pq.write_table(pa.table({"id": ids, "text": texts}), folder / f"{shard:03}.parquet")


def measured(folder: Path, name: str, documents: int) -> dict[str, Any]:
    few = min(ran(folder, name, "few")[0] for _ in range(2))  # the first one reads programs too
    many, curve = ran(folder, name, "many")
    checked(folder / "out", documents)
    told = {
        "seconds": round(many, 1),
        "documents a second": round(documents / many),
        "documents a second, without the start": round(0.9 * documents / (many - few)),
        "MiB at most": max(memory for _, memory in curve),
        "last third over the middle one": steady(curve),
        "memory": curve,
    }
    print(name, {key: value for key, value in told.items() if key != "memory"}, flush=True)
    return told


def steady(curve: list[tuple[float, int]]) -> float:
    """The memory of the last third of a run over that of the one before."""
    parts = np.array_split(np.array([memory for _, memory in curve]), PARTS)
    return round(float(parts[-1].mean() / parts[-2].mean()), 3)


def ran(folder: Path, name: str, source: str) -> tuple[float, list[tuple[float, int]]]:
    """How long a run takes, and its memory on the way."""
    if name.startswith("Spark"):
        return watched(folder, sys.executable, __file__, "--spark", source, "out")
    return released(folder, source, *RUNS[name], "--size", str(SIZE))


def released(folder: Path, source: str, *options: str) -> tuple[float, list[tuple[float, int]]]:
    """The same, of the command."""
    return watched(folder, *COMMAND, source, "-o", "out", "--quiet", "--force", *options)


def watched(folder: Path, *command: str) -> tuple[float, list[tuple[float, int]]]:
    shutil.rmtree(folder / "out", ignore_errors=True)
    env = os.environ | {"PYSPARK_PYTHON": sys.executable}
    began, curve = time.perf_counter(), list[tuple[float, int]]()
    running = subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.PIPE)
    while running.poll() is None:
        curve.append((round(time.perf_counter() - began, 1), memory_of(running.pid) >> 20))
        time.sleep(OFTEN)
    took = time.perf_counter() - began
    if running.returncode:
        raise SystemExit(f"{command}: {running.communicate()[1][-2000:]!r}")
    return took, curve


def memory_of(pid: int) -> int:
    """Bytes of a process and all that it has started, what they share counted once."""
    total = 0
    for each in tree(pid):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:  # it has ended
            continue
        total += sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return total


def tree(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        inner = [each for thread in threads for each in (thread / "children").read_text().split()]
    except OSError:
        return []
    return [pid, *(found for each in inner for found in tree(int(each)))]


def checked(out: Path, documents: int) -> None:
    """Every document is there once."""
    ids = pq.read_table(out, columns=["id"]).column("id").to_numpy()
    assert len(ids) == documents == len(np.unique(ids))


def spark(source: str, target: str) -> None:
    """The same in a job of one's own."""
    from pyspark.sql import SparkSession

    from nomdeplume.engine.spark import obfuscate

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.files.maxPartitionBytes", "1m")
        .getOrCreate()
    )
    texts = session.read.parquet(source)
    obfuscate(texts, keep=["id"], size=SIZE).write.parquet(target)
    session.stop()


if __name__ == "__main__":
    main()
