"""An attack on one's own texts, before and after their release, over some budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isclose
from typing import TYPE_CHECKING

from nomdeplume.errors import whole
from nomdeplume.evaluate.report import page
from nomdeplume.evaluate.results import Cell, Clean, Results, several
from nomdeplume.evaluate.setting import Setting, grid
from nomdeplume.extras import evaluations
from nomdeplume.mechanism import Recipe
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web import corpus
from nomdeplume.web.pictures.paper import share

if TYPE_CHECKING:
    from nomdeplume.evaluate.evaluation import Evaluation
    from nomdeplume.evaluate.labelled import Labelled
    from nomdeplume.evaluate.naming import Named

Tell = Callable[[float, str], None]  # the share that is done, and what is being done

ATTACKERS = "word-svm,mean-lda,informed"  # a second for each budget; others add seconds, not hits
DRAWS, FOLDS = 2, 4
DEMO = "State of the Union"
LONGEST = 1000  # words of a release
ONE_EACH = "No two authors have 5 texts here; several texts give away more than one."


@dataclass(frozen=True)
class Asked:
    """The corpus to attack, and the settings; budgets are for a document, or odds of stand-ins."""

    corpus: bytes | None = field(default=None, repr=False)  # JSONL; None for speeches to try
    name: str = DEMO
    mechanism: str = "mean"
    budgets: tuple[float, ...] = (5, 10, 20, 40, 80)
    chosen: float = 20
    size: int = 50
    decode: str = ""
    vocabulary: Vocabulary | None = field(default=None, repr=False)  # the bundled one, if none

    @property
    def grid(self) -> tuple[float, ...]:
        """All budgets, ascending, the chosen one among them."""
        others = (each for each in self.budgets if not isclose(each, self.chosen, rel_tol=0.01))
        return tuple(sorted({*others, self.chosen}))


@dataclass(frozen=True)
class Attacked:
    """All figures, whom the best attackers name at the chosen budget, and the report."""

    results: Results
    chosen: int  # place of the chosen budget among the cells
    named: tuple[Named, ...]
    before_attacker: str
    after_attacker: str
    page: str


def attack(asked: Asked, tell: Tell) -> Attacked:
    """Attack a corpus as it is and under every budget, and report."""
    evaluations()
    from nomdeplume.evaluate.naming import who

    settings = _settings(asked)
    tell(0.0, "reading texts")
    texts = corpus.demo() if asked.corpus is None else corpus.read(asked.corpus).corpus
    evaluation = _evaluation(asked, texts, settings)
    steps = _Steps(evaluation, tell)
    results = evaluation.run(tell=steps.part, step=steps.next)
    if asked.corpus is not None:
        results = without_releases(results)
    tell(steps.share, "writing the report")
    place = asked.grid.index(asked.chosen)
    return Attacked(
        results,
        place,
        who(results, texts, place),
        results.clean.best(),
        results.cells[place].best(),
        page(results),
    )


def without_releases(results: Results) -> Results:
    """Figures only: a release that is shown is spent, and these were charged to nobody.

    A certificate has the hash of a release.
    """
    cells = (replace(cell, examples=(), certificate=None) for cell in results.cells)
    return replace(results, cells=tuple(cells))


def largest_under(results: Results, share: float) -> int | None:
    """Place of the cell with the largest budget at which authors are named at most so often."""
    told = [(cell.budget, cell.author(), place) for place, cell in enumerate(results.cells)]
    under = [(b, place) for b, author, place in told if b and author and author.value <= share]
    return max(under)[1] if under else None


def named_correctly(clean: Clean, cell: Cell) -> str:
    """Return how often authors are named before and after, from one text and from several."""
    more = several(cell.adaptive)
    one = f"from one text {_before_and_after(clean, cell, 1)}"
    if more is None:
        return f"{one}. {ONE_EACH}"
    return f"{one}; from {more[0]} texts of one author {_before_and_after(clean, cell, more[0])}."


def _before_and_after(clean: Clean, cell: Cell, documents: int) -> str:
    found = {"before": clean.author(documents), "after": cell.author(documents)}
    return " and ".join(f"{share(each.value)} {when}" for when, each in found.items() if each)


def _settings(asked: Asked) -> list[Setting]:
    size = whole("size", asked.size, most=LONGEST)
    recipe = replace(Recipe.usually(asked.mechanism), decode=asked.decode)
    if recipe.parameter.option == "odds":
        return grid([replace(recipe, epsilon=odds) for odds in asked.grid], sizes=[size])
    return grid([recipe], budgets=asked.grid, sizes=[size])


def _evaluation(asked: Asked, texts: Labelled, settings: list[Setting]) -> Evaluation:
    from nomdeplume.evaluate.evaluation import Evaluation

    return Evaluation.of(
        texts,
        Vocabulary.given(asked.vocabulary),
        settings,
        attackers=ATTACKERS,
        draws=DRAWS,
        folds=FOLDS,
        split_field="speech" if texts.group is not None else "",
        name=asked.name,
        naming=True,
    )


class _Steps:
    """How far an evaluation is: its parts are steps, and within one it says what it is at."""

    def __init__(self, evaluation: Evaluation, tell: Tell) -> None:
        self._tell, self._all = tell, evaluation.steps + 2  # reading before, the report after
        self._settings = evaluation.settings
        self._within = 4 + 2 * len(evaluation.lab.kinds)  # things that a cell says it is at
        self._done, self._at = 1, 0

    @property
    def share(self) -> float:
        return (self._done + min(self._at / self._within, 1)) / self._all

    def part(self, said: str) -> None:
        """Tell what is being done, such as a name of an attacker, and to which texts."""
        clean = self._done == 1
        where = "texts as they are" if clean else _named(self._settings[self._done - 2])
        self._tell(self.share, f"{where}: {said.rpartition(': ')[2]}")
        self._at += 1

    def next(self) -> None:
        self._done, self._at = self._done + 1, 0


def _named(setting: Setting) -> str:
    """The budget of a setting, or its odds."""
    odds = setting.recipe.parameter.option == "odds"
    return f"{'odds' if odds else 'budget'} {setting.budget:g}"
