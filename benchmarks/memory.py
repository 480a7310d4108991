"""Peak memory of obfuscating one million words, beside the size of the table.

    python benchmarks/memory.py

Three ways to ask for them: many documents, one long text, one huge release.
Each in a process of its own, through the command line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import record
from nomdeplume import Table

COMMAND = Path(sys.executable).with_name("nomdeplume")


def peak(folder: Path, *arguments: str) -> float:
    """Largest resident memory of one run of the command, in MB."""
    process = subprocess.Popen([COMMAND, "obfuscate", *arguments, "--quiet"], cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the command failed: {arguments}")
    return usage.ru_maxrss / 1024


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
        peaks = {
            "one word, for comparison": peak(folder, "few.jsonl", "-o", "a.jsonl", "--size", "1"),
            "10,000 documents of 100 words": peak(folder, "many.jsonl", "-o", "b.jsonl"),
            "a text of 1,000,000 words, 100 released": peak(folder, "long.txt", "-o", "c.txt"),
            "1,000,000 words released of one text": peak(
                folder, "few.jsonl", "-o", "d.jsonl", "--size", "1000000"
            ),
        }
    record(
        "memory",
        {
            "table in float32, MB": round(size, 1),
            "peak, MB": {name: round(value) for name, value in peaks.items()},
            "most beyond the table, MB": round(max(peaks.values()) - size),
            "limit beyond the table, MB": 500,
        },
    )


if __name__ == "__main__":
    main()
