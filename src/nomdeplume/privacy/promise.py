"""Promises: guarantees in words, and as odds between public texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import inf, isfinite
from textwrap import fill as wrapped
from typing import TYPE_CHECKING

from nomdeplume.bag import Bag
from nomdeplume.distance import Summed
from nomdeplume.distance.metrics import AnyTwo
from nomdeplume.errors import InputError
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.accountant.sums import TOLERANCE
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.loss import Loss, up
from nomdeplume.threads import ONE_THREAD_EACH
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.mechanism.contract import DocumentMechanism

fill = partial(wrapped, width=79)

PAIRS = {
    "near": "two versions of one letter",
    "typical": "a letter and a notice",
    "far": "a letter and a report",
    "any": "any two texts",
}
PAIR = max(map(len, PAIRS.values())) + 3  # width of their column
WEAK = (
    "Factors this large are a formal bound. Run `nomdeplume evaluate` to measure how often authors "
    "are recognised. A smaller budget promises more."
)
NONE = (
    "Between most texts there is no such factor at all: they differ in words between which "
    "nothing is promised."
)
WORDS = 100  # kept words of the text that the sentence on one changed word speaks of
DELTA = 1e-6  # up to which a second loss is stated


@dataclass(frozen=True)
class Odds:
    """What a promise means for one pair of public texts."""

    pair: str  # near, typical, far: reference texts; any: no two bags are farther apart
    distance: float
    loss: float  # nats
    loss_at_delta: float  # up to δ, never more than the pure loss and never alone

    @property
    def factor(self) -> str:
        """The largest factor by which one release can shift the odds between the two."""
        return Loss(self.loss).factor

    @property
    def factor_at_delta(self) -> str:
        return Loss(self.loss_at_delta).factor


@dataclass(frozen=True)
class OneWord:
    """The most that one changed word of a text can shift the log-odds, in nats.

    Noise on the mean of m kept words loses an m-th of these. Noise on single words loses them
    whole for each of the words that a text is reduced to. If these are drawn by chance, a word
    of the text may be drawn each time, so that changing it loses `size` times as much.
    """

    any: float  # between the two kept words that are farthest apart
    usual: float  # between two common words, at the median distance
    size: int  # words that a text is reduced to, or 0 where its mean is released
    drawn: bool  # by chance, with replacement
    sentence: str

    @classmethod
    def of(cls, any_pair: float, usual: float, *, size: int = 0, drawn: bool = False) -> OneWord:
        """With the sentence that says it; `usual` is never more than `any_pair`."""
        both = (any_pair, usual) if usual < any_pair else (any_pair,)
        first = [Loss(nats if size else nats / WORDS).factor for nats in both]
        text, versions = f"{WORDS} kept words", "versions"
        if size:
            text = f"the {size} words that {'are drawn from a' if drawn else 'a'} text"
            text, versions = (text, "samples") if drawn else (f"{text} is reduced to", versions)
        sentence = (
            f"If one of {text} had been another word, one released document would shift anyone's "
            f"odds between the two {versions} by at most a factor of "
            f"{'; for two common words at their usual distance, by '.join(first)}."
        )
        if not size:
            formulas = " and ".join(f"exp({up(nats)}/m)" for nats in both)
            sentence += f" In a text of m kept words {_these(both)} {formulas}."
        elif drawn:
            all_drawn = " and ".join(Loss(size * nats).factor for nats in both)
            sentence += (
                f" A changed word of the text itself may be drawn all {size} times: then "
                f"{_these(both)} {all_drawn}."
            )
        return cls(any_pair, usual, size, drawn, sentence)


def _these(factors: Sequence[float]) -> str:
    return "this is" if len(factors) == 1 else "these are"


@dataclass(frozen=True)
class Promise:
    """A guarantee as a formula, as a sentence, and as odds between public texts."""

    budget: float
    metric: str
    between: str
    formula: str
    proofs: tuple[str, ...]
    sentence: str
    delta: float
    odds: tuple[Odds, ...]
    one_word: OneWord | None  # stated once, with the first promise

    def plainly(self, nearer: Promise | None = None) -> str:
        """The sentence, the odds that it allows between public texts, and a fair word on them.

        Where another promise is `nearer` to what a given pair loses, its odds stand beside
        them; what is hardly less up to a δ then does not.
        """
        if not self.odds:
            return f"{fill(self.sentence)}\n{fill(NONE)}"
        if self.metric == AnyTwo().name:
            return fill(self.sentence)  # it holds the only number that there is
        weak = self.odds[0].loss > 10 or (nearer is not None and nearer.odds[-1].loss > 10)
        rows = self._rows() if nearer is None else self._beside(nearer)
        return "\n".join([fill(self.sentence), *rows, *([fill(WEAK)] if weak else [])])

    def _rows(self) -> list[str]:
        """A row for each pair: its factor and, where less is known to be lost, that up to δ."""
        if all(odds.factor_at_delta == odds.factor for odds in self.odds):
            return [f"  {PAIRS[odds.pair]:<{PAIR}}{odds.factor}" for odds in self.odds]
        cells = [(PAIRS[odds.pair], odds.factor, odds.factor_at_delta) for odds in self.odds]
        rows = _aligned([("", "at most", f"up to δ = {self.delta:g}"), *cells])
        return [*rows, fill(_up_to(self.delta))]

    def _beside(self, nearer: Promise) -> list[str]:
        """A row for each pair: its factor, and that of a nearer promise."""
        other = {odds.pair: odds.factor for odds in nearer.odds}
        cells = [(PAIRS[o.pair], o.factor, other.get(o.pair, "")) for o in self.odds]
        said = f"By their means: exp({nearer.formula.removeprefix('loss ≤ ')}), never more than it."
        return [*_aligned([("", "at most", "by their means"), *cells]), fill(said)]


def _aligned(cells: list[tuple[str, str, str]]) -> list[str]:
    wide = max(len(factor) for _, factor, _ in cells) + 3
    return [f"  {pair:<{PAIR}}{factor:<{wide}}{second}".rstrip() for pair, factor, second in cells]


def promises_of(
    mechanism: DocumentMechanism, vocabulary: Vocabulary, *, tolerance: float = TOLERANCE
) -> tuple[Promise, ...]:
    """The guarantees of a mechanism in words, and as odds between public texts."""
    one = partial(
        state,
        vocabulary=vocabulary,
        any_two=mechanism.any_two(),
        tolerance=tolerance,
        covers=mechanism.covers,
    )
    *others, widest = mechanism.guarantees
    one_word = mechanism.one_word()
    account = mechanism.account
    last = one(widest, of_texts=True, account=account, one_word=None if others else one_word)
    told = mechanism.of_texts > 1 and len(last.odds) > 1  # if near texts are near here
    first = [one_word] + [None] * len(others)
    return (
        *(
            one(
                guarantee,
                of_texts=told,
                nearer=told,
                account=account if told else None,
                one_word=said,
            )
            for guarantee, said in zip(others, first, strict=False)
        ),
        last,
    )


def state(
    guarantee: Guarantee,
    vocabulary: Vocabulary,
    *,
    of_texts: bool,
    nearer: bool = False,
    account: Callable[[Bag, Bag], Account | None] | None = None,
    any_two: Account | None = None,
    tolerance: float = TOLERANCE,
    covers: str = "",
    one_word: OneWord | None = None,
) -> Promise:
    """A guarantee as a promise: what it says, and what it means between public texts.

    If it is not one between texts, no odds between texts follow from it; one that is `nearer`
    need not find far texts farther apart. Accounts, of two
    texts and of any two, tell what is lost up to δ, but for about a share of `tolerance`;
    without them that is the pure loss. `covers` says what is left out, if anything is: odds
    between texts that differ in that have no bound, and none is stated.
    """
    if isinstance(guarantee.metric, Summed):
        raise InputError("a promise is stated for one document; losses of several add up.")
    far = guarantee.metric.widest(lambda: vocabulary.diameter)
    with ONE_THREAD_EACH:  # the texts are short
        odds = _references(guarantee, vocabulary, account, tolerance) if of_texts else []
        odds = odds if nearer or _ascending(odds) else []  # else near is not near here
        odds.append(_odds("any", far, guarantee, any_two, tolerance))
    return Promise(
        budget=guarantee.epsilon,
        metric=guarantee.metric.name,
        between=guarantee.between,
        formula=f"loss ≤ {guarantee.formula}",
        proofs=guarantee.proofs,
        sentence=_sentence(guarantee) + f" {covers}" * bool(covers),
        delta=DELTA,
        odds=tuple(each for each in odds if isfinite(each.distance)),
        one_word=one_word,
    )


def _sentence(guarantee: Guarantee) -> str:
    """The guarantee in words; one between any two inputs whatsoever names its factor."""
    metric = guarantee.metric
    if not metric.symbol:
        return (
            f"Nobody's odds between {guarantee.between} change by more than "
            f"{Loss(guarantee.epsilon).factor} to 1 through one released document."
        )
    return (
        f"Between {guarantee.between}, one released document shifts anyone's odds by at most "
        f"a factor of exp({guarantee.formula}), where {metric.symbol} is their "
        f"{metric.name}: {metric.meaning}."
    )


def _references(
    guarantee: Guarantee,
    vocabulary: Vocabulary,
    account: Callable[[Bag, Bag], Account | None] | None,
    tolerance: float,
) -> list[Odds]:
    """Odds between the public reference texts of the table's language.

    None where there are no such texts, or where the table does not know enough of their
    words for the near ones to be near and the far ones far.
    """
    odds = []
    for pair, bags in vocabulary.references.items():
        if all(map(len, bags)):  # a small table may know no word
            known = account(*bags) if account else None
            odds.append(_odds(pair, guarantee.metric(*bags), guarantee, known, tolerance))
    finite = all(isfinite(each.distance) for each in odds)
    return odds if finite and len(odds) == 3 else []


def _ascending(odds: list[Odds]) -> bool:
    return all(x.distance < y.distance for x, y in pairwise(odds))


def _odds(
    pair: str, distance: float, guarantee: Guarantee, account: Account | None, tolerance: float
) -> Odds:
    loss = guarantee.epsilon * distance
    if loss == inf and isfinite(distance):
        raise InputError(f"a budget of {guarantee.epsilon:.3g} is too large to be stated.")
    up_to = loss if account is None else min(loss, account.loss(DELTA, tolerance=tolerance))
    return Odds(pair, distance, loss, up_to)


def _up_to(delta: float) -> str:
    """What a second factor means."""
    return (
        "The chance of any set of releases from one text is at most the second factor times its "
        f"chance from the other, plus δ = {delta:g}."
    )
