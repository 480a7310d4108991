"""The lab: a corpus is released under a setting, attacked, and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from time import monotonic
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.evaluate.attackers import Kind
from nomdeplume.evaluate.attacks import Attacks
from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.floors import chance, majority, topic_oracle
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import DOCUMENTS, Identification
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.likeness import likeness
from nomdeplume.evaluate.naming import named
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.reconstruction import reconstruction, shared_words
from nomdeplume.evaluate.setting import Setting
from nomdeplume.evaluate.topics import Topics
from nomdeplume.evaluate.verification import verification
from nomdeplume.mechanism import Mechanism
from nomdeplume.mechanism.contract import DocumentMechanism
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.random import described, secure, seeded
from nomdeplume.releasing import Offer, complete
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

Draws = Sequence[Sequence[str]]
Tell = Callable[[str], None]

TRAINING = 3  # draws that an adaptive attacker learns from
EXAMPLES = 6  # released documents that are shown


@dataclass(frozen=True, eq=False)
class Lab:
    """A corpus, split into folds, and the attackers that are set on it."""

    corpus: Labelled
    vocabulary: Vocabulary
    kinds: Mapping[str, Kind]
    folds: tuple[Fold, ...]
    prior: NDArray[np.float64]  # (V,) of words before any is released; public
    draws: int = 5
    seed: int | None = None
    places: Table | None = None  # where who reads releases takes words to be; the table's vectors
    _labs: dict[str, Lab] = field(default_factory=dict, repr=False)  # by what means were taken of
    bags: bool = True  # whether releases are kept words in alphabetical order, or texts in any form
    naming: bool = False  # whether results say who is named for every text

    def bare(self) -> Lab:
        """The same without what it has made so far, to be sent to other processes."""
        return replace(self, _labs={})

    def before(self, tell: Tell) -> dict[str, Any]:
        """How well authors and topics are told from the texts as they are."""
        found: dict[str, Any] = {"topic": None, "attackers": {}, "verification": None}
        texts = self.corpus.texts
        if self.corpus.topic is not None:
            tell("topics")
            known = (self.corpus.topic, self.folds, self._reader)
            found["topic"] = Topics.taught([texts], *known).told([texts])
        if self._attacks is not None:
            told = self._attacks.before(texts, tell)
            found["attackers"] = {name: identified(each) for name, each in told.items()}
            found["best"] = best = _best(found["attackers"], "1")
            found["confusion"] = _shares(told[best])
            found["per_author"] = [each.facts() for each in told[best].recalls()]
            found["verification"] = self._verified([texts], [texts])
            found |= {"named": named(told[best])} if self.naming else {}
        return found

    def floors(self) -> dict[str, Any] | None:
        """What is guessed of authors without reading."""
        authors = self.corpus.author
        if authors is None:
            return None
        oracle = topic_oracle(self.corpus, self.folds)
        return {
            "chance": chance(authors),
            "majority": majority(authors, self.folds).facts(),
            "topic_oracle": oracle and oracle.facts(),
        }

    def cell(self, setting: Setting, tell: Tell) -> dict[str, Any]:
        """Release all texts under a setting, `draws` times, and see what is left of them."""
        started, rng = monotonic(), self._rng(setting)
        tell("releases")
        made = Obfuscator.of(
            setting.recipe, self.vocabulary, size=setting.size, reduction=setting.reduction
        )
        texts = self._bags if made.documents.kept_words else self.corpus.texts
        draws = [
            [each.text for each in complete(made.releasing.released(map(Offer, texts), rng))]
            for _ in self._times
        ]
        tell("words")
        rebuilt = self._rebuilt(made, draws, rng)
        return {
            **promised(made, setting),
            "certificate": certified(made, draws[0], rng),
            **self.judged(draws, made.documents, rng, tell),
            "reconstruction": {name: each.facts() for name, each in rebuilt.items()},
            "not_private": self.seed is not None,
            "seconds": round(monotonic() - started, 1),
        }

    def _rebuilt(self, made: Obfuscator, draws: Draws, rng: Generator) -> dict[str, Figure]:
        """How many words of the texts are told from what came out."""
        mechanism = one_by_one(made.documents)
        if mechanism is None:
            return {"nearest": shared_words(self._bags, [self._reader.bags(d) for d in draws])}
        words = np.concatenate([np.repeat(bag.ids, bag.counts) for bag in self._bags])
        return vars(reconstruction(mechanism, words, self.prior, self.draws, rng))

    def judged(
        self, draws: Draws, mechanism: DocumentMechanism | None, rng: Generator, tell: Tell
    ) -> dict[str, Any]:
        """What releases, each a list as long as the corpus, tell of authors and topics.

        Attackers know the mechanism that made them, unless there is none.
        """
        found: dict[str, Any] = {"attackers": {}, "topic": None, "verification": None}
        knows, words = self, None
        if mechanism is not None:
            knows, words = self._knowing(mechanism), one_by_one(mechanism)
        if knows._attacks is not None:
            found |= knows._attacked(knows._attacks, draws, words, rng, tell)
        if self.corpus.topic is not None:
            tell("topics")
            known = (self.corpus.topic, self.folds, knows._reader)
            learnt = Topics.taught(draws[:TRAINING], *known)
            found["topic"] = {
                "release_to_release": learnt.told(draws),
                "release_to_clean": learnt.told([self._clean]),
                "clean_to_release": knows._clean_topics.told(draws),
            }
        tell("distances")
        found["distances"] = likeness(self._bags, draws, self._reader)
        found["examples"] = self._examples(draws[0])
        return found

    def _knowing(self, mechanism: DocumentMechanism) -> Lab:
        """Attack setup for an adversary who knows the form of releases and the feature map."""
        places, bags = mechanism.read_as, mechanism.form.kind == "words"
        if places is None and bags == self.bags:
            return self
        key = f"{bags} {places and places.fingerprint}"
        if key not in self._labs:
            self._labs[key] = replace(self, places=places, bags=bags)
        return self._labs[key]

    def _attacked(
        self,
        attacks: Attacks,
        draws: Draws,
        mechanism: Mechanism | None,
        rng: Generator,
        tell: Tell,
    ) -> dict[str, Any]:
        static = attacks.static(draws, tell)
        adaptive = attacks.adaptive(
            draws, static, tell, training=TRAINING, mechanism=mechanism, rng=rng
        )
        told = attacks.identified(static, adaptive)
        figures = {
            name: {"adaptive": identified(one), "static": other and identified(other)}
            for name, (one, other) in told.items()
        }
        ours = {name: each["adaptive"] for name, each in figures.items()}
        best = {str(m): _best(ours, str(m)) for m in DOCUMENTS}
        first = told[best["1"]][0]
        return {
            "attackers": figures,
            "best": best,
            "confusion": _shares(first),
            "per_author": [each.facts() for each in first.recalls()],
            "verification": self._verified(draws[:TRAINING], draws),
            **({"named": named(first)} if self.naming else {}),
        }

    def _verified(self, taught: Draws, tested: Draws) -> dict[str, Any] | None:
        if self.corpus.author is None:
            return None
        codes = self.corpus.author.codes
        found = verification(taught, tested, codes, self.folds, self._reader)
        return {name: each.facts() for name, each in vars(found).items()} if found else None

    def _examples(self, released: Sequence[str]) -> list[dict[str, str]]:
        """A released document of each of the commonest topics; only what is released of it."""
        topics = self.corpus.topic
        if topics is None:
            return [{"topic": "", "words": each} for each in released[: EXAMPLES // 2]]
        common = np.argsort(-topics.counts, kind="stable")[:EXAMPLES].tolist()
        first = [int(np.flatnonzero(topics.codes == topic)[0]) for topic in common]
        return [
            {"topic": topics.names[topic], "words": released[place]}
            for topic, place in zip(common, first, strict=True)
        ]

    def _rng(self, setting: Setting) -> Generator:
        """Fresh noise for each setting, or a stream of its own that `seed` repeats."""
        if self.seed is None:
            return secure()
        digest = sha256(f"{self.seed} {setting.key}".encode()).digest()
        return seeded(int.from_bytes(digest[:7], "little"))

    @property
    def kept_words(self) -> float:
        """How many kept words a text has on average."""
        return float(np.mean([len(bag) for bag in self._bags]))

    @property
    def _times(self) -> range:
        return range(self.draws)

    @cached_property
    def _reader(self) -> Reader:
        if self.places is None:
            return Reader(self.vocabulary)
        return Reader(Vocabulary(self.places, self.vocabulary.stop_words))

    @cached_property
    def _bags(self) -> list[Bag]:
        return list(self.vocabulary.bags(self.corpus.texts))

    @cached_property
    def _clean(self) -> list[str]:
        """Clean texts in the form of a release, for training: kept words in alphabetical order."""
        if not self.bags:
            return list(self.corpus.texts)
        place, ordered = self.vocabulary.alphabetical
        return [
            " ".join(ordered[np.sort(np.repeat(place[bag.ids], bag.counts))]) for bag in self._bags
        ]

    @cached_property
    def _attacks(self) -> Attacks | None:
        if self.corpus.author is None:
            return None
        return Attacks(self.kinds, self.corpus.author, self.folds, self._reader, self._clean)

    @cached_property
    def _clean_topics(self) -> Topics:
        if self.corpus.topic is None:
            raise AssertionError("only a corpus with topics is asked for them")
        return Topics.taught([self._clean], self.corpus.topic, self.folds, self._reader)


def one_by_one(mechanism: DocumentMechanism) -> Mechanism | None:
    """The word mechanism that releases each word of a document by itself, if one does."""
    return mechanism.words if mechanism.parameter.per_word else None


def identified(found: Identification) -> dict[str, Any]:
    """The figures of one attacker."""
    shares = {str(m): found.accuracy(m) for m in DOCUMENTS}
    return {
        "accuracy": {m: each and each.facts() for m, each in shares.items()},
        "macro_f1": found.macro_f1().facts(),
    }


def promised(made: Obfuscator, setting: Setting) -> dict[str, Any]:
    """The setting and what it promises."""
    promise = made.promises[-1]
    return {
        "mechanism": setting.recipe.mechanism,
        "title": setting.title,
        "epsilon": None if setting.recipe.at_once else setting.recipe.epsilon,
        "size": made.documents.form.size or None,
        "budget": setting.budget,
        "metric": promise.metric,
        "formula": made.guarantee.formula,
        "covers": made.documents.covers,
        "odds": [
            {"pair": odds.pair, "distance": odds.distance, "factor": odds.factor}
            for odds in promise.odds
        ],
        "promise": [each.sentence for each in made.promises],
        "unchanged": made.unchanged,
    }


def certified(made: Obfuscator, released: Sequence[str], rng: Generator) -> dict[str, Any]:
    """The certificate of one draw, as its release would have it: of its lines, in order."""
    digest = sha256("".join(f"{each}\n" for each in released).encode()).hexdigest()
    certificate = made.certify(described(rng), len(released), Output("text", digest))
    facts: dict[str, Any] = json.loads(certificate.to_json())
    return facts


def _best(attackers: Mapping[str, Any], documents: str) -> Any:
    """Who is right most often; None if nobody has so many documents."""
    known = {n: each["accuracy"][documents] for n, each in attackers.items()}
    shares = {name: each["value"] for name, each in known.items() if each}
    return max(shares, key=shares.__getitem__) if shares else None


def _shares(found: Identification) -> list[list[float]]:
    return [[round(share, 4) for share in row] for row in found.confusion().tolist()]
