"""Promises: guarantees in words, and as odds between public texts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf
from pathlib import Path
from textwrap import fill as wrapped

from nomdeplume.distance import Summed
from nomdeplume.errors import InputError
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.loss import Loss
from nomdeplume.vocabulary import Vocabulary

fill = partial(wrapped, width=79)

PAIRS = {
    "near": "two near public texts",
    "typical": "two typical ones",
    "far": "two far ones",
    "any": "any two at all",
}
WEAK = (
    "Factors this large bound the worst case only in form: whether an author is recognised in "
    "practice is a question for an attack. A smaller budget promises more."
)
REFERENCES = Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class Odds:
    """What a promise means for one pair of public texts."""

    pair: str  # near, typical, far: reference texts; any: no two bags are farther apart
    distance: float
    loss: float  # nats

    @property
    def factor(self) -> str:
        """The largest factor by which one release can shift the odds between the two."""
        return Loss(self.loss).factor


@dataclass(frozen=True)
class Promise:
    """A guarantee as a formula, as a sentence, and as odds between public texts."""

    budget: float
    metric: str
    between: str
    formula: str
    proofs: tuple[str, ...]
    sentence: str
    odds: tuple[Odds, ...]

    def plainly(self) -> str:
        """The sentence, the odds that it allows between public texts, and a fair word on them."""
        rows = [f"  {PAIRS[odds.pair]:<24}{odds.factor}" for odds in self.odds]
        weak = self.odds[0].loss > 10
        return "\n".join([fill(self.sentence), *rows, *([fill(WEAK)] if weak else [])])


def state(guarantee: Guarantee, vocabulary: Vocabulary, *, of_texts: bool) -> Promise:
    """A guarantee as a promise: what it says, and what it means between public texts.

    If it is not one between texts, no odds between texts follow from it.
    """
    if isinstance(guarantee.metric, Summed):
        raise InputError("a promise is stated for one document; losses of several add up.")
    references = _references(guarantee, vocabulary) if of_texts else []
    return Promise(
        budget=guarantee.epsilon,
        metric=guarantee.metric.name,
        between=guarantee.between,
        formula=f"loss ≤ {guarantee.formula}",
        proofs=guarantee.proofs,
        sentence=(
            f"Between {guarantee.between}, one released document shifts anyone's odds by at most "
            f"a factor of exp({guarantee.formula}), where {guarantee.metric.symbol} is their "
            f"{guarantee.metric.name}: {guarantee.metric.meaning}."
        ),
        odds=(*references, _odds("any", 2 * vocabulary.table.radius, guarantee)),
    )


def _references(guarantee: Guarantee, vocabulary: Vocabulary) -> list[Odds]:
    """Odds between the public reference texts of the table's language.

    None where there are no such texts, or where the table does not know enough of their
    words for the near ones to be near and the far ones far.
    """
    path = REFERENCES / f"reference-{vocabulary.table.language}.json"
    if not path.is_file():
        return []
    odds = []
    for pair, texts in json.loads(path.read_text(encoding="utf-8")).items():
        if all(len(vocabulary.bag(text)) for text in texts):  # a small table may know no word
            odds.append(_odds(pair, guarantee.metric(*texts), guarantee))
    ordered = all(x.distance < y.distance for x, y in pairwise(odds))
    return odds if ordered and len(odds) == 3 else []  # else near is not near in this table


def _odds(pair: str, distance: float, guarantee: Guarantee) -> Odds:
    loss = guarantee.epsilon * distance
    if loss == inf:
        raise InputError(f"a budget of {guarantee.epsilon:.3g} is too large to be stated.")
    return Odds(pair, distance, loss)
