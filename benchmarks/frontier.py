"""How much budget does a topic cost, word by word and a document at once, and who is recognised?

    python benchmarks/frontier.py ../shared/data [--corpus gutenberg] [--draws 5]

Topics and authors are told by those who learnt from releases (adaptive), as released words. At
every budget the word level takes the number of words, the dimensions and the mechanism that
keep topics best. Whatever is fitted is fitted on a public part by other authors. The corpora
are not part of this project.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

import common
from nomdeplume import Obfuscator, Recipe, Table, Vocabulary
from nomdeplume.bag import Bag
from nomdeplume.evaluate import Labelled
from nomdeplume.evaluate.attackers import chosen
from nomdeplume.evaluate.attacks import Attacks
from nomdeplume.evaluate.floors import topic_oracle
from nomdeplume.evaluate.folds import folds
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.topics import Topics
from nomdeplume.features import Features
from nomdeplume.features.fitting import fit_features
from nomdeplume.mechanism import NoisyMean
from nomdeplume.privacy.random import seeded
from public_parts import CORPORA, Record

BUDGETS = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 40.0, 80.0)
SLOW = (5.0, 20.0, 80.0)  # word by word among all words, which takes long
PAPER = (500.0, 700.0, 1000.0)
SIZES = (1, 3, 10, 100)
TRAINING = 3  # draws that are learnt from
LEVELS = (0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70)  # topic accuracies at which budgets compare

Draws = list[list[str]]
Setting = tuple[Vocabulary, Recipe, int]


@dataclass(frozen=True, eq=False)
class Study:
    """Private texts, and the vocabularies that public ones gave."""

    corpus: Labelled
    stratified: Labelled  # the same without groups: how authors are attacked
    some: Mapping[str, Vocabulary]  # 500 topic words, with maps for small and for large budgets
    every: Mapping[str, Vocabulary]  # all words, with one map
    draws: int

    @classmethod
    def of(cls, private: list[Record], public: list[Record], group: str, draws: int) -> Study:
        texts, authors, topics = (
            [record[name] for record in private] for name in ("text", "author", "topic")
        )
        groups = [record[group] for record in private] if group else None
        plain = Vocabulary.of(Table.bundled())
        few = len({record["topic"] for record in public}) - 1

        def fitted(words: int, m: int, budget: float) -> Vocabulary:
            path = common.DOWNLOADS / f"frontier-{len(public)}-{words}-{m}.features"
            if path.is_file():  # fitted before
                return replace(plain, features=Features.open(path))
            found = fit_features(
                [record["text"] for record in public],
                [record["topic"] for record in public],
                plain,
                words=words,
                maps=("learnt", "topics"),
                dimensions=min(m, max(few, 2)),
                budget=budget,
                authors=[record["author"] for record in public],
            )
            path.parent.mkdir(exist_ok=True)
            found.save(path)
            return replace(plain, features=found)

        return cls(
            Labelled.of(texts, authors, topics, groups=groups),
            Labelled.of(texts, authors, topics),
            {"small": fitted(500, 6, 3.0), "large": fitted(500, 10, 10.0)},
            {"small": fitted(0, 8, 10.0)},
            draws,
        )

    def reader(self, setting: Setting) -> Reader:
        """Releases as who knows the mechanism reads them: by the map that means were taken of."""
        vocabulary, recipe, size = setting
        made = Obfuscator.of(recipe, vocabulary, size=size).mechanism
        places = made.features if isinstance(made, NoisyMean) else vocabulary.table
        return Reader(Vocabulary(places, vocabulary.stop_words))

    def bags(self, vocabulary: Vocabulary) -> list[Bag]:
        return list(vocabulary.bags(self.corpus.texts))

    def released(self, setting: Setting, draws: int) -> Draws:
        vocabulary, recipe, size = setting
        made, bags = Obfuscator.of(recipe, vocabulary, size=size), self.bags(vocabulary)
        rng = seeded(1)
        return [[each.text for each in made.releases(bags, rng) if each] for _ in range(draws)]

    def topic(self, draws: Draws, reader: Reader, learnt: int = TRAINING) -> dict[str, float]:
        """The better of two models, each trained on releases."""
        labels = self.corpus.topic
        assert labels is not None
        parts = folds(self.corpus)
        return asdict(Topics.taught(draws[:learnt], labels, parts, reader).told(draws).accuracy)

    def author(self, draws: Draws, reader: Reader) -> dict[str, float]:
        """The best of all attackers, trained on releases, clean texts, or both."""
        labels, parts = self.stratified.author, folds(self.stratified)
        assert labels is not None
        attacks = Attacks(chosen("fast"), labels, parts, reader, self.corpus.texts)
        static = attacks.static(draws, lambda _: None)
        found = attacks.adaptive(
            draws, static, lambda _: None, training=TRAINING, mechanism=None, rng=seeded(1)
        )
        told = attacks.identified(static, found)
        return asdict(max((one.share() for one, _ in told.values()), key=lambda f: f.value))

    def best(self, settings: Iterable[Setting]) -> Setting:
        """The setting that keeps topics best, going by two draws."""

        def kept(setting: Setting) -> float:
            return self.topic(self.released(setting, 2), self.reader(setting), 1)["value"]

        return max(settings, key=kept)


def mean(vocabulary: Vocabulary, budget: float, name: str = "") -> Setting:
    return vocabulary, Recipe("mean", budget, map=name), 100


def fitted_for(vocabularies: Mapping[str, Vocabulary], budget: float) -> Vocabulary:
    """Maps are learnt for small budgets or for large ones; which, the budget says."""
    return vocabularies["small" if budget <= 5 or "large" not in vocabularies else "large"]


def laplace(vocabulary: Vocabulary, budget: float) -> list[Setting]:
    """Word by word: any number of words, noise in all dimensions or along topic directions."""
    features = vocabulary.features
    few = None if features is None or features.directions is None else len(features.directions)
    return [
        (vocabulary, Recipe("laplace", budget / size, dimensions=m), size)
        for size in SIZES
        for m in dict.fromkeys((None, few))
    ]


def exponential(
    vocabulary: Vocabulary, budget: float, sizes: Sequence[int] = SIZES
) -> list[Setting]:
    return [(vocabulary, Recipe("exponential", budget / size), size) for size in sizes]


def measured(study: Study, setting: Setting) -> dict[str, Any]:
    started = monotonic()
    draws, reader = study.released(setting, study.draws), study.reader(setting)
    _, recipe, size = setting
    return {
        "budget": recipe.epsilon * (1 if recipe.at_once else size),
        "topic": study.topic(draws, reader),
        "author": study.author(draws, reader),
        "setting": f"{recipe.title}, N = {size}",
        "seconds": round(monotonic() - started, 1),
    }


def frontier(
    study: Study, known: dict[str, list[dict[str, Any]]], keep: Callable[[Any], None]
) -> dict[str, list[dict[str, Any]]]:
    """Every family, budget by budget; what is known is not measured again."""
    plain = Vocabulary.of(Table.bundled())
    topical, every = study.some["large"], study.every["small"]
    families: dict[str, tuple[Sequence[float], Callable[[float], Setting]]] = {
        "mean, 500 kept words": (BUDGETS, lambda e: mean(fitted_for(study.some, e), e)),
        "laplace, 500 kept words": (BUDGETS, lambda e: study.best(laplace(topical, e))),
        "exponential, 500 kept words": (BUDGETS, lambda e: study.best(exponential(topical, e))),
        "mean, all words": (BUDGETS, lambda e: mean(fitted_for(study.every, e), e)),
        "mean, shipped subjects, all words": (BUDGETS, lambda e: mean(plain, e, "subjects")),
        "laplace, all words": (SLOW, lambda e: study.best(laplace(every, e))),
        "exponential, all words": (  # each of which takes a minute to calibrate
            SLOW[1:2],
            lambda e: study.best(exponential(plain, e, SIZES[1:3])),
        ),
        "the paper's setting": (PAPER, lambda e: (plain, Recipe("laplace", e / 100), 100)),
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for name, (budgets, setting) in families.items():
        found[name] = known.get(name, [])
        if found[name]:
            continue
        for budget in budgets:
            found[name].append(point := measured(study, setting(budget)))
            print(
                f"{name:34} E = {budget:6g}  topic {point['topic']['value']:.3f}  author "
                f"{point['author']['value']:.3f}  {point['setting']}  {point['seconds']} s",
                flush=True,
            )
        keep(found)
    return found


def around(points: list[dict[str, Any]], level: float) -> tuple[Any, Any, float] | None:
    """Two measured points between which topics are first told this well, and how far between."""
    for one, two in pairwise(points):
        low, high = one["topic"]["value"], two["topic"]["value"]
        if low < level <= high:
            return one, two, (level - low) / (high - low)
    return None


def needed(points: list[dict[str, Any]], level: float) -> float | None:
    """The budget at which topics are told this well; between points by logarithms."""
    if not (found := around(points, level)):
        return None
    one, two, share = found
    return float(one["budget"] * (two["budget"] / one["budget"]) ** share)


def at(points: list[dict[str, Any]], level: float) -> float | None:
    """How often authors are named where topics are told this well."""
    if not (found := around(points, level)):
        return None
    low, high = (each["author"]["value"] for each in found[:2])
    return float(low + (high - low) * found[2])


def compared(found: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """At equal topic accuracy: budgets, how many times less, and authors."""
    rows = []
    for level in LEVELS:
        budgets = {name: needed(points, level) for name, points in found.items()}
        ours = budgets["mean, 500 kept words"]
        rows.append(
            {
                "topic": level,
                "budgets": {name: each and round(each, 2) for name, each in budgets.items()},
                "times less than laplace": _ratio(budgets["laplace, 500 kept words"], ours),
                "times less than exponential": _ratio(budgets["exponential, 500 kept words"], ours),
                "times less than the paper's setting": _ratio(budgets["the paper's setting"], ours),
                "times less, all words": _ratio(
                    budgets["laplace, all words"], budgets["mean, all words"]
                ),
                "authors": {name: _rounded(at(points, level)) for name, points in found.items()},
            }
        )
    return rows


def _ratio(more: float | None, less: float | None) -> float | None:
    return round(more / less, 1) if more and less else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", choices=CORPORA, action="append")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--resume", action="store_true", help="go on where a run was cut off")
    options = parser.parse_args()
    for name in options.corpus or CORPORA:
        study = Study.of(*CORPORA[name](options.folder), options.draws)
        path = common.DOWNLOADS / f"frontier-{name}.json"
        known = json.loads(path.read_text()) if options.resume and path.is_file() else {}

        def keep(found: Any, path: Path = path) -> None:
            path.write_text(json.dumps(found), encoding="utf-8")

        found = frontier(study, known, keep)
        oracle = topic_oracle(study.stratified, folds(study.stratified))
        result = {
            "texts": len(study.corpus),
            "draws": options.draws,
            "topic alone": oracle and asdict(oracle),
            "frontier": found,
            "at equal topic accuracy": compared(found),
        }
        common.record(f"frontier-{name}", result)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
