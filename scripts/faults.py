"""Mechanisms and systems with planted faults, and right ones: an audit must tell them apart.

Every fault claims the guarantee of what is right. `tests/audit/test_faults.py` audits all of
them, and `scripts/audit_page.py` writes down what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from math import log, sqrt
from multiprocessing import current_process
from threading import local
from typing import Any, Literal, Self

import numpy as np
from numpy.random import Generator, default_rng
from scipy.spatial.distance import cdist

from nomdeplume import Document, Guarantee, Laplace, Mechanism, NoisyNearest, Table, secure, seeded
from nomdeplume.decode import Rank, Vickrey
from nomdeplume.distance import Prepared, WordMover
from nomdeplume.mechanism import Projection, Unit
from nomdeplume.nearest import Several
from nomdeplume.noise import Floats, Mahalanobis, PolarLaplace, VonMisesFisher, to_grid
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.certificate import Output
from nomdeplume.reduction import Kept
from nomdeplume.table.directions import principal_directions
from nomdeplume.text import words
from nomdeplume.vocabulary import Ids, Vocabulary

BETA = 0.001  # of TEM


SPOILS: dict[str, tuple[Callable[[Floats, Generator], Floats], str]] = {
    "noise × 0.9": (lambda z, _: 0.9 * z, "too little noise: the loss is that of ε/0.9"),
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
        self, texts: Iterable[str], rng: Generator | None = None, *, vectors: bool = False
    ) -> list[Document]:
        texts, rng = list(texts), rng or secure()
        leaked = list(
            map(self.leak, texts, super().__call__(texts, rng, vectors=vectors), [rng] * len(texts))
        )
        output = Output("text", sha256("".join(f"{d.text}\n" for d in leaked).encode()).hexdigest())
        return [replace(d, certificate=replace(d.certificate, output=output)) for d in leaked]

    def leak(self, text: str, document: Document, _: Generator) -> Document:
        unknown = [word for word in words(text) if not len(self.vocabulary.table.ids([word]))][:1]
        return replace(document, words=tuple(sorted((*document.words[len(unknown) :], *unknown))))


class KeepsOrder(PassesUnknown):
    """Nothing unknown passes, but released words stand in the order of the text."""

    def leak(self, text: str, document: Document, rng: Generator) -> Document:
        table = self.vocabulary.table
        kept = [word for word in re.findall(r"\w+", text.lower()) if word in self.vocabulary]
        ids = np.resize(table.ids(kept or document.words), self.size)
        released = self.mechanism.release(ids, rng)
        return replace(document, words=tuple(table.words[i] for i in released))


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


PLAIN, MASTER, OWN, WORKER = default_rng(), default_rng(), local(), cache(seeded)


def laplace(table: Table, epsilon: float) -> NoisyNearest:
    return NoisyNearest(table, Laplace(epsilon))


@dataclass(frozen=True)
class Fault:
    """What is wrong, how to make it for a table and an ε, and where its randomness comes from."""

    what: str
    make: Callable[[Table, float], Mechanism | Obfuscator] = laplace
    source: Callable[[], Generator] = secure


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
    "word in the certificate": Fault(
        "the certificate names a word of the text",
        lambda t, e: LeakyCertificate.laplace(t, epsilon=e),
    ),
    "table not that of the certificate": Fault(
        "noise and search use unit vectors, the certificate names the table",
        lambda t, e: Obfuscator(v := Vocabulary.of(t), OtherTable(t, Laplace(e), v.ids)),
    ),
}
CONTROLS: dict[str, Callable[[Table, float], Mechanism | Obfuscator]] = {
    "laplace": laplace,
    "the whole program": lambda t, e: Obfuscator.laplace(t, epsilon=e),
    "vickrey": lambda t, e: NoisyNearest(t, Laplace(e), decoder=Vickrey()),
    "mahalanobis": lambda t, e: NoisyNearest(t, Mahalanobis.of(t, e)),
    "von Mises–Fisher": lambda t, e: NoisyNearest(t, VonMisesFisher(10 * e), image=Unit()),
    "polar": lambda t, e: NoisyNearest(t, PolarLaplace.of(t, e)),
    "projected, by rank": lambda t, e: NoisyNearest(
        t, Laplace(e), image=Projection(principal_directions(t, 10)), decoder=Rank()
    ),
    "tem": Tem,
}
