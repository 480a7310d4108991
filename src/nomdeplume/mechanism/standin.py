"""Stand-ins: a public text, likelier one that fits, is released in place of the private one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, Item
from nomdeplume.distance.metrics import AnyTwo
from nomdeplume.errors import InputError, PrivacyError, whole
from nomdeplume.library import Library, Score
from nomdeplume.mechanism.contract import Parameter, PublicTexts, Released, Settings
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.shuffled import Blanket
from nomdeplume.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

ODDS = Parameter("w", "odds", per_word=False)
MOST_ODDS = 1_000_000


@dataclass(frozen=True, eq=False)
class StandIn:
    """Release a public text: the k best for a text hold `odds` tickets each, all others one.

    All texts share the number of tickets Z = k·w + M − k, so every public text comes out with
    the probability w/Z or 1/Z: none is more than w times as likely for one private text as for
    another. That is ε = ln w between any two texts, without a δ or a distance
    (docs/proofs/standin.md). The score decides how useful a release is, and nothing else.
    """

    library: Library
    score: Score
    best: int  # k
    odds: int = 100  # w
    bags: tuple[str, ...] | None = None  # the kept words of each text, if these come out
    name: str = "standin"
    parameter: Parameter = ODDS
    of_texts: int = 1
    distance: str = "any two texts"
    metric: str = "1 between any two texts that differ"
    reduction: str = ""
    covers: str = ""
    exact: bool = True
    kept_words: bool = False
    agreement: None = None
    unchanged: None = None
    words: None = None
    read_as: None = None

    def __post_init__(self) -> None:
        whole("odds", self.odds, least=2, most=MOST_ODDS)
        whole("the number of best texts", self.best, most=len(self.library) - 1)

    @property
    def value(self) -> float:
        return self.odds

    @property
    def by_ticket(self) -> StandIn:
        return self

    @property
    def batch(self) -> int:
        """Texts whose scores take about 32 MB."""
        return max(1, min(256, (1 << 22) // len(self.library)))

    @property
    def many(self) -> int:
        return self.batch

    @property
    def per_worker(self) -> int:
        return self.batch

    @cached_property
    def form(self) -> PublicTexts:
        ids = tuple(each.id for each in self.library.passages)
        return PublicTexts(self.library.texts if self.bags is None else self.bags, ids)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return (Guarantee(log(self.odds), AnyTwo(), proofs=("standin",), between="any two texts"),)

    @property
    def settings(self) -> Settings:
        return {
            "library": self.library.name,
            "fingerprint": self.library.fingerprint,
            "score": self.score.name,
            "best": self.best,
            "tickets": self.tickets,
            **({} if self.bags is None else {"words": 1.0}),
        }

    @property
    def advice(self) -> str:
        others, less = round(100 * (1 - self.hit)), len(self.library) - self.best
        share = f"{others} in 100 releases are" if others else "fewer than 1 release in 100 is"
        return (
            f"Whatever was written, any of the {len(self.library):,} passages of the library could "
            f"have come out: {share} one of the {less:,} that fit less well, often on another "
            "subject altogether. That is what protects the author. A stand-in is not a "
            "paraphrase: it says nothing of the text but, perhaps, its subject."
        )

    @property
    def tickets(self) -> int:
        """Z, the same for every private text."""
        return self.best * self.odds + len(self.library) - self.best

    @property
    def blanket(self) -> Blanket:
        return Blanket(len(self.library), self.best, self.odds)

    @property
    def hit(self) -> float:
        """The probability that one of the k best comes out."""
        return self.best * self.odds / self.tickets

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> StandIn:  # noqa: ARG002
        return self

    def at(self, odds: float) -> StandIn:
        """The same at other whole odds, with as many best texts as are usual for these."""
        w = int(odds)
        return replace(self, odds=w, best=self.score.best(w))

    def item(self, text: str) -> str:
        """The text; refused if the library holds it, unless it ships with this program."""
        if not self.library.ships and self.library.has(text):
            raise PrivacyError(
                "the library holds a text that is to be released, so the library tells something "
                "about it; build it from public texts only."
            )
        return text

    def release(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        return self.holders(items, rng.integers(self.tickets, size=len(items)))

    def holders(self, items: Sequence[Item], tickets: Ids) -> list[Released]:
        places = self._holders(self._nearest(items), tickets)
        return [Released(self.form.texts[place]) for place in places.tolist()]

    def log_chances(self, released: Sequence[Released], items: Sequence[Item]) -> Floats:
        """ln w where the release is one of the k best for the item, else 0: Z is a constant."""
        place = {text: i for i, text in enumerate(self.form.texts)}
        if not all(each.text in place for each in released):
            raise InputError(f"a release is not one of library {self.library.name}.")
        places = [place[each.text] for each in released]
        found = np.empty((len(places), len(items)))
        for start in range(0, len(items), self.batch):
            nearest = self._nearest(items[start : start + self.batch])
            best = np.zeros((len(nearest), len(self.library)), dtype=np.bool_)
            np.put_along_axis(best, nearest, values=True, axis=1)
            found[:, start : start + self.batch] = best.T[places]
        return found * log(self.odds)

    def account(self, x: Item, y: Item) -> None:  # noqa: ARG002 - the loss is a constant
        return None

    def any_two(self) -> None:
        return None

    def one_word(self) -> None:
        return None

    def _nearest(self, items: Sequence[Item]) -> Ids:
        """The k best places for each text, ascending, (n, k).

        Ties go to earlier places. A score that is NaN, or that fails, counts as the lowest: a
        refusal would tell something about the text, so every text has exactly k best places.
        """
        if any(isinstance(item, Bag) for item in items):
            raise InputError("a stand-in needs texts as they are, not bags of words.")
        texts = [str(item) for item in items]
        scores, last = self._scores(texts), len(self.library) - self.best
        least = np.partition(scores, last, axis=1)[:, [last]]  # (n, 1), the k-th highest score
        chosen = scores >= least
        for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > self.best).tolist():
            tied = np.flatnonzero(scores[row] == least[row])
            more = np.count_nonzero(chosen[row]) - self.best
            chosen[row, tied[-more:]] = False
        return np.nonzero(chosen)[1].reshape(len(texts), self.best)

    def _scores(self, texts: Sequence[str]) -> Floats:
        """The scores of texts, (n, M); the lowest for a text whose score fails by itself."""
        lowest = np.full((len(texts), len(self.library)), -np.inf)
        try:
            found = np.asarray(self.score(texts), dtype=np.float64)
        except Exception:  # a score may be anybody's, and its failure must not tell of a text
            if len(texts) < 2:
                return lowest
            return np.concatenate([self._scores([text]) for text in texts])
        return np.where(np.isnan(found), lowest, found) if found.shape == lowest.shape else lowest

    def _holders(self, nearest: Ids, drawn: Ids) -> Ids:
        """The places that hold the tickets: first w for each of the nearest, then one each."""
        rows, first = np.arange(len(drawn)), self.best * self.odds
        inside = nearest[rows, np.minimum(drawn, first - 1) // self.odds]
        other = drawn - first  # counted among the texts outside the nearest
        skipped = (nearest - np.arange(self.best) <= other[:, None]).sum(axis=1)
        return np.asarray(np.where(drawn < first, inside, other + skipped))
