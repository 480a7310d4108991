"""Peak memory of obfuscating one million words, beside the size of the table.

    python benchmarks/memory.py

Three ways to ask for them, released at once and word by word: many documents, one long text,
one huge release; and by two workers. Through the command line.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import record
from nomdeplume import Table

COMMAND = Path(sys.executable).with_name("nomdeplume")
LEVELS = {"mean": ("--budget", "20"), "word by word": ("--epsilon", "6")}


def peak(folder: Path, *arguments: str) -> float:
    """Most memory of one run of the command and its workers, in MB; what they share counts once."""
    process = subprocess.Popen([COMMAND, "obfuscate", *arguments, "--quiet"], cwd=folder)
    most = 0.0
    while process.poll() is None:
        most = max(most, sum(map(proportional, [process.pid, *children(process.pid)])))
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"the command failed: {arguments}")
    return most


def children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def proportional(pid: int) -> float:
    """A process's memory in MB, with its part of what it shares."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it is gone
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def main() -> None:
    table = Table.bundled()
    words = table.words[200:20_200]
    size = len(table) * table.dimensions * 4 / 1e6
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = " ".join(words)
        with (folder / "many.jsonl").open("w", encoding="utf-8") as file:
            for i in range(10_000):
                start = 37 * i % 19_000
                file.write(
                    json.dumps({"id": i, "text": " ".join(words[start : start + 100])}) + "\n"
                )
        (folder / "few.jsonl").write_text(
            json.dumps({"id": 1, "text": text}) + "\n", encoding="utf-8"
        )
        (folder / "long.txt").write_text((text + " ") * 50, encoding="utf-8")
        asked = {
            "one word, for comparison": ("few.jsonl", "-o", "a.jsonl", "--size", "1"),
            "10,000 documents of 100 words": ("many.jsonl", "-o", "b.jsonl"),
            "a text of 1,000,000 words, 100 released": ("long.txt", "-o", "c.txt"),
            "1,000,000 words released of one text": (
                "few.jsonl", "-o", "d.jsonl", "--size", "1000000",
            ),
        }  # fmt: skip
        peaks = {
            f"{level}, {what}": peak(folder, *arguments, *more, "--force")
            for level, more in LEVELS.items()
            for what, arguments in asked.items()
        }
        several = ("many.jsonl", "-o", "e.jsonl", "--epsilon", "6", "--workers", "2")
        together = peak(folder, *several)
    record(
        "memory",
        {
            "table in float32, MB": round(size, 1),
            "peak, MB": {name: round(value) for name, value in peaks.items()},
            "most beyond the table, MB": round(max(peaks.values()) - size),
            "limit beyond the table, MB": 500,
            "word by word, 10,000 documents, two workers and the command together, MB": round(
                together
            ),
        },
    )


if __name__ == "__main__":
    main()
