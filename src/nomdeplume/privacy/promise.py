"""Promises: guarantees in words, and as odds between public texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil, exp, floor, inf, log, log10
from pathlib import Path
from textwrap import fill as wrapped

from nomdeplume.bag import Bag
from nomdeplume.errors import InputError
from nomdeplume.privacy.guarantee import Guarantee
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
        if self.loss < log(1000):
            return _up(exp(self.loss))
        return f"e^{_up(self.loss)} (about 10^{_up(self.loss / log(10))})"


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


def state(
    guarantee: Guarantee, vocabulary: Vocabulary, of_text: Callable[[Bag], Bag] | None = None
) -> Promise:
    """A guarantee as a promise: what it says, and what it means between public texts.

    `of_text` turns a text's bag into what the guarantee speaks of; without it the
    guarantee is not about texts, and no odds between texts follow from it.
    """
    references = _references(guarantee, vocabulary, of_text) if of_text else []
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


def _references(
    guarantee: Guarantee, vocabulary: Vocabulary, of_text: Callable[[Bag], Bag]
) -> list[Odds]:
    """Odds between the public reference texts of the table's language.

    None where there are no such texts, or where the table does not know enough of their
    words for the near ones to be near and the far ones far.
    """
    path = REFERENCES / f"reference-{vocabulary.table.language}.json"
    if not path.is_file():
        return []
    odds = []
    for pair, texts in json.loads(path.read_text(encoding="utf-8")).items():
        bags = [vocabulary.bag(text) for text in texts]
        if all(map(len, bags)):  # a small table may know none of these words
            one, two = map(of_text, bags)
            x, y = (vocabulary.table.vectors[bag.ids] for bag in (one, two))
            odds.append(_odds(pair, guarantee.metric(x, y, one.counts, two.counts), guarantee))
    ordered = all(x.distance < y.distance for x, y in pairwise(odds))
    return odds if ordered and len(odds) == 3 else []  # else near is not near in this table


def _odds(pair: str, distance: float, guarantee: Guarantee) -> Odds:
    loss = guarantee.epsilon * distance
    if loss == inf:
        raise InputError(f"a budget of {guarantee.epsilon:.3g} is too large to be stated.")
    return Odds(pair, distance, loss)


def _up(number: float, digits: int = 3) -> str:
    """A bound with some significant digits, and never less than it is."""
    size = floor(log10(number)) if number else 0
    if size > 6:
        step = 10.0 ** (size - digits + 1)
        return f"{ceil(number / step) * step:.{digits}g}"
    places = max(0, digits - 1 - size)
    text = f"{ceil(number * 10**places) / 10**places:.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text
