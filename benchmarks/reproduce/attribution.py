"""Who of 20, 15, 10 or 5 authors wrote a text? Two linear SVMs on characters, scored as in PAN-18.

    cd benchmarks && python -m reproduce.attribution [--quick] [--data FOLDER]

Published for PAN-18 English: .697 (character 3-grams, the organisers' baseline) and .741
(1- to 4-grams). Its corpus is fan fiction, about 800 words a text, with the unknown texts from
another fandom than the known ones. Ours are Reuters news (c50, known and unknown texts as they
are split) and Usenet posts (known and unknown texts mixed, and once with the unknown ones from
other newsgroups than the known ones): other texts, of half that length, so figures should be
near the published ones, not the same. Seven known texts an author, as there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer
from sklearn.svm import LinearSVC

from reproduce.corpora import Record, arguments, by_author, corpus, keep, shown
from reproduce.pan import overall

KNOWN, UNKNOWN, OFTEN = 7, 10, 5  # known texts, most unknown ones; n-grams seen less are left out
CANDIDATES = (20, 15, 10, 5)  # as in PAN-18
PUBLISHED = {"char 3-grams": 0.697, "char 1-4-grams": 0.741}

Split = Callable[[list[Record], Generator], tuple[list[Record], list[Record]]]


@dataclass(frozen=True)
class Problem:
    """Known texts of the candidates, and the texts to attribute."""

    known: Sequence[Record]
    unknown: Sequence[Record]

    def told(self, attacker: Any) -> dict[Any, str]:
        attacker.fit([each["text"] for each in self.known], [each["author"] for each in self.known])
        told = attacker.predict([each["text"] for each in self.unknown])
        return dict(zip((each["id"] for each in self.unknown), told, strict=True))

    @property
    def truth(self) -> dict[Any, str]:
        return {each["id"]: each["author"] for each in self.unknown}


def trigrams(problem: Problem) -> Any:
    """Relative frequencies of frequent character 3-grams, each scaled to at most 1."""
    counts: Counter[str] = Counter()
    for each in problem.known:
        counts.update(each["text"][i : i + 3] for i in range(len(each["text"]) - 2))
    frequent = sorted(gram for gram, count in counts.items() if count >= OFTEN)
    counted = CountVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False, vocabulary=frequent
    )
    return make_pipeline(counted, Normalizer("l1"), MaxAbsScaler(), LinearSVC())


def up_to_4_grams(_: Problem) -> Any:
    """tf-idf of character 1- to 4-grams."""
    grams = TfidfVectorizer(
        analyzer="char", ngram_range=(1, 4), lowercase=False, sublinear_tf=True, min_df=2
    )
    return make_pipeline(grams, LinearSVC())


ATTACKERS = {"char 3-grams": trigrams, "char 1-4-grams": up_to_4_grams}


def as_given(texts: list[Record], rng: Generator) -> tuple[list[Record], list[Record]]:
    """Known texts from the corpus' own training part, unknown ones from its test part."""
    mixed = _mixed(texts, rng)
    known = [each for each in mixed if each["split"] == "train"]
    return known, [each for each in mixed if each["split"] == "test"]


def by_chance(texts: list[Record], rng: Generator) -> tuple[list[Record], list[Record]]:
    mixed = _mixed(texts, rng)
    return mixed[:KNOWN], mixed[KNOWN:]


def other_topic(texts: list[Record], rng: Generator) -> tuple[list[Record], list[Record]]:
    """Known texts of the author's commonest topic, unknown ones of all others."""
    main = Counter(each["topic"] for each in texts).most_common(1)[0][0]
    mixed = _mixed(texts, rng)
    known = [each for each in mixed if each["topic"] == main]
    return known, [each for each in mixed if each["topic"] != main]


SPLITS: dict[str, tuple[str, Split]] = {
    "c50": ("c50", as_given),
    "newsgroups": ("newsgroups_authors", by_chance),
    "newsgroups, other topics": ("newsgroups_authors", other_topic),
}


def cut(records: list[Record], split: Split, size: int, seed: int) -> Problem:
    """A problem of `size` authors who have seven texts to know them by and three to attribute."""
    rng = np.random.default_rng(seed)
    parts = [split(texts, rng) for texts in by_author(records).values()]
    able = [part for part in parts if len(part[0]) >= KNOWN and len(part[1]) >= 3]
    chosen = [able[i] for i in rng.choice(len(able), size, replace=False)]
    return Problem(
        [each for known, _ in chosen for each in known[:KNOWN]],
        [each for _, unknown in chosen for each in unknown[:UNKNOWN]],
    )


def measure(records: list[Record], split: Split, rounds: int) -> dict[str, dict[str, float]]:
    """Scores of both attackers by number of candidates, and over all problems."""
    problems = {n: [cut(records, split, n, seed) for seed in range(rounds)] for n in CANDIDATES}
    found: dict[str, dict[str, float]] = {}
    for name, attacker in ATTACKERS.items():
        pairs = {
            n: [(each.truth, each.told(attacker(each))) for each in some]
            for n, some in problems.items()
        }
        found[name] = {f"{n} authors": round(overall(some), 3) for n, some in pairs.items()}
        found[name]["all"] = round(overall(chain.from_iterable(pairs.values())), 3)
    return found


def _mixed(texts: list[Record], rng: Generator) -> list[Record]:
    return [texts[i] for i in rng.permutation(len(texts))]


def main() -> None:
    given = arguments(str(__doc__))
    rounds = 1 if given.quick else 5
    measured = {
        name: measure(corpus(given.data, file), split, rounds)
        for name, (file, split) in SPLITS.items()
    }
    keep(
        "reproduce-attribution",
        given.quick,
        {
            "published, PAN-18 English, macro F1": PUBLISHED,
            "corpora differ": "fan fiction of another fandom there; news and Usenet posts here",
            "problems of each size": rounds,
            "measured, macro F1": measured,
        },
    )
    shown(
        [
            {"corpus": name, "attacker": attacker, **scores, "published": PUBLISHED[attacker]}
            for name, found in measured.items()
            for attacker, scores in found.items()
        ]
    )


if __name__ == "__main__":
    main()
