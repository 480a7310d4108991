"""Mechanisms and systems with planted faults, and right ones: an audit must tell them apart.

Every fault claims the guarantee of what is right. `tests/audit/test_faults.py` audits all of
them, and `scripts/audit_page.py` writes down what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from hashlib import sha256
from math import log, sqrt
from multiprocessing import current_process
from threading import local
from typing import Any, Literal, Self

import numpy as np
from numpy.random import Generator, default_rng
from scipy.spatial.distance import cdist

from nomdeplume import (
    Audit,
    Document,
    Guarantee,
    Laplace,
    Mechanism,
    NoisyNearest,
    Report,
    Table,
    secure,
    seeded,
)
from nomdeplume.bag import Bag, Item, apportion
from nomdeplume.charging import Charging
from nomdeplume.decode import Rank, Vickrey
from nomdeplume.distance import Prepared, WordMover
from nomdeplume.mechanism import Anchors, Network, NoisyMean, Projection, Unit
from nomdeplume.mechanism.contract import Declaration, Released, Settings
from nomdeplume.mechanism.image import FeatureMap
from nomdeplume.mechanism.recipe import words_of
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.nearest import Several
from nomdeplume.noise import Floats, Mahalanobis, PolarLaplace, VonMisesFisher, to_grid
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Output
from nomdeplume.privacy.ledger.claims import DOCUMENT, Claim
from nomdeplume.privacy.ledger.price import Price
from nomdeplume.reduction import Kept
from nomdeplume.releasing import Releasing
from nomdeplume.table.directions import principal_directions
from nomdeplume.text import words
from nomdeplume.vocabulary import Ids, Vocabulary

BETA = 0.001  # of TEM
LONG = 300  # words, beyond which a text is released without noise


SPOILS: dict[str, tuple[Callable[[Floats, Generator], Floats], str]] = {
    "noise × 0.9": (lambda z, _: 0.9 * z, "too little noise: the loss is that of ε/0.9"),
    "noise × 0.99": (
        lambda z, _: 0.99 * z,
        "a percent too little noise: the loss is that of ε/0.99",
    ),
    "noise × 0.8": (lambda z, _: 0.8 * z, "too little noise: the loss is that of ε/0.8"),
    "Gaussian over [0, 1]": (
        lambda z, _: np.abs(z),
        "directions of Gaussians over [0, 1] or their sizes: never back",
    ),
    "Gamma(k−1) radius": (  # Gamma(k)·Beta(k−1, 1), and on a line next to nothing
        lambda z, rng: z * rng.beta(max(z.shape[1] - 1, 1e-9), 1, (len(z), 1)),
        "a radius of one dimension less: a peak ∝ 1/‖z‖, no finite ε",
    ),
    "float16 noise": (
        lambda z, _: z.clip(-65504, 65504).astype(np.float16).astype(np.float64),
        "rounded noise: its gaps tell the vector under it",
    ),
    "ε × √k": (lambda z, _: z / sqrt(z.shape[1]), "the noise of ε·√k: up to √k times the loss"),
}


@dataclass(frozen=True)
class Spoilt(Laplace):
    """Laplace noise to which one of SPOILS is done before it is added."""

    spoil: str = field(kw_only=True)

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        return vectors + SPOILS[self.spoil][0](super().add(np.zeros_like(vectors), rng), rng)


class Renormalised(Mahalanobis):
    """Noise cut back to the length it had before it was stretched.

    Its density jumps by (λmax/λmin)^(k/2) around 0.
    """

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        n, k = vectors.shape
        length = rng.gamma(k, 1 / (self.epsilon * sqrt(self.lambda_min)), size=(n, 1))
        noise = super().add(np.zeros_like(vectors), rng)
        return np.asarray(vectors + length * noise / np.linalg.norm(noise, axis=1, keepdims=True))


def in_parts(self: Any, ids: Ids, rng: Generator) -> Ids:
    """A release of so many words at a time that memory can hold their distances."""
    rows = max(1, 2**22 // len(self.table))
    parts = [self._part(ids[i : i + rows], rng) for i in range(0, len(ids), rows)]
    return np.concatenate([np.empty(0, np.int64), *parts])


class OffGrid(NoisyNearest):
    """Words are decoded from noisy vectors as they are, to the last digit."""

    def release(self, ids: Ids, rng: Generator) -> Ids:
        return self.decode(self.noise.add(self.vectors(ids), rng), rng)


class Peeking(NoisyNearest):
    """Of the two nearest words never the secret one."""

    @cached_property
    def two(self) -> Several:
        return Several(self.places, self.outputs, top=2)

    release = in_parts

    def _part(self, ids: Ids, rng: Generator) -> Ids:
        noisy = to_grid(self.noise.add(self.vectors(ids), rng), self.places.grid)
        near, _ = self.two.several(noisy)
        chosen = self.decode(noisy, rng)
        return np.where(chosen == ids, near.sum(axis=1) - chosen, chosen)


@dataclass(frozen=True, eq=False)
class Tem:
    """P(y|x) ∝ exp(−(ε/2)·min(d(x, y), γ)): `channel` claims it, releases are drawn by `law`."""

    table: Table
    epsilon: float
    outputs: None = None  # all words
    tail: Literal["capped", "none", "one"] = "capped"  # faults: beyond γ all weigh 0, 1 in sum
    name: str = "tem"

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon)

    @property
    def settings(self) -> Settings:
        return {}

    @property
    def declaration(self) -> Declaration:
        return Declaration(channel=self.channel, elsewhere=self.elsewhere)

    documents = word_by_word

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        return replace(self, table=table, epsilon=epsilon)

    def channel(self, ids: Ids) -> Floats:
        return replace(self, tail="capped").law(ids)

    def law(self, ids: Ids) -> Floats:
        gamma = 2 / self.epsilon * log((1 - BETA) / BETA * max(1, len(self.table) - 1))
        away = cdist(self.table.vectors[ids], self.table.vectors[:])
        right, beyond = np.exp(-self.epsilon / 2 * np.minimum(away, gamma)), away > gamma
        one = 1 / np.maximum(1, beyond.sum(axis=1, keepdims=True))
        weights = np.where(beyond, {"capped": right, "none": 0, "one": one}[self.tail], right)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    release = in_parts

    def _part(self, ids: Ids, rng: Generator) -> Ids:
        distinct, which = np.unique(ids, return_inverse=True)
        below = self.law(distinct).cumsum(axis=1)[which]  # (n, V)
        return np.asarray((below <= rng.random((len(ids), 1)) * below[:, -1:]).sum(axis=1))


class FixedSeed(NoisyNearest):
    """The generator is ignored: every release draws the same noise."""

    def release(self, ids: Ids, rng: Generator) -> Ids:  # noqa: ARG002
        return super().release(ids, seeded(42))


class OtherTable(NoisyNearest):
    """Noise and search use unit vectors, the guarantee and the certificate those of the table."""

    @cached_property
    def used(self) -> NoisyNearest:
        norms = np.linalg.norm(self.table.vectors[:], axis=1, keepdims=True)
        unit = Table(self.table.words, self.table.vectors[:] / np.where(norms, norms, 1))
        return NoisyNearest(unit, self.noise, self.outputs)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        return self.used.release(ids, rng)


class PassesUnknown(Obfuscator):
    """A word that the table does not know is put among the released ones."""

    def __call__(
        self, texts: Iterable[str], rng: Generator | None = None, **options: Any
    ) -> list[Document]:
        texts, rng = list(texts), rng or secure()
        released = super().__call__(texts, rng, **options)
        leaked = list(map(self.leak, texts, released, [rng] * len(texts)))
        output = Output("text", sha256("".join(f"{d.text}\n" for d in leaked).encode()).hexdigest())
        return [replace(d, certificate=replace(d.certificate, output=output)) for d in leaked]

    def leak(self, text: str, document: Document, _: Generator) -> Document:
        unknown = [word for word in words(text) if not len(self.vocabulary.table.ids([word]))][:1]
        return replace(document, text=" ".join(sorted((*document.words[len(unknown) :], *unknown))))


class KeepsOrder(PassesUnknown):
    """Nothing unknown passes, but released words stand in the order of the text."""

    def leak(self, text: str, document: Document, rng: Generator) -> Document:
        table = self.vocabulary.table
        kept = [word for word in re.findall(r"\w+", text.lower()) if word in self.vocabulary]
        ids = np.resize(table.ids(kept or document.words), self.size)
        released = words_of(self.documents).release(ids, rng)
        return replace(document, text=" ".join(table.words[i] for i in released))


class IdOrder(Releasing):
    """Released words stand in the order of the ids of the words that they were made of."""

    def batch(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        kept, size = self.vocabulary, self.mechanism.form.size
        bags = kept.bagged(items)
        reduced = apportion(list(map(kept.or_public, bags)), size, kept.tie_order)
        ids = words_of(self.mechanism).release(reduced.ravel(), rng).reshape(reduced.shape)
        texts = map(" ".join, np.array(kept.table.words)[ids].tolist())
        return [Released(text, None, len(bag) > 0) for text, bag in zip(texts, bags, strict=True)]


class Unsorted(Obfuscator):
    """Words are reduced without chance and released one by one, but never sorted."""

    @property
    def releasing(self) -> IdOrder:
        return IdOrder(self.vocabulary, self.documents)


class BareIfLong(Releasing):
    """Words of texts of more than LONG words are not released by the mechanism."""

    def batch(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        bags = self.vocabulary.bagged(items)
        right = super().batch(bags, rng)
        return [self._bare(*each) for each in zip(bags, right, strict=True)]

    def _bare(self, bag: Bag, right: Released) -> Released:
        if len(bag) <= LONG:
            return right
        kept = self.vocabulary
        [ids] = apportion([bag], len(right.words), kept.tie_order)
        return right._replace(text=" ".join(sorted(kept.table.words[i] for i in ids)))


class LongTextsBare(Obfuscator):
    """Long texts go without noise."""

    @property
    def releasing(self) -> BareIfLong:
        return BareIfLong(self.vocabulary, self.documents)


class HalfPrice(Obfuscator):
    """The price of a document is half of its budget."""

    @cached_property
    def price(self) -> Price:
        right = super().price
        return replace(right, budget=right.budget / 2)


@contextmanager
def units_at_half_price() -> Iterator[None]:
    """Releases that are charged to several texts, as units are, are charged half."""
    right = Charging.granted

    def granted(self: Charging, claims: Sequence[Claim], *, together: bool = False) -> list[bool]:
        unit = any(sum(name.startswith(DOCUMENT) for name in claim) > 1 for claim in claims)
        price = replace(self.price, budget=self.price.budget / 2) if unit else self.price
        return right(replace(self, price=price), claims, together=together)

    Charging.granted = granted  # type: ignore[method-assign]
    try:
        yield
    finally:
        Charging.granted = right  # type: ignore[method-assign]


class ClaimsTheMean(Obfuscator):
    """Words are drawn by chance, and W₁ between texts is promised as if they were not."""

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        *others, texts = super().guarantees
        return *others, replace(texts, metric=Prepared(WordMover(), Kept(self.vocabulary)))


class LeakyCertificate(PassesUnknown):
    """Nothing unknown passes, but the certificate names a word of the text."""

    def leak(self, text: str, document: Document, _: Generator) -> Document:
        limits = (*document.certificate.limits, f"Longest: {max(words(text), key=len, default='')}")
        return replace(document, certificate=replace(document.certificate, limits=limits))


class Summed(NoisyMean):
    """The sum of the features, not their mean: a longer text is farther away."""

    def means(self, bags: Sequence[Bag]) -> Floats:
        sizes = np.array([len(bag) for bag in bags])
        return np.asarray(super().means(bags) * sizes.reshape(-1, 1))


class Stretched(NoisyMean):
    """Features are divided by too little, and the certificate says so."""

    @cached_property
    def stretch(self) -> float:
        return super().stretch / 1.2


class Recounted(NoisyMean):
    """A mean in which words count otherwise than they occur."""

    def means(self, bags: Sequence[Bag]) -> Floats:
        every = np.concatenate([np.empty((0, self.dimensions)), *map(self._mean, bags)])
        return np.asarray(every / self.stretch)

    def _mean(self, bag: Bag) -> Floats:
        weights = self.weigh(bag)
        features = self.features.vectors[bag.ids].astype(np.float64)
        return np.asarray((weights / weights.sum()) @ features)[None]

    def weigh(self, bag: Bag) -> Floats:
        """Rare words count for more, by their place in the table, and all together for 1."""
        return np.asarray(bag.counts * (1.0 + bag.ids))


class Distinct(Recounted):
    """Every word counts once, however often it occurs."""

    def weigh(self, bag: Bag) -> Floats:
        return np.ones(len(bag.ids))


class Normalised(NoisyMean):
    """Every mean is brought to one length, that of a usual word."""

    def means(self, bags: Sequence[Bag]) -> Floats:
        means = super().means(bags)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return np.asarray(means / np.where(lengths, lengths, 1) * self.reach)


class OwnWords(NoisyMean):
    """Documents are made of words of their text alone, those nearest to the noisy mean."""

    def noisy(self, bags: Sequence[Bag], rng: Generator) -> Floats:
        vars(self)["bags"] = bags
        return super().noisy(bags, rng)

    def compose(self, noisy: Floats, size: int, rng: Generator) -> Ids:  # noqa: ARG002
        near = map(self._near, noisy, vars(self)["bags"])
        return np.stack([np.resize(ids, size) for ids in near])

    def _near(self, mean: Floats, bag: Bag) -> Ids:
        able = bag.ids[np.isin(bag.ids, self._outputs)]
        ids = able if len(able) else self._outputs[:1]
        away = np.linalg.norm(self.features.vectors[ids] / self.stretch - mean, axis=1)
        return np.asarray(ids[away.argsort()])


class Alone(NoisyMean):
    """A document of one word goes without noise."""

    def bare(self, bag: Bag) -> bool:
        return len(bag) == 1

    def noisy(self, bags: Sequence[Bag], rng: Generator) -> Floats:
        bare = np.array([self.bare(bag) for bag in bags]).reshape(-1, 1)
        points = to_grid(self.means(bags), self.grid)
        return np.where(bare, points, super().noisy(bags, rng))


class LongAlone(Alone):
    """A document of more than LONG words goes without noise."""

    def bare(self, bag: Bag) -> bool:
        return len(bag) > LONG


class MeanOffGrid(NoisyMean):
    """Words are composed from noisy means as they are, to the last digit."""

    def noisy(self, bags: Sequence[Bag], rng: Generator) -> Floats:
        return self.noise.add(self.means(bags), rng)


PLAIN, MASTER, OWN, WORKER = default_rng(), default_rng(), local(), cache(seeded)


def laplace(table: Table, epsilon: float) -> NoisyNearest:
    return NoisyNearest(table, Laplace(epsilon))


@dataclass(frozen=True)
class Fault:
    """What is wrong, how to make it for a table and an ε, and where its randomness comes from."""

    what: str
    make: Callable[[Table, float], Mechanism | Obfuscator] = laplace
    source: Callable[[], Generator] = secure
    change: Callable[[], AbstractContextManager[None]] = nullcontext  # of the program meanwhile

    def audited(self, table: Table, epsilon: float, **how: Any) -> Report:
        """The report of an audit of this fault; `how` is as in `Audit`."""
        with self.change():
            return Audit(source=self.source, **how)(self.make(table, epsilon))


def mean(
    kind: type[NoisyMean] = NoisyMean,
    noise: Callable[[float], Laplace] = Laplace,
    features: str = "principal",  # or "" for the shipped subjects
) -> Callable[[Table, float], Obfuscator]:
    """The program at the level of documents, with its mechanism or its noise exchanged."""

    def make(table: Table, epsilon: float) -> Obfuscator:
        right = Obfuscator.mean(table, budget=epsilon, map=features)
        made: Any = right.mechanism
        parts = {each.name: getattr(made, each.name) for each in fields(made)}
        return replace(right, mechanism=kind(**{**parts, "noise": noise(epsilon)}))

    return make


def mapped(
    image: Callable[[Vocabulary], FeatureMap | None],
) -> Callable[[Table, float], Obfuscator]:
    """The program at the level of documents, with some map."""

    def make(table: Table, epsilon: float) -> Obfuscator:
        kept = Vocabulary.of(table)
        noise, ids = Laplace(epsilon), kept.ids
        return Obfuscator(kept, NoisyMean(table, noise, ids, outputs=ids, image=image(kept)))

    return make


def anchors(kept: Vocabulary) -> Anchors:
    """Subjects of a few words each, as if anybody had chosen them."""
    words = kept.table.vectors[kept.ids[:200]].astype(np.float64)
    return Anchors.fading(np.split(words[:24], 6), words)


def network(kept: Vocabulary) -> Network:
    """Weights that nobody has reason to trust."""
    rng, k = default_rng(5), kept.table.dimensions
    inner, outer = rng.standard_normal((16, k)), 9 * rng.standard_normal((4, 16))
    return Network(straight=np.eye(4, k), inner=inner, offset=np.ones(16), outer=outer)


def spoilt(name: str) -> Fault:
    return Fault(SPOILS[name][1], lambda t, e: NoisyNearest(t, Spoilt(e, spoil=name)))


FAULTS: dict[str, Fault] = {name: spoilt(name) for name in SPOILS} | {
    "renormalised Mahalanobis": Fault(
        "stretched noise cut back to its length: uneven around 0, no finite ε",
        lambda t, e: NoisyNearest(t, Renormalised.of(t, e)),
    ),
    "peeking Vickrey": Fault(
        "the second nearest word whenever the nearest is the secret: it never stays",
        lambda t, e: Peeking(t, Laplace(e), decoder=Vickrey()),
    ),
    "TEM without tail": Fault(
        "words beyond γ are never released: no finite ε",
        lambda t, e: Tem(t, e, tail="none"),
    ),
    "TEM with wrong tail": Fault(
        "all words beyond γ together weigh 1, not exp(−εγ/2) each",
        lambda t, e: Tem(t, e, tail="one"),
    ),
    "vectors off the grid": Fault(
        "words are decoded from noisy vectors that were not rounded to the public grid",
        lambda t, e: OffGrid(t, Laplace(e)),
    ),
    "fixed seed in a mechanism": Fault(
        "every release draws from seed 42", lambda t, e: FixedSeed(t, Laplace(e))
    ),
    "fixed seed": Fault("every generator starts from seed 42", source=lambda: seeded(42)),
    "forked stream": Fault("forked workers go on where their parent was", source=lambda: PLAIN),
    "seeded by worker": Fault(
        "workers are seeded by their number, which recurs",
        source=lambda: WORKER(int(re.sub(r"\D", "", current_process().name) or 0) % 4),
    ),
    "copied per thread": Fault(
        "every thread gets a copy of one generator",
        source=lambda: vars(OWN).setdefault("rng", deepcopy(MASTER)),
    ),
    "W₁ claimed for sampled texts": Fault(
        "the paper's theorem for bags, stated for texts whose words are drawn by chance",
        lambda t, e: ClaimsTheMean.laplace(t, epsilon=e),
    ),
    "unknown word passed through": Fault(
        "a word that the table does not know is put among the released ones",
        lambda t, e: PassesUnknown.laplace(t, epsilon=e),
    ),
    "order kept": Fault(
        "released words stand in the order of the text",
        lambda t, e: KeepsOrder.laplace(t, epsilon=e),
    ),
    "words in the order of ids": Fault(
        "apportioned words are released one by one and never sorted",
        lambda t, e: Unsorted.laplace(t, epsilon=e, reduction="apportion"),
    ),
    "no noise above 300 words": Fault(
        "texts of more than 300 words are released as they are",
        lambda t, e: LongTextsBare.laplace(t, epsilon=e),
    ),
    "charged half": Fault(
        "a document's price in a ledger is half of its budget",
        lambda t, e: HalfPrice.laplace(t, epsilon=e),
    ),
    "units charged half": Fault(
        "the document of a unit is charged half of its price",
        lambda t, e: Obfuscator.laplace(t, epsilon=e),
        change=units_at_half_price,
    ),
    "word in the certificate": Fault(
        "the certificate names a word of the text",
        lambda t, e: LeakyCertificate.laplace(t, epsilon=e),
    ),
    "table not that of the certificate": Fault(
        "noise and search use unit vectors, the certificate names the table",
        lambda t, e: Obfuscator(v := Vocabulary.of(t), OtherTable(t, Laplace(e), v.ids)),
    ),
}
DOCUMENTS: dict[str, Fault] = {  # of noise on the mean of a document
    "sum in place of the mean": Fault(
        "noise is added to the sum of a text's features: its length shows", mean(Summed)
    ),
    "map stretched by 1.2": Fault(
        "features are divided by 1/1.2 of what they must be, and the certificate says so",
        mean(Stretched),
    ),
    "mean by rarity": Fault(
        "words count by their inverse frequency, made to sum to 1 in each text",
        mean(Recounted),
    ),
    "mean of one length": Fault("every mean is brought to one length", mean(Normalised)),
    "mean of distinct words": Fault(
        "every word counts once, however often it occurs", mean(Distinct)
    ),
    "composed of the text's words": Fault(
        "only words of the text may come out of what follows the noise", mean(OwnWords)
    ),
    "mean under Gamma(m−1)": Fault(
        "a radius of one dimension less, on means",
        mean(noise=lambda e: Spoilt(e, spoil="Gamma(k−1) radius")),
    ),
    "no noise for one word": Fault("a document of one word goes without noise", mean(Alone)),
    "mean without noise above 300 words": Fault(
        "a document of more than 300 words goes without noise", mean(LongAlone)
    ),
    "mean of subjects under noise × 0.99": Fault(
        "a percent too little noise, on means of the subjects",
        mean(noise=lambda e: Spoilt(e, spoil="noise × 0.99"), features=""),
    ),
    "mean off the grid": Fault(
        "words are composed from noisy means that were not rounded to the public grid",
        mean(MeanOffGrid),
    ),
}
FAULTS |= DOCUMENTS
CONTROLS: dict[str, Callable[[Table, float], Mechanism | Obfuscator]] = {
    "laplace": laplace,
    "laplace, from text to words": lambda t, e: Obfuscator.laplace(t, epsilon=e),
    "vickrey": lambda t, e: NoisyNearest(t, Laplace(e), decoder=Vickrey()),
    "mahalanobis": lambda t, e: NoisyNearest(t, Mahalanobis.of(t, e)),
    "von Mises–Fisher": lambda t, e: NoisyNearest(t, VonMisesFisher(10 * e), image=Unit()),
    "polar": lambda t, e: NoisyNearest(t, PolarLaplace.of(t, e)),
    "projected, by rank": lambda t, e: NoisyNearest(
        t, Laplace(e), image=Projection(principal_directions(t, 10)), decoder=Rank()
    ),
    "tem": Tem,
}
MEANS: dict[str, Callable[[Table, float], Obfuscator]] = {
    "mean of vectors": mapped(lambda kept: None),  # noqa: ARG005
    "mean of subjects": mean(features=""),
    "mean of principal directions": mean(),
    "mean of nearness to anchors": mapped(anchors),
    "mean of a network": mapped(network),
}
CONTROLS |= MEANS
