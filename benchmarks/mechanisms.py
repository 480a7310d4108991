"""Words per second of every mechanism on the bundled table, beside mldp-text's TEM.

    python benchmarks/mechanisms.py

One text of words drawn by Zipf's law over the kept words, rows built before; the secure
generator. The ceiling is how fast BLAS multiplies the tiles that a draw goes through.
"""

from __future__ import annotations

import json
import subprocess
from time import perf_counter
from typing import Any

import numpy as np

from common import best, mldp_text, record
from nomdeplume import Exponential, Recipe, Table, Vocabulary, secure, seeded
from nomdeplume.mechanism import MECHANISMS
from nomdeplume.mechanism.scores import Truncated

WORDS, THEIRS, EXPONENT = 400_000, 200, 1.5

PEER_SCRIPT = """
import contextlib, json, os, sys, time
null = open(os.devnull, "w")
with contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
    from mldp_text import TEM
    mechanism = TEM(epsilon=float(sys.argv[1]))
words = sys.argv[2].split()
mechanism.replace_word(words[0])
began = time.perf_counter()
for word in words:
    mechanism.replace_word(word)
print(json.dumps(len(words) / (time.perf_counter() - began)))
"""


def main() -> None:
    vocabulary = Vocabulary.of(Table.bundled())
    table, kept = vocabulary.table, vocabulary.ids
    zipf = 1 / (np.arange(len(kept)) + 2.7)
    ids = seeded(1).choice(kept, WORDS, p=zipf / zipf.sum())
    rng = secure()
    rates: dict[str, Any] = {"words": WORDS, "distinct words": len(np.unique(ids))}
    for name, score in {"exponential": None, "tem": Truncated()}.items():
        parts: dict[str, Any] = {"score": score} if score else {}
        mechanism = Exponential(table, EXPONENT, inputs=kept, outputs=kept, **parts)
        began = perf_counter()
        mechanism.release(ids, rng)
        first = perf_counter() - began
        again = best(lambda mechanism=mechanism: mechanism.release(ids, rng))  # type: ignore[misc]
        rates[name] = {"first": round(WORDS / first), "rows built": round(WORDS / again)}
    for name in set(MECHANISMS) - {"exponential", "tem", "santext+"}:
        other = Recipe.usually(name).words(vocabulary)
        some = ids[:20_000] if MECHANISMS[name].noise else ids
        other.release(some[:500], rng)
        rates[name] = round(len(some) / best(lambda o=other, s=some: o.release(s, rng)))  # type: ignore[misc]
    words = " ".join(table.words[i] for i in ids[:THEIRS])
    done = subprocess.run(
        [mldp_text(), "-c", PEER_SCRIPT, str(EXPONENT * 2), words],
        check=True,
        capture_output=True,
        text=True,
    )
    peer = json.loads(done.stdout)
    rates["mldp-text TEM, 33,860 × 300"] = round(peer, 1)
    rates["exponential, times mldp-text"] = round(rates["exponential"]["rows built"] / peer)
    record("mechanisms", rates)


if __name__ == "__main__":
    main()
