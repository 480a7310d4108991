"""JSONL in, JSONL out, with `obfuscate --device cuda`: what limits it?

    python benchmarks/gpu_end_to_end.py [documents]

Documents of 300 words on the bundled table, 100 released words each. Rates are by what a run takes
longer than a shorter one, which takes out the start; beside them are the rates of the steps, each
alone in one process: reading, bags, the card, and writing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from common import best, record
from end_to_end import SIZE, corpus
from nomdeplume import Table, Vocabulary, secure
from nomdeplume.devices import on
from nomdeplume.mechanism.recipe import words_of
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.threads import cores

DISTINCT = 2000  # documents; more repeat them under other ids
PART = 4  # of a run, that a shorter one has
WORKERS = (8,)


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    found: dict[str, object] = {"documents": documents, "cores": cores()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus(folder / "some.jsonl", DISTINCT)
        repeated(folder / "some.jsonl", folder / "part.jsonl", documents // PART)
        repeated(folder / "some.jsonl", folder / "many.jsonl", documents)
        found["each step alone, words a second"] = steps(folder / "some.jsonl")
        for level in (("--epsilon", "6"), ("--budget", "20")):
            whole = {}
            for workers in ((), *(("--workers", str(n)) for n in WORKERS if n <= cores())):
                took = measured(folder, documents, "--device", "cuda", *level, *workers)
                whole[" ".join(workers) or "one process"] = took
                print(level, workers, took, flush=True)
            found[" ".join(level) or "mean"] = whole
    record("gpu-end-to-end", found)


def repeated(source: Path, target: Path, count: int) -> None:
    lines = [json.loads(line)["text"] for line in source.read_text(encoding="utf-8").splitlines()]
    with target.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = json.dumps(lines[number % len(lines)])
            file.write(f'{{"id": {number}, "text": {text}}}\n')


def measured(folder: Path, documents: int, *arguments: str) -> dict[str, float]:
    """By two runs that differ in length alone: all workers have started in both."""
    part, whole = (run(folder, name, *arguments) for name in ("part.jsonl", "many.jsonl"))
    speed = (documents - documents // PART) * SIZE / (whole - part)
    start = part - documents // PART * SIZE / speed
    return {"words a second": round(speed), "seconds to start": round(start, 1)}


def run(folder: Path, name: str, *arguments: str) -> float:
    command = [sys.executable, "-m", "nomdeplume", "obfuscate", name, "-o", "out.jsonl"]
    began = time.perf_counter()
    subprocess.run([*command, "--force", "--quiet", *arguments], cwd=folder, check=True)
    return time.perf_counter() - began


def steps(path: Path) -> dict[str, int]:
    """Words a second of each step, one after the other, in this process."""
    made = Obfuscator.of("laplace", Vocabulary.of(Table.bundled()), epsilon=6.0)
    words = words_of(made.documents)
    lines = path.read_text(encoding="utf-8").splitlines()
    count, releasing, rng = len(lines) * SIZE, made.releasing, secure()
    texts = [json.loads(line)["text"] for line in lines]
    bags = list(made.vocabulary.bags(texts))
    reduced = np.resize(made.vocabulary.ids, 1 << 20)
    released = releasing.batch(bags[:100], rng) * (len(lines) // 100)
    with on("cuda"):
        words.release(reduced, rng)
        rates: dict[str, tuple[Callable[[], object], int]] = {
            "reading JSON": (lambda: [json.loads(line)["text"] for line in lines], count),
            "bags of texts": (lambda: list(made.vocabulary.bags(texts)), count),
            "noise and search on the card": (
                lambda: words.release(reduced, rng),
                len(reduced),
            ),
            "from bags to released texts": (lambda: releasing.batch(bags, rng), count),
            "writing JSON": (
                lambda: [json.dumps({"id": 1, "text": each.text}) for each in released],
                count,
            ),
        }
        return {name: round(most / best(work)) for name, (work, most) in rates.items()}


if __name__ == "__main__":
    main()
