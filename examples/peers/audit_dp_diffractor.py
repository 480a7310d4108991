"""Audits dp-diffractor 0.2.1, held to ε times the distance of two words in its sorted list.

    pip install . dp-diffractor==0.2.1 "numpy<2"
    python -m nltk.downloader stopwords punkt_tab
    python examples/peers/audit_dp_diffractor.py geometric --epsilon 1 --seconds 60
    python examples/peers/audit_dp_diffractor.py geometric --fresh-seed

Every call of the audited function is one run of a small program that uses the package as its
README shows. With `--fresh-seed` every run gets a seed of its own, as a careful user would give
it, and the law alone is on trial. The exit code is 3 where a promise is found broken.

The package fetches its tables and knows them by five names; a small table is put into its
cache under one of these, in a home folder of its own. It does not fetch the two NLTK packages.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from secrets import randbits
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from typing import Any

import nltk
import numpy as np

from nomdeplume import Table
from nomdeplume.audit import Audit, Claim

NAME = "glove-commoncrawl-30"  # one of the five names
WORDS = [f"w{letter}x" for letter in ascii_lowercase[:24]]  # no stop words among them
PAIR = f"{WORDS[8]},{WORDS[9]}"
METHODS = {"geometric": "geometric", "tem": "TEM"}

POSITIONS = Table(WORDS, np.arange(len(WORDS), dtype=float)[:, None], name="list of positions")


def write_table(home: Path) -> None:
    """Words along a line, so that the package's list is in their order."""
    cache = home / ".cache" / "diffractor"
    cache.mkdir(parents=True)
    rows = [f"{len(WORDS)} 2", *(f"{word} {i} {i}" for i, word in enumerate(WORDS))]
    (cache / f"{NAME}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


def rewritten(settings: dict[str, Any], text: str) -> str:
    """What the package makes of a text, with what `settings` does not name left as it is."""
    from diffractor import Diffractor, DiffractorConfig

    config = DiffractorConfig(verbose=False, **settings)
    with redirect_stdout(sys.stderr), Diffractor(config, model_names=[NAME]) as diffractor:
        if diffractor.mgr.lists != [WORDS]:
            raise RuntimeError("the package's list must be in the order of WORDS: another version?")
        [released] = diffractor.rewrite(text)
    return str(released)


def release(home: Path, settings: dict[str, Any], fresh: bool, words: list[str]) -> list[str]:
    """One run, in a process of its own: a second instance in the same one would hang."""
    seed = {"seed": randbits(64)} if fresh else {}  # else the package's own, which is 42
    run = subprocess.run(  # noqa: S603 - this very file
        [sys.executable, __file__, "--run", json.dumps({**settings, **seed})],
        input=" ".join(words),
        env={**os.environ, "HOME": str(home), "NLTK_DATA": os.pathsep.join(nltk.data.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()


def main() -> int:
    parser = argparse.ArgumentParser(description="Audit a mechanism of dp-diffractor.")
    parser.add_argument("mechanism", nargs="?", choices=METHODS, default="geometric")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--fresh-seed", action="store_true", help="a new seed for every run")
    parser.add_argument("--run", metavar="SETTINGS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        sys.stdout.write(rewritten(json.loads(options.run), sys.stdin.read()))
        return 0
    settings = {"method": METHODS[options.mechanism], "epsilon": options.epsilon}
    if options.fresh_seed:
        settings["replace_stopwords"] = True  # there are none; the list is not read every time
    with TemporaryDirectory() as home:
        write_table(Path(home))
        function = partial(release, Path(home), settings, options.fresh_seed)
        claim = Claim(function, POSITIONS, options.epsilon, options.mechanism)
        report = Audit(seconds=options.seconds, pairs=PAIR)(claim)
    sys.stdout.write(f"{report}\n")
    return 3 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
