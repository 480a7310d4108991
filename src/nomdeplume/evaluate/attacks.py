"""All attackers on one release: trained on clean texts, and on releases like it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.evaluate.attackers import ENSEMBLE, INFORMED, Kind
from nomdeplume.evaluate.attackers.informed import Law, by_author, by_documents, chances, pushed
from nomdeplume.evaluate.choosing import added, best_of, likeliest, standard
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import Identification
from nomdeplume.evaluate.labelled import Labels
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.scores import Scores, fitted, scored
from nomdeplume.mechanism import Mechanism

Draws = Sequence[Sequence[str]]
Ids = NDArray[np.int64]
Learnt = tuple[Any, NDArray[np.float64]]  # words of authors that are looked at; of all words
Tell = Callable[[str], None]

BACKGROUNDS = (50.0, 500.0, 5000.0)  # words of everybody's that an informed attacker tries


@dataclass(frozen=True, eq=False)
class Attacks:
    """Attackers on the authors of some texts, with what they learnt from clean texts.

    `clean` are the texts in the form of a release, as far as the attacker knows it.
    """

    kinds: Mapping[str, Kind]
    authors: Labels
    folds: Sequence[Fold]
    reader: Reader
    clean: Sequence[str]
    _static: dict[str, Sequence[Any]] = field(default_factory=dict)

    def before(self, texts: Sequence[str], tell: Tell) -> dict[str, Identification]:
        """Trained on clean texts and tested on them, as they are."""
        found = {}
        for name, kind in self.kinds.items():
            tell(name)
            if name == INFORMED:
                found[name] = self._informed([texts], partial(self._of_texts, [texts]))
            else:
                models = self._fitted(kind, [texts])
                found[name] = scored(models, self.folds, [texts], self._number)
        return self._identified(self._with_ensemble(found))

    def static(self, draws: Draws, tell: Tell) -> dict[str, Scores]:
        """Trained on clean texts, tested on releases."""
        found = {}
        for name, kind in self.kinds.items():
            tell(name)
            if name == INFORMED:
                found[name] = self._informed(draws, partial(self._of_texts, [self.clean]))
                continue
            if name not in self._static:
                self._static[name] = self._fitted(kind, [self.clean])
            found[name] = scored(self._static[name], self.folds, draws, self._number)
        return found

    def adaptive(
        self,
        draws: Draws,
        static: Mapping[str, Scores],
        tell: Tell,
        *,
        training: int,
        mechanism: Mechanism | None,
        rng: Generator,
        law: Law | None = None,
    ) -> dict[str, Scores]:
        """Trained on releases, with what clean texts tell besides where that helps.

        Who can make releases has the clean texts too. He tries releases, clean texts and both
        on texts of his own, and takes what works there. If the law of whole documents is known,
        the informed attacker needs no training on releases.
        """
        found = {}
        for name, kind in self.kinds.items():
            tell(name)
            if name == INFORMED and (known := self._by_law(law, draws)) is not None:
                found[name] = known
                continue
            if name == INFORMED:
                found[name] = self._informed(draws, partial(self._expected, draws, mechanism, rng))
            else:
                models = self._fitted(kind, draws[:training])
                found[name] = scored(models, self.folds, draws, self._number)
            both = standard(found[name]) + standard(static[name])
            ways = [found[name], static[name], both]
            found[name] = best_of(ways, self.authors.codes, self.folds)
        return self._with_ensemble(found)

    def _identified(self, found: Mapping[str, Scores]) -> dict[str, Identification]:
        codes = self.authors.codes
        return {name: Identification(scores, codes, self.folds) for name, scores in found.items()}

    def identified(
        self, static: Mapping[str, Scores], adaptive: Mapping[str, Scores]
    ) -> dict[str, tuple[Identification, Identification | None]]:
        """What both kinds of attacker tell: adaptive, and static where there is one."""
        one, other = self._identified(adaptive), self._identified(static)
        return {name: (each, other.get(name)) for name, each in one.items()}

    @property
    def _number(self) -> int:
        return len(self.authors.names)

    def _fitted(self, kind: Kind, draws: Draws) -> Sequence[Any]:
        return fitted(partial(kind.make, self.reader), self.folds, draws, self.authors.codes)

    def _with_ensemble(self, found: dict[str, Scores]) -> dict[str, Scores]:
        if len(found) < 2:
            return found
        return {**found, ENSEMBLE: added(list(found.values()), self.authors.codes, self.folds)}

    def _informed(self, draws: Draws, learnt: Callable[[Ids], list[Learnt]]) -> Scores:
        """Bayes by the words of each author, of each fold's training texts.

        Only words that come out are looked at: `learnt` gives, for these, what each fold knows.
        """
        tested = [self.reader.counts(texts) for texts in draws]
        words = np.unique(np.concatenate([counts.indices for counts in tested]))
        tested = [counts[:, words] for counts in tested]
        shape = (len(BACKGROUNDS), len(draws), len(draws[0]), self._number)
        ways = np.full(shape, np.nan, dtype=np.float32)
        for fold, (own, totals) in zip(self.folds, learnt(words), strict=True):
            for way, background in zip(ways, BACKGROUNDS, strict=True):
                told = chances(own, totals, background).T
                for rows, counts in zip(way, tested, strict=True):
                    rows[fold.test] = counts[fold.test] @ told
        return best_of(list(ways), self.authors.codes, self.folds)

    def _by_law(self, law: Law | None, draws: Draws) -> Scores | None:
        """Bayes by the chances of whole documents; None if these are unknown."""
        ways = law and by_documents(law, self.authors.codes, self.folds, len(draws))
        return None if ways is None else likeliest(list(ways), self.authors.codes, self.folds)

    def _of_texts(self, draws: Draws, words: Ids) -> list[Learnt]:
        """The words of each author's training texts, for each fold."""
        counts, codes = sum(self.reader.counts(texts) for texts in draws), self.authors.codes
        found = [by_author(counts[f.train], codes[f.train], self._number) for f in self.folds]
        return [(own[:, words], own.sum(axis=1)) for own in found]

    def _expected(
        self, draws: Draws, mechanism: Mechanism | None, rng: Generator, words: Ids
    ) -> list[Learnt]:
        """The same as a mechanism leaves them: by its chances, else as releases show them.

        Chances are linear: what becomes of each author's texts in each fold is worked out
        once, and what teaches a fold is all but its own part.
        """
        if mechanism is None or mechanism.declaration.channel is None:
            return self._of_texts(draws, words)
        parts = np.zeros(len(self.clean), dtype=np.int64)
        for place, fold in enumerate(self.folds, start=1):
            parts[fold.test] = place
        number, pieces = self._number, len(self.folds) + 1
        counts = by_author(
            self.reader.counts(self.clean), parts * number + self.authors.codes, pieces * number
        )
        out = pushed(counts, mechanism, rng, words).reshape(pieces, number, -1)
        totals = counts.sum(axis=1).reshape(pieces, number)
        whole, all_words = out.sum(axis=0), totals.sum(axis=0)
        return [
            (np.maximum(whole - out[place], 0), all_words - totals[place])
            for place in range(1, pieces)
        ]
