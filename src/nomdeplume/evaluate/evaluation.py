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
from nomdeplume.evaluate.conclusion import balanced, caveats, conclusion
from nomdeplume.evaluate.folds import FOLDS
from nomdeplume.evaluate.folds import folds as split
from nomdeplume.evaluate.folds import told as in_words
from nomdeplume.evaluate.frontier import by_attack, by_budget
from nomdeplume.evaluate.identification import DOCUMENTS
from nomdeplume.evaluate.lab import TRAINING, Lab
from nomdeplume.evaluate.labelled import Labelled, Labels, fingerprint
from nomdeplume.evaluate.prior import BY_PLACE, by_place, by_texts
from nomdeplume.evaluate.setting import Setting
from nomdeplume.evaluate.store import FORMAT, Store
from nomdeplume.vocabulary import Vocabulary

Tell = Callable[[str], None]
Work = Callable[[Tell], dict[str, Any]]

CLEAN = "clean"
ELSEWHERE = "released elsewhere"


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
        **told: Any,
    ) -> Evaluation:
        """The evaluation of a corpus: folds are made, and what attackers know beforehand.

        If `naming`, results also say who is named for every text.
        """
        whole("draws", draws)
        kinds = chosen(attackers) if isinstance(attackers, str) else brought(attackers)
        parts = split(corpus, folds)
        prior = by_place(vocabulary) if public is None else by_texts(public, vocabulary)
        lab = Lab(corpus, vocabulary, kinds, parts, prior, draws=draws, seed=seed, naming=naming)
        lab = replace(lab, bags=not released)
        if not lab.kept_words:
            raise InputError("no text has a word that the table keeps; take one of their language.")
        how = in_words(corpus, len(parts), split_field)
        return cls(lab, settings, released, split=how, **told)

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
    ) -> dict[str, Any]:
        """All results; what `store` holds already is not done again.

        On an engine every part is a task, and is in the store as soon as it is done.
        """
        store = Store(self.question) if store is None else store
        advance = step or (lambda: None)
        keys = [key for key, _ in self._work()]
        missing = [key for key in dict.fromkeys(keys) if key not in store.parts]
        for _ in range(len(keys) - len(missing)):
            advance()
        for key, part in self._parts(missing, tell or (lambda _: None), engine):
            store.add(key, part)
            advance()
        results = self._results(store)
        store.finish(results, keys)
        return results

    def _parts(
        self, keys: Sequence[str], tell: Tell, engine: Engine | None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Parts as they are done: here in order, on an engine in any."""
        if engine is None or not keys:
            work = dict(self._work())
            yield from ((key, work[key](partial(_say, tell, key))) for key in keys)
            return
        bare = replace(self, lab=self.lab.bare())
        with engine.open(sendable(bare.part, "these attackers")) as crew:
            for key, part in crew.map(keys, count=len(keys)):
                tell(f"{key}: done")
                yield key, part

    def part(self, key: str) -> tuple[str, dict[str, Any]]:
        """One part of a run by its key, for workers: they say nothing while they are at it."""
        return key, dict(self._work())[key](lambda _: None)

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

    def _work(self) -> list[tuple[str, Work]]:
        """What is to be done, by keys: clean texts first."""
        cells = [(setting.key, partial(self.lab.cell, setting)) for setting in self.settings]
        elsewhere = [(ELSEWHERE, self._elsewhere)] if self.released else []
        return [(CLEAN, self.lab.before), *cells, *elsewhere]

    def _elsewhere(self, tell: Tell) -> dict[str, Any]:
        """Releases that were made by somebody else, of whom nothing is known."""
        started = monotonic()
        judged = self.lab.judged(self.released, None, np.random.default_rng(0), tell)
        names = ("epsilon", "size", "budget", "unchanged", "reconstruction")
        return {
            "mechanism": ELSEWHERE,
            "title": ELSEWHERE,
            **dict.fromkeys(names),
            **dict.fromkeys(("metric", "formula", "covers"), ""),
            "odds": [],
            "promise": [],
            **judged,
            "not_private": False,
            "seconds": round(monotonic() - started, 1),
        }

    def _results(self, store: Store) -> dict[str, Any]:
        lab, corpus = self.lab, self.lab.corpus
        keys = [key for key, _ in self._work()]
        results: dict[str, Any] = {
            "format": FORMAT,
            "nomdeplume": __version__,
            "complete": True,
            "corpus": self._corpus(),
            "protocol": self._protocol(),
            "authors": _listed(corpus.author),
            "topics": _listed(corpus.topic),
            "floors": lab.floors(),
            "clean": store.parts[CLEAN],
            "cells": [store.parts[key] for key in keys[1:]],
        }
        results["summary"] = self._summary(results)
        return results

    def _corpus(self) -> dict[str, Any]:
        corpus = self.lab.corpus
        return {
            "name": self.name,
            "documents": len(corpus),
            "authors": len(corpus.author.names) if corpus.author else 0,
            "topics": len(corpus.topic.names) if corpus.topic else 0,
            "kept_words": round(self.lab.kept_words, 1),
            "left_out": corpus.left_out,
        }

    def _protocol(self) -> dict[str, Any]:
        lab, vocabulary = self.lab, self.lab.vocabulary
        features = vocabulary.features
        return {
            "folds": len(lab.folds),
            "split": self.split,
            "draws": len(self.released) or lab.draws,
            "training_draws": min(TRAINING, len(self.released) or lab.draws),
            "seed": None if self.released else lab.seed,
            "documents": list(DOCUMENTS),
            "attackers": list(lab.kinds) if lab.corpus.author else [],
            "prior": self.prior,
            "table": vocabulary.table.name,
            "table_words": len(vocabulary.table),
            "dimensions": vocabulary.table.dimensions,
            "kept": len(vocabulary),
            "fingerprint": vocabulary.table.fingerprint,
            "features": features and features.origin,
        }

    def _summary(self, results: dict[str, Any]) -> dict[str, Any]:
        cells, corpus = results["cells"], self.lab.corpus
        both = corpus.author is not None and corpus.topic is not None
        times = len(corpus) / len(corpus.author.names) if corpus.author else 1.0
        floor = float(corpus.topic.counts.max() / len(corpus)) if corpus.topic else 0.0
        return {
            "by_budget": by_budget(cells),
            "by_author_budget": by_budget(cells, times) if corpus.author else [],
            "by_attack": by_attack(cells, results["clean"], results["floors"], floor)
            if both
            else [],
            "balance": balanced(results),
            "conclusion": conclusion(results),
            "caveats": caveats(results),
        }


def _say(tell: Tell, key: str, part: str) -> None:
    tell(f"{key}: {part}")


def _listed(labels: Labels | None) -> list[dict[str, Any]]:
    """Names, and how many texts have them."""
    if labels is None:
        return []
    return [
        {"name": name, "documents": int(count)}
        for name, count in zip(labels.names, labels.counts, strict=True)
    ]
