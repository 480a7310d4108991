"""Koppel's protocol: one known text and one snippet of every author; whose is the snippet?

    cd benchmarks && python -m reproduce.koppel [--quick] [--data FOLDER]

Texts are compared by the cosine of tf-idf of character 4-grams inside words. A hundred times, a
random half of the 4-grams is looked at, and the author whose known text is nearest gets a vote;
most votes win (Koppel, Schler and Argamon, 2011). Known texts and snippets have 500 words, of
documents joined where they are shorter, never of the same document, in Gutenberg never of the
same book. Snippets are told from clean texts, from the kept words of clean texts (what a release
is made of), and from releases by Laplace noise on the bundled table, where known texts are kept
words (static) or five releases of them joined (adaptive).

The text of the extended paper, which has this protocol with 20 and 50 authors, was not at hand
when this was written, so no published figure stands beside ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from nomdeplume import Obfuscator, Vocabulary, seeded
from reproduce.corpora import Record, arguments, by_author, corpus, keep, kept_words, shown

WORDS, SIZE, VOTES = 500, 100, 100
EPSILONS = (6.0, 8.0, 10.0, 14.0)
DRAWS = 5  # releases of a known text that an adaptive attacker makes
AUTHORS = {"ebg": (20,), "gutenberg": (11,), "c50": (20, 50), "newsgroups_authors": (20, 50)}
NO_FIGURE = "the extended paper's text was not at hand; its figures are not given here"

Floats = NDArray[np.float64]
Pair = tuple[str, str]  # a known text and a snippet


def four_grams(text: str) -> Iterator[str]:
    """Strings of four characters inside words; shorter words as they are."""
    for word in text.lower().split():
        yield from (word[i : i + 4] for i in range(max(1, len(word) - 3)))


def share_right(known: Sequence[str], snippets: Sequence[str], votes: int, seed: int) -> float:
    """Share of snippets whose own author gets most votes."""
    grams = TfidfVectorizer(analyzer=four_grams, sublinear_tf=True).fit(known)
    theirs, these = (grams.transform(texts).toarray() for texts in (known, snippets))
    rng = np.random.default_rng(seed)
    won = sum(_vote(theirs, these, rng) for _ in range(votes))
    return float((won.argmax(axis=1) == np.arange(len(known))).mean())


def _vote(known: Floats, snippets: Floats, rng: Generator) -> Any:
    """Ones where a known text is the nearest to a snippet by half of the 4-grams."""
    half = rng.random(known.shape[1]) < 0.5
    cosines = _unit(snippets[:, half]) @ _unit(known[:, half]).T
    return np.eye(len(known))[cosines.argmax(axis=1)]


def _unit(rows: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, 1e-12)


def pairs(records: list[Record], authors: int, seed: int) -> list[Pair]:
    """A known text and a snippet of each of some authors, by chance."""
    rng = np.random.default_rng(seed)
    all_of_them = list(by_author(records).values())
    chosen = rng.choice(len(all_of_them), authors, replace=False)
    return [_pair(all_of_them[i], rng) for i in chosen]


def _pair(texts: list[Record], rng: Generator) -> Pair:
    mixed = [texts[i] for i in rng.permutation(len(texts))]
    book = mixed[0].get("pg")
    known = _joined([each for each in mixed if each.get("pg") == book])
    seen = {each["id"] for each in known}
    rest = [each for each in mixed if each["id"] not in seen]
    others = rest if book is None else [each for each in rest if each["pg"] != book]
    return _first(known), _first(_joined(others))


def _joined(texts: list[Record]) -> list[Record]:
    """The first of them, as many as give 500 words."""
    lengths = np.cumsum([len(each["text"].split()) for each in texts])
    return texts[: int(np.searchsorted(lengths, WORDS)) + 1]


def _first(texts: list[Record]) -> str:
    return " ".join(" ".join(each["text"] for each in texts).split()[:WORDS])


def measure(some: list[list[Pair]], obfuscators: dict[float, Obfuscator], votes: int) -> Any:
    """Accuracy, with the standard deviation over choices of authors and texts."""
    vocabulary = Vocabulary.given(None)

    def right(known: list[list[str]], snippets: list[list[str]]) -> dict[str, float]:
        rounds = zip(known, snippets, strict=True)
        shares = [share_right(*each, votes, seed) for seed, each in enumerate(rounds)]
        return {"accuracy": round(fmean(shares), 3), "deviation": round(stdev(shares), 3)}

    known, snippets = ([[pair[i] for pair in each] for each in some] for i in (0, 1))
    bags, snippet_bags = (
        [kept_words(vocabulary, texts) for texts in each] for each in (known, snippets)
    )
    found = {"clean": right(known, snippets), "kept words": right(bags, snippet_bags)}
    for epsilon, obfuscator in obfuscators.items():
        made = [_released(obfuscator, texts, 1 + seed) for seed, texts in enumerate(snippets)]
        own = [_joint(obfuscator, texts, 101 + seed) for seed, texts in enumerate(known)]
        found[f"ε = {epsilon:g}, static"] = right(bags, made)
        found[f"ε = {epsilon:g}, adaptive"] = right(own, made)
    return found


def _released(obfuscator: Obfuscator, texts: Sequence[str], seed: int) -> list[str]:
    return [document.text for document in obfuscator(texts, seeded(seed))]


def _joint(obfuscator: Obfuscator, texts: Sequence[str], seed: int) -> list[str]:
    """Several releases of each text, joined: what an attacker can make of a known text."""
    made = _released(obfuscator, [text for text in texts for _ in range(DRAWS)], seed)
    return [" ".join(made[i : i + DRAWS]) for i in range(0, len(made), DRAWS)]


def main() -> None:
    given = arguments(str(__doc__))
    rounds, votes, epsilons = (2, 20, (8.0,)) if given.quick else (5, VOTES, EPSILONS)
    obfuscators = {e: Obfuscator.of("laplace", epsilon=e, size=SIZE) for e in epsilons}
    measured = {}
    for name, sizes in AUTHORS.items():
        records = corpus(given.data, name)
        for authors in sizes:
            some = [pairs(records, authors, seed) for seed in range(rounds)]
            measured[f"{name}, {authors} authors"] = measure(some, obfuscators, votes)
    keep(
        "reproduce-koppel",
        given.quick,
        {
            "published": NO_FIGURE,
            "words of a text": WORDS,
            "released words": SIZE,
            "choices of authors and texts": rounds,
            "measured": measured,
        },
    )
    names = next(iter(measured.values()))
    shown(
        [
            {"texts": row, **{name: found[row]["accuracy"] for name, found in measured.items()}}
            for row in names
        ]
    )
    print(NO_FIGURE)


if __name__ == "__main__":
    main()
