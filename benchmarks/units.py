"""What does one document for all texts of an author tell, beside releasing each of them?

    python benchmarks/units.py ../shared/data [--draws 10]

Authors of newsgroup posts with at least 20 posts, split in halves. An attacker has one half, and
makes releases of it in the same way; of the other half he sees either every post released by
itself, so that its author spends E for each, or one document of them all, for one E. He names the
author, and the newsgroup that the author mostly writes in, by discriminants of noisy means.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import common
from nomdeplume import Laplace, Recipe, Table, Vocabulary
from nomdeplume.bag import Bag
from nomdeplume.features.fitting import fit_features
from nomdeplume.formats.units import added
from nomdeplume.mechanism import NoisyMean
from nomdeplume.privacy.random import seeded
from public_parts import newsgroups

BUDGETS = (1.0, 2.0, 5.0, 10.0, 20.0)
POOLS = 20  # documents that an attacker makes of each half that he has


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    private, public, _ = newsgroups(options.folder)
    table = Table.bundled()
    found = fit_features(
        [each["text"] for each in public],
        [each["topic"] for each in public],
        Vocabulary.of(table),
        maps=("learnt",),
        authors=[each["author"] for each in public],
    )
    kept = Vocabulary.of(table, features=found)
    made = Recipe("mean", 1.0, map="learnt").make(kept)
    assert isinstance(made, NoisyMean)
    bags = [kept.or_public(bag) for bag in kept.bags(each["text"] for each in private)]
    labels = {
        name: np.unique([each[name] for each in private], return_inverse=True)[1]
        for name in ("author", "topic")
    }
    rows = [_measured(made, bags, labels, budget, options.draws) for budget in BUDGETS]
    authors, posts = len(np.unique(labels["author"])), len(private)
    result = {"authors": authors, "posts": posts, "draws": options.draws, "by budget": rows}
    common.record("units", result)


def _measured(
    made: NoisyMean, bags: list[Bag], labels: dict[str, Any], budget: float, draws: int
) -> dict[str, Any]:
    """Shares of authors and of their main newsgroups that are told, over several splits."""
    found = np.array([_once(made, bags, labels, budget, draw) for draw in range(draws)])
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(draws)
    names = ("author, each post", "author, one document", "topic, each post", "topic, one document")
    shown = {
        name: {"value": round(float(mean), 3), "standard error": round(float(error), 3)}
        for name, mean, error in zip(names, means, errors, strict=True)
    }
    number = float(np.mean(np.bincount(labels["author"]))) / 2
    spent = {"each post": round(budget * number, 1), "one document": budget}
    return {"budget": budget, "spent by an author": spent, **shown}


def _once(
    made: NoisyMean, bags: list[Bag], labels: dict[str, Any], budget: float, draw: int
) -> list[float]:
    rng, author, topic = seeded(draw), labels["author"], labels["topic"]
    noise, split = Laplace(budget), np.random.default_rng(draw)
    means = made.means(bags)
    half = np.zeros(len(bags), dtype=bool)
    for one in np.unique(author):
        mine = split.permutation(np.flatnonzero(author == one))
        half[mine[: len(mine) // 2]] = True
    known, test = np.flatnonzero(half), np.flatnonzero(~half)

    noisy = noise.add(np.repeat(means[known], 3, axis=0), rng)
    tested = noise.add(means[test], rng)
    each = [
        _summed(_taught(noisy, np.repeat(told[known], 3)), tested, author[test])
        for told in (author, topic)
    ]
    main = np.array([np.bincount(topic[author == one]).argmax() for one in np.unique(author)])
    pools, of = [], []
    for one in np.unique(author):
        mine = known[author[known] == one]
        for _ in range(POOLS):
            pools.append(added([bags[i] for i in split.choice(mine, len(mine))]))
            of.append(one)
    taught = noise.add(made.means(pools), rng)
    whole = [added([bags[i] for i in test[author[test] == one]]) for one in np.unique(author)]
    released = noise.add(made.means(whole), rng)
    one_each = [
        _taught(taught, told).predict(released) for told in (np.array(of), main[np.array(of)])
    ]
    every = np.unique(author)
    return [
        float((each[0] == every).mean()),
        float((one_each[0] == every).mean()),
        float((each[1] == main).mean()),
        float((one_each[1] == main).mean()),
    ]


def _taught(rows: Any, told: Any) -> Any:
    classes = len(np.unique(told))
    even = np.full(classes, 1 / classes)  # posts of one author add up, and what is usual must not
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", priors=even).fit(rows, told)


def _summed(model: Any, rows: Any, author: Any) -> Any:
    """The class that all documents of an author speak for together."""
    logs = np.maximum(model.predict_log_proba(rows), -50.0)
    total = np.stack([logs[author == one].sum(axis=0) for one in np.unique(author)])
    return model.classes_[total.argmax(axis=1)]


if __name__ == "__main__":
    main()
