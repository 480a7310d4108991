"""The evaluation as one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nomdeplume.engine import Engine
from nomdeplume.errors import InputError
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.results import Results
from nomdeplume.extras import evaluations
from nomdeplume.mechanism import Recipe
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary


def evaluate(
    corpus: Labelled,
    mechanisms: Sequence[str | Recipe] = (),
    vocabulary: Vocabulary | Table | None = None,
    *,
    epsilons: Sequence[float] = (),
    budgets: Sequence[float] = (),
    sizes: Sequence[int] = (100,),
    reduction: str = "",
    attackers: str | Mapping[str, Callable[[], Any]] = "fast",
    draws: int = 5,
    folds: int = 5,
    public: Iterable[str] | None = None,
    seed: int | None = None,
    results: Path | None = None,
    tell: Callable[[str], None] | None = None,
    engine: Engine | None = None,
) -> Results:
    """Every figure of a corpus released under every setting; `page` makes a report of it.

    Without mechanisms it is standin and mean; mean if `budgets` are given, and laplace if
    `epsilons` for each word are.
    `attackers` are names between commas, or functions that make scikit-learn classifiers of
    texts, by name. What is in the file `results` is not done again. Without `seed` the noise
    is secure; with one the releases can be undone, and are marked so. An `engine`, such as
    `engine("pool", workers=4)` of nomdeplume.engine, works on several settings at a time.
    """
    evaluations()
    from nomdeplume.evaluate.evaluation import Evaluation
    from nomdeplume.evaluate.setting import grid, usual
    from nomdeplume.evaluate.store import Store

    if not isinstance(corpus, Labelled):
        raise InputError("corpus must be a Labelled: Labelled.of(texts, authors, topics).")
    if isinstance(mechanisms, str):
        raise InputError("mechanisms must be a list of names or recipes.")
    kept = Vocabulary.given(vocabulary)
    given = (("laplace",) if epsilons else ()) or (("mean",) if budgets else ())
    mechanisms = mechanisms or given or usual(kept.table.language)
    recipes = [each if isinstance(each, Recipe) else Recipe.usually(each) for each in mechanisms]
    asked = Evaluation.of(
        corpus,
        kept,
        grid(recipes, epsilons=epsilons, budgets=budgets, sizes=sizes, reduction=reduction),
        attackers=attackers,
        draws=draws,
        folds=folds,
        public=public,
        seed=seed,
    )
    return asked.run(Store.open(results, asked.question), tell, engine=engine)
