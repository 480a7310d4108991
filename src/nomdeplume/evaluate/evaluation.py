"""An evaluation: clean texts first, then cell by cell, and what it all amounts to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from time import monotonic
from typing import Any

import numpy as np

from nomdeplume._version import __version__
from nomdeplume.engine import Engine, sendable
from nomdeplume.errors import InputError, whole
from nomdeplume.evaluate.attackers import brought, chosen
from nomdeplume.evaluate.conclusion import summary
from nomdeplume.evaluate.folds import FOLDS
from nomdeplume.evaluate.folds import folds as split
from nomdeplume.evaluate.folds import told as in_words
from nomdeplume.evaluate.identification import DOCUMENTS
from nomdeplume.evaluate.lab import TRAINING, Lab
from nomdeplume.evaluate.labelled import Labelled, Labels, fingerprint
from nomdeplume.evaluate.prior import BY_PLACE, by_place, by_texts
from nomdeplume.evaluate.results import ELSEWHERE, Cell, Corpus, Label, Protocol, Results
from nomdeplume.evaluate.setting import Setting
from nomdeplume.evaluate.store import CLEAN, Parts, Store
from nomdeplume.vocabulary import Vocabulary

Tell = Callable[[str], None]


def _silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A lab and what is asked of it: settings to release under, or releases made elsewhere."""

    lab: Lab
    settings: Sequence[Setting] = ()
    released: Sequence[Sequence[str]] = ()
    name: str = "texts"
    split: str = ""
    prior: str = BY_PLACE

    def __post_init__(self) -> None:
        if self.settings and self.released:
            raise InputError("judge settings or releases made elsewhere, not both at once.")

    @classmethod
    def of(
        cls,
        corpus: Labelled,
        vocabulary: Vocabulary,
        settings: Sequence[Setting] = (),
        *,
        released: Sequence[Sequence[str]] = (),
        attackers: str | Mapping[str, Callable[[], Any]] = "fast",
        draws: int = 5,
        folds: int = FOLDS,
        public: Iterable[str] | None = None,
        seed: int | None = None,
        split_field: str = "",
        naming: bool = False,
        name: str = "texts",
        prior: str = BY_PLACE,
    ) -> Evaluation:
        """The evaluation of a corpus: folds are made, and what attackers know beforehand.

        If `naming`, results also say who is named for every text. `name` and `prior` say in words
        which texts these are, and how the attackers know how often words occur.
        """
        whole("draws", draws)
        kinds = chosen(attackers) if isinstance(attackers, str) else brought(attackers)
        parts = split(corpus, folds)
        known = by_place(vocabulary) if public is None else by_texts(public, vocabulary)
        lab = Lab(corpus, vocabulary, kinds, parts, known, draws=draws, seed=seed, naming=naming)
        lab = replace(lab, bags=not released)
        if not lab.kept_words:
            raise InputError("no text has a word that the table keeps; take one of their language.")
        how = in_words(corpus, len(parts), split_field)
        return cls(lab, settings, released, name=name, split=how, prior=prior)

    @property
    def steps(self) -> int:
        """Parts that a run consists of."""
        return 1 + len(self.settings) + bool(self.released)

    def run(
        self,
        store: Store | None = None,
        tell: Tell | None = None,
        step: Callable[[], None] | None = None,
        engine: Engine | None = None,
    ) -> Results:
        """All results; what `store` holds already is not done again.

        On an engine every part is a task, and is in the store as soon as it is done.
        """
        store = Store(self.question) if store is None else store
        advance = step or (lambda: None)
        missing = [key for key in dict.fromkeys(self._keys) if key not in store.parts.keys]
        for _ in range(len(self._keys) - len(missing)):
            advance()
        for part in self._parts(missing, tell or _silent, engine):
            store.add(part)
            advance()
        results = self._results(store.parts)
        store.finish(results, self._keys[1:])
        return results

    def _parts(self, keys: Sequence[str], tell: Tell, engine: Engine | None) -> Iterator[Parts]:
        """Parts as they are done: here in order, on an engine in any."""
        if engine is None or not keys:
            yield from (self.part(key, partial(_say, tell, key)) for key in keys)
            return
        bare = replace(self, lab=self.lab.bare())
        with engine.open(sendable(bare.part, "these attackers")) as crew:
            for part in crew.map(keys, count=len(keys)):
                tell(f"{part.keys[0]}: done")
                yield part

    def part(self, key: str, tell: Tell = _silent) -> Parts:
        """One part of a run by its key."""
        if key == CLEAN:
            return Parts(self.lab.before(tell))
        if key == ELSEWHERE:
            return Parts(cells={key: self._elsewhere(tell)})
        setting = next(each for each in self.settings if each.key == key)
        return Parts(cells={key: self.lab.cell(setting, tell)})

    @property
    def question(self) -> str:
        """A hash of all that results depend on, but for the settings, which are told apart."""
        lab = self.lab
        facts = {
            "version": __version__,
            "corpus": lab.corpus.fingerprint,
            "table": lab.vocabulary.table.fingerprint,
            "kept": lab.vocabulary.fingerprint,
            "attackers": list(lab.kinds),
            "folds": [sha256(fold.test.tobytes()).hexdigest() for fold in lab.folds],
            "draws": lab.draws,
            "seed": lab.seed,
            "prior": sha256(np.ascontiguousarray(lab.prior).tobytes()).hexdigest(),
            "released": [fingerprint(texts) for texts in self.released],
            **({"naming": True} if lab.naming else {}),
        }
        return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def _keys(self) -> list[str]:
        """Keys of all parts: clean texts first."""
        cells = [ELSEWHERE] if self.released else [each.key for each in self.settings]
        return [CLEAN, *cells]

    def _elsewhere(self, tell: Tell) -> Cell:
        """Releases that were made by somebody else, of whom nothing is known."""
        started = monotonic()
        judged = self.lab.judged(self.released, None, np.random.default_rng(0), tell)
        return replace(judged, seconds=round(monotonic() - started, 1))

    def _results(self, parts: Parts) -> Results:
        lab, corpus = self.lab, self.lab.corpus
        if parts.clean is None:
            raise AssertionError("clean texts are measured first")
        results = Results(
            nomdeplume=__version__,
            corpus=self._corpus(),
            protocol=self._protocol(),
            authors=_listed(corpus.author),
            topics=_listed(corpus.topic),
            floors=lab.floors(),
            clean=parts.clean,
            cells=tuple(parts.cells[key] for key in self._keys[1:]),
        )
        return replace(results, summary=summary(results))

    def _corpus(self) -> Corpus:
        corpus = self.lab.corpus
        return Corpus(
            name=self.name,
            documents=len(corpus),
            authors=len(corpus.author.names) if corpus.author else 0,
            topics=len(corpus.topic.names) if corpus.topic else 0,
            kept_words=round(self.lab.kept_words, 1),
            left_out=corpus.left_out,
        )

    def _protocol(self) -> Protocol:
        lab, vocabulary = self.lab, self.lab.vocabulary
        features, draws = vocabulary.features, len(self.released) or lab.draws
        return Protocol(
            folds=len(lab.folds),
            split=self.split,
            draws=draws,
            training_draws=min(TRAINING, draws),
            seed=None if self.released else lab.seed,
            documents=DOCUMENTS,
            attackers=tuple(lab.kinds) if lab.corpus.author else (),
            prior=self.prior,
            table=vocabulary.table.name,
            table_words=len(vocabulary.table),
            dimensions=vocabulary.table.dimensions,
            kept=len(vocabulary),
            fingerprint=vocabulary.table.fingerprint,
            features=features.origin if features else None,
        )


def _say(tell: Tell, key: str, part: str) -> None:
    tell(f"{key}: {part}")


def _listed(labels: Labels | None) -> tuple[Label, ...]:
    """Names, and how many texts have them."""
    if labels is None:
        return ()
    return tuple(map(Label, labels.names, labels.counts.tolist()))
