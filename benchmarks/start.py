"""How long does the program take to start, beside an import of NumPy?

    python benchmarks/start.py

Seconds of processor time (what else the machine does hardly counts), the median of some runs;
each kind of run in turn, so that all see the same machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from common import ROOT, record

COMMAND = str(Path(sys.executable).with_name("nomdeplume"))
LETTER = str(ROOT / "examples" / "letters" / "harbour.txt")
RUNS = 9
NUMPY = "import of NumPy"


def spent(command: list[str], folder: str) -> float:
    """Processor seconds of one run, all its threads together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    release = [COMMAND, "obfuscate", LETTER, "--quiet"]
    saved = ["-o", "released.txt", "--force"]
    commands = {
        NUMPY: [sys.executable, "-c", "import numpy"],
        "help": [COMMAND, "--help"],
        "a letter, its stand-in": release,
        "a letter, its stand-in, with its certificate": [*release, *saved],
        "a letter, by mean": [*release, "--budget", "20"],
        "a letter, by mean, with its certificate": [*release, "--budget", "20", *saved],
        "a letter, word by word": [*release, "--epsilon", "6"],
        "a letter, word by word, with its certificate": [*release, "--epsilon", "6", *saved],
    }
    with tempfile.TemporaryDirectory() as folder:
        for command in commands.values():
            spent(command, folder)  # modules are compiled, files are in the cache
        rounds = [
            {name: spent(command, folder) for name, command in commands.items()}
            for _ in range(RUNS)
        ]
    seconds = {name: median(each[name] for each in rounds) for name in commands}
    record(
        "start",
        {
            "processor seconds, median": {name: round(s, 3) for name, s in seconds.items()},
            "as often as an import of NumPy": {
                name: round(s / seconds[NUMPY], 2) for name, s in seconds.items()
            },
        },
    )


if __name__ == "__main__":
    main()
