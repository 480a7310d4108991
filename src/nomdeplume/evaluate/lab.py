"""The lab: a corpus is released under a setting, attacked, and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from time import monotonic

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.distance.metrics import AnyTwo
from nomdeplume.evaluate.attackers import Kind
from nomdeplume.evaluate.attackers.informed import Law
from nomdeplume.evaluate.attacks import Attacks
from nomdeplume.evaluate.floors import ceiling, floors, majority
from nomdeplume.evaluate.folds import Fold
from nomdeplume.evaluate.identification import DOCUMENTS, Identification
from nomdeplume.evaluate.labelled import Labelled
from nomdeplume.evaluate.likeness import likeness
from nomdeplume.evaluate.naming import named
from nomdeplume.evaluate.reader import Reader
from nomdeplume.evaluate.reconstruction import reconstruction, shared_words
from nomdeplume.evaluate.results import (
    Accuracy,
    Attack,
    Cell,
    Certificate,
    Clean,
    Directions,
    Example,
    Floors,
    Matrix,
    Odds,
    Reconstruction,
    Verification,
    best,
)
from nomdeplume.evaluate.setting import Setting
from nomdeplume.evaluate.topics import Topics
from nomdeplume.evaluate.verification import verification
from nomdeplume.mechanism import Mechanism
from nomdeplume.mechanism.contract import DocumentMechanism
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import described, secure, seeded
from nomdeplume.releasing import Offer, complete
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

Draws = Sequence[Sequence[str]]
Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
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
        """A lab without its caches, to be sent to other processes."""
        return replace(self, _labs={})

    def before(self, tell: Tell) -> Clean:
        """Figures of attacks and topic models on the texts as they are."""
        texts, topic = self.corpus.texts, None
        if self.corpus.topic is not None:
            tell("topics")
            known = (self.corpus.topic, self.folds, self._reader)
            topic = Topics.taught([texts], *known).told([texts])
        if self._attacks is None:
            return Clean(topic=topic)
        told = self._attacks.before(texts, tell)
        attackers = {name: _accuracy(each) for name, each in told.items()}
        first = told[best(attackers, 1)]
        return Clean(
            attackers=attackers,
            topic=topic,
            verification=self._verified([texts], [texts]),
            confusion=_shares(first),
            per_author=first.recalls(),
            named=named(first) if self.naming else (),
        )

    def floors(self) -> Floors | None:
        """Accuracy of guesses at authors that read nothing; None without authors."""
        return floors(self.corpus, self.folds)

    def cell(self, setting: Setting, tell: Tell) -> Cell:
        """Release all texts under a setting, `draws` times, and measure the releases."""
        started, rng = monotonic(), self._rng(setting)
        tell("releases")
        made = Obfuscator.of(
            setting.recipe, self.vocabulary, size=setting.size, reduction=setting.reduction
        )
        texts = self._bags if made.documents.kept_words else self.corpus.texts
        released = [
            list(complete(made.releasing.released(map(Offer, texts), rng))) for _ in self._times
        ]
        draws = [[each.text for each in draw] for draw in released]

        def law(places: Ids) -> Floats | None:
            items = [made.releasing.item(texts[place]) for place in places.tolist()]
            return made.documents.log_chances(list(chain.from_iterable(released)), items)

        tell("words")
        rebuilt, certificate = self._rebuilt(made, draws, rng), certified(made, draws[0], rng)
        judged = self.judged(draws, made.documents, rng, tell, law)
        promise = made.promises[-1]
        return replace(
            judged,
            mechanism=setting.recipe.mechanism,
            title=setting.title,
            epsilon=None if setting.recipe.at_once else setting.recipe.epsilon,
            size=made.documents.form.size or None,
            budget=setting.budget,
            symbol=setting.recipe.parameter.symbol if setting.recipe.at_once else "E",
            advice=made.documents.advice,
            metric=promise.metric,
            formula=made.guarantee.formula,
            covers=made.documents.covers,
            odds=tuple(Odds(odds.pair, odds.distance, odds.factor) for odds in promise.odds),
            promise=tuple(each.sentence for each in made.promises),
            unchanged=made.unchanged,
            certificate=certificate,
            ceiling=self._ceiling(made.guarantee),
            reconstruction=rebuilt,
            not_private=self.seed is not None,
            seconds=round(monotonic() - started, 1),
        )

    def _ceiling(self, guarantee: Guarantee) -> float | None:
        """The most that anyone names authors from one release, if its ε is between any texts."""
        authors = self.corpus.author
        if authors is None or guarantee.metric != AnyTwo():
            return None
        return ceiling(guarantee.epsilon, majority(authors, self.folds).value)

    def _rebuilt(self, made: Obfuscator, draws: Draws, rng: Generator) -> Reconstruction:
        """Share of the words of the texts that are recovered from releases."""
        mechanism = one_by_one(made.documents)
        if mechanism is None:
            released = [self._reader.bags(draw) for draw in draws]
            return Reconstruction(shared_words(self._bags, released))
        words = np.concatenate([np.repeat(bag.ids, bag.counts) for bag in self._bags])
        return reconstruction(mechanism, words, self.prior, self.draws, rng)

    def judged(
        self,
        draws: Draws,
        mechanism: DocumentMechanism | None,
        rng: Generator,
        tell: Tell,
        law: Law | None = None,
    ) -> Cell:
        """A cell with figures of releases, each a list as long as the corpus; without its setting.

        Attackers know the mechanism that made them, unless there is none, and the law of releases.
        """
        knows, words = self, None
        if mechanism is not None:
            knows, words = self._knowing(mechanism), one_by_one(mechanism)
        attacked = Cell()
        if knows._attacks is not None:
            attacked = knows._attacked(knows._attacks, draws, words, rng, tell, law=law)
        topic = None
        if self.corpus.topic is not None:
            tell("topics")
            known = (self.corpus.topic, self.folds, knows._reader)
            learnt = Topics.taught(draws[:TRAINING], *known)
            topic = Directions(
                release_to_release=learnt.told(draws),
                release_to_clean=learnt.told([self._clean]),
                clean_to_release=knows._clean_topics.told(draws),
            )
        tell("distances")
        return replace(
            attacked,
            topic=topic,
            distances=likeness(self._bags, draws, self._reader),
            examples=self._examples(draws[0]),
        )

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
        *,
        law: Law | None,
    ) -> Cell:
        """A cell with figures of authors only."""
        static = attacks.static(draws, tell)
        adaptive = attacks.adaptive(
            draws, static, tell, training=TRAINING, mechanism=mechanism, rng=rng, law=law
        )
        told = attacks.identified(static, adaptive)
        attackers = {
            name: Attack(_accuracy(one), _accuracy(other) if other else None)
            for name, (one, other) in told.items()
        }
        found = Cell(attackers=attackers)
        first, _ = told[found.best()]
        return replace(
            found,
            verification=self._verified(draws[:TRAINING], draws),
            confusion=_shares(first),
            per_author=first.recalls(),
            named=named(first) if self.naming else (),
        )

    def _verified(self, taught: Draws, tested: Draws) -> Verification | None:
        if self.corpus.author is None:
            return None
        codes = self.corpus.author.codes
        return verification(taught, tested, codes, self.folds, self._reader)

    def _examples(self, released: Sequence[str]) -> tuple[Example, ...]:
        """A released document of each of the commonest topics; only what is released of it."""
        topics = self.corpus.topic
        if topics is None:
            return tuple(Example("", each) for each in released[: EXAMPLES // 2])
        common = np.argsort(-topics.counts, kind="stable")[:EXAMPLES].tolist()
        first = [int(np.flatnonzero(topics.codes == topic)[0]) for topic in common]
        return tuple(
            Example(topics.names[topic], released[place])
            for topic, place in zip(common, first, strict=True)
        )

    def _rng(self, setting: Setting) -> Generator:
        """Fresh noise for each setting, or a stream of its own that `seed` repeats."""
        if self.seed is None:
            return secure()
        digest = sha256(f"{self.seed} {setting.key}".encode()).digest()
        return seeded(int.from_bytes(digest[:7], "little"))

    @property
    def kept_words(self) -> float:
        """Mean number of kept words in a text."""
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


def certified(made: Obfuscator, released: Sequence[str], rng: Generator) -> Certificate:
    """The certificate of one draw, as its release would have it: of its lines, in order."""
    digest = sha256("".join(f"{each}\n" for each in released).encode()).hexdigest()
    certificate = made.certify(described(rng), len(released), Output("text", digest))
    facts: Certificate = json.loads(certificate.to_json())
    return facts


def _accuracy(found: Identification) -> Accuracy:
    """The figures of one attacker."""
    figures = {count: found.accuracy(count) for count in DOCUMENTS}
    known = {count: figure for count, figure in figures.items() if figure}
    return Accuracy(known, found.macro_f1())


def _shares(found: Identification) -> Matrix:
    return tuple(tuple(round(share, 4) for share in row) for row in found.confusion().tolist())
