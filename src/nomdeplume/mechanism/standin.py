"""Stand-ins: a public text on the same subject is released in place of the private one."""

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
        return PublicTexts(self.library.texts)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        between = "any two texts, whatever they say"
        return (Guarantee(log(self.odds), AnyTwo(), proofs=("standin",), between=between),)

    @property
    def settings(self) -> Settings:
        return {
            "library": self.library.name,
            "fingerprint": self.library.fingerprint,
            "score": self.score.name,
            "best": self.best,
            "tickets": self.tickets,
        }

    @property
    def advice(self) -> str:
        others = round(100 * (1 - self.hit))
        share = f"About {others}" if others else "Fewer than 1"
        fit = f"{self.best:,} passages that fit" if self.best > 1 else "passage that fits"
        return (
            "Whatever was written, this passage could have come out: that is what protects the "
            "author. Nobody's odds between the text and any other change by more than "
            f"{self.odds:,} to 1. {share} in 100 releases are not among the {fit} best and may be "
            "on another subject altogether. A stand-in is not a paraphrase: it says nothing of the "
            "text but, perhaps, its subject."
        )

    @property
    def tickets(self) -> int:
        """Z, the same for every private text."""
        return self.best * self.odds + len(self.library) - self.best

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
        places = self._holders(self.favoured(items), rng.integers(self.tickets, size=len(items)))
        return [Released(self.library.texts[place]) for place in places.tolist()]

    def account(self, x: Item, y: Item) -> None:  # noqa: ARG002 - the loss is a constant
        return None

    def any_two(self) -> None:
        return None

    def one_word(self) -> None:
        return None

    def favoured(self, items: Sequence[Item]) -> Ids:
        """The k best places for each text, ascending, (n, k).

        Ties go to earlier places. A score that is NaN, or that fails, counts as the lowest: a
        refusal would tell something about the text, so every text has exactly k best places.
        """
        if any(isinstance(item, Bag) for item in items):
            raise InputError("a stand-in needs texts as they are, not bags of words.")
        texts = [str(item) for item in items]
        scores = self._scores(texts)
        least = np.partition(scores, len(self.library) - self.best, axis=1)
        least = least[:, [len(self.library) - self.best]]  # (n, 1), the k-th highest score
        above, tied = scores > least, scores == least
        room = self.best - above.sum(axis=1, keepdims=True)
        chosen = above | (tied & (np.cumsum(tied, axis=1) <= room))
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
