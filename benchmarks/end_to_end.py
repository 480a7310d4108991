"""From JSONL to JSONL through the installed command, against the search alone; one worker and two.

    python benchmarks/end_to_end.py [documents]

Documents of 300 words, a third of them stop words, on the bundled table. Each rate is that of a
run less one on few documents, which takes out the start; all are measured in the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from common import best, record
from nomdeplume import NoisyNearest, Table, secure
from nomdeplume.noise import to_grid
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.threads import cores

COMMAND = Path(sys.executable).with_name("nomdeplume")
WORDS, SIZE, FEW, ROUNDS = 300, 100, 200, 2
STOP = ("the", "of", "and", "to", "in", "is", "that", "was", "for", "it")
LEVELS = {
    "ε = 6, word by word": (1, ("--epsilon", "6")),
    "mean": (5, ("--budget", "20")),
}  # times as many


def corpus(path: Path, count: int) -> None:
    """Records of words by Zipf's law, with capitals, commas and full stops."""
    rng, words = np.random.default_rng(0), np.array(Table.bundled().words)
    weights = 1 / np.arange(10, 10 + len(words))
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            drawn = rng.choice(words, WORDS, p=weights / weights.sum())
            drawn[::3] = rng.choice(STOP, len(drawn[::3]))
            sentences = (" ".join(part).capitalize() for part in np.split(drawn, WORDS // 15))
            text = ", so ".join(sentences) + "."
            file.write(json.dumps({"id": number, "text": text}) + "\n")


def seconds(folder: Path, name: str, *arguments: str) -> float:
    """Wall time of one run of the command."""
    began = time.perf_counter()
    subprocess.run(
        [COMMAND, "obfuscate", name, "-o", "out.jsonl", "--force", "--quiet", *arguments],
        cwd=folder,
        check=True,
    )
    return time.perf_counter() - began


def rate(folder: Path, documents: int, *arguments: str) -> float:
    """Documents a second, without the start: the best of some rounds."""
    few = min(seconds(folder, "few.jsonl", *arguments) for _ in range(ROUNDS))
    many = min(seconds(folder, "many.jsonl", *arguments) for _ in range(ROUNDS))
    return (documents - FEW) / (many - few)


def search_alone(documents: int) -> float:
    """Words a second that are found for noisy vectors, on all cores, by the same batches."""
    made = Obfuscator.laplace(epsilon=6).mechanism
    assert isinstance(made, NoisyNearest)
    rng, batch = secure(), 8192
    ids = rng.integers(0, len(made.table), batch)
    noisy = to_grid(made.noise.add(made.vectors(ids), rng), made.places.grid)
    times = max(1, documents * SIZE // batch)
    made.decode(noisy, rng)  # what is made once
    taken = best(lambda: [made.decode(noisy, rng) for _ in range(times)], ROUNDS)
    return times * batch / taken


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    found: dict[str, object] = {"documents": documents, "cores": cores()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus(folder / "few.jsonl", FEW)
        alone = search_alone(documents)
        for level, (times, arguments) in LEVELS.items():
            corpus(folder / "many.jsonl", times * documents)
            here, one, two = (
                rate(folder, times * documents, *arguments, *workers)
                for workers in ((), ("--workers", "1"), ("--workers", "2"))
            )
            found[level] = {
                "words a second, one process": round(here * SIZE),
                "words a second, two workers": round(two * SIZE),
                "two workers over one": round(two / one, 2),
                "two workers over one process": round(two / here, 2),
            } | ({"share of the search alone": round(here * SIZE / alone, 3)} if arguments else {})
    found["search alone, words a second"] = round(alone)
    record("end-to-end", found)


if __name__ == "__main__":
    main()
