"""The flow instrument inside a mechanism: what noise is added to, and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, is_dataclass, replace
from math import floor, log2
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.draws import suited
from nomdeplume.audit.finding import OPEN, Finding, observed
from nomdeplume.audit.parts import Instead
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.mechanism import Mechanism, NoisyMean, NoisyNearest, Ranked
from nomdeplume.noise import Noise
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import seeded
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

WORDS = 500
FOUND = ("features", "stretch")  # of a map, and the same under any noise


@dataclass(frozen=True)
class Watched:
    """Noise that remembers what it is added to, and sees only zeros if it is blind."""

    noise: Noise
    blind: bool = False
    seen: list[Floats] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.noise.name

    @property
    def guarantee(self) -> Guarantee:
        return self.noise.guarantee

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        self.seen.append(np.array(vectors))
        return self.noise.add(self._zeros(vectors) if self.blind else vectors, rng)

    def at(self, epsilon: float) -> Watched:
        return replace(self, noise=self.noise.at(epsilon))

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        return self.noise.standard(noisy, vectors)

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        return self.noise.log_density(noisy, vectors)

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        return self.noise.lifted(table, epsilon)

    def fitted(self, table: Table, epsilon: float) -> Watched:
        return replace(self, noise=self.noise.fitted(table, epsilon))

    def _zeros(self, vectors: Floats) -> Floats:
        return suited(self.noise, np.zeros_like(vectors))


@dataclass(frozen=True)
class Still(Watched):
    """Noise that adds nothing, so that all that is done beside it shows."""

    def add(self, vectors: Floats, rng: Generator) -> Floats:  # noqa: ARG002
        return np.array(vectors)


def with_noise(mechanism: NoisyMean, noise: Noise | Watched) -> NoisyMean:
    """The same mechanism under other noise; what took long to find of its map is taken along."""
    found = copy(mechanism)
    known = {name: vars(mechanism)[name] for name in FOUND if name in vars(mechanism)}
    vars(found).update(known, noise=noise)
    return found


def watched(mechanism: Any, *, blind: bool) -> tuple[Any, list[Floats]] | None:
    """The mechanism with its noise watched, if it is made of noise and something after it."""
    if not (is_dataclass(mechanism) and hasattr(mechanism, "noise")):
        return None
    noise = Watched(mechanism.noise, blind)
    spied: Any = replace(mechanism, noise=noise)  # type: ignore[type-var]
    return spied, noise.seen


def of_vectors(mechanism: Mechanism, *, certified: bool) -> Probe:
    """Noise is added once to the vector of each word, or to images that are no farther apart.

    Where a certificate names the table, its own vectors are due, or their image under the map
    that the mechanism names.
    """
    image = getattr(mechanism, "image", None)
    question = f"noise is added to the {'image of the ' if image else ''}table's own vectors"

    def ask(share: Share) -> Finding:
        ids = np.random.default_rng(1).integers(0, len(mechanism.table), WORDS)
        if not (spied := watched(mechanism, blind=False)):
            return Finding("flow", question, OPEN, "there is no noise to watch")
        spied[0].release(ids, share.rng)
        vectors = mechanism.table.vectors[ids].astype(np.float64)
        due = image(vectors) if image else vectors
        seen = np.concatenate(spied[1]) if spied[1] else np.empty((0, 1))
        if len(seen) != len(due):
            return Finding("flow", question, OPEN, f"to {len(seen):,} vectors for {WORDS:,} words")
        same = seen.shape == due.shape and bool((seen == due).all())
        if same and not image:
            return observed(question, "bit for bit", holds=True, samples=WORDS)
        if certified and not same:
            return observed(question, "to others than those of the certificate", holds=False)
        before, after = (each.guarantee.ground("words") for each in (mechanism, spied[0].noise))
        promised = before.apart(vectors, vectors)
        near = bool((after.apart(seen, seen) <= promised * (1 + 1e-9) + 1e-12).all())
        found = "to a contraction of them" if near else "to others, which are farther apart"
        return observed(question, found, holds=near, samples=WORDS)

    return Probe(question, ask, 0.1)


def of_grid(mechanism: NoisyNearest) -> Probe:
    """Noisy vectors are decoded from points of the public grid: others show the vector's digits."""
    question = "vectors are decoded from points of the public grid"

    def ask(share: Share) -> Finding:
        spied, seen = copy(mechanism), list[Floats]()

        def decode(noisy: Floats, rng: Generator) -> Ids:
            seen.append(noisy)
            return mechanism.decode(noisy, rng)

        vars(spied)["decode"] = decode
        spied.release(np.random.default_rng(1).integers(0, len(mechanism.table), WORDS), share.rng)
        return on_grid(question, seen, mechanism.places.radius)

    return Probe(question, ask, 0.1)


def on_grid(question: str, seen: Sequence[Floats], radius: float) -> Finding:
    """Return True if all coordinates are multiples of 2⁻²³ of a radius, as a power of two.

    Float64 is finer than that, and noise is coarser (docs/floats.md).
    """
    numbers = np.concatenate([each.ravel() for each in seen] or [np.empty(0)])
    if not len(numbers):
        return Finding("flow", question, OPEN, "what follows the noise cannot be watched")
    steps = numbers / 2.0 ** (floor(log2(radius or 1.0)) - 23)
    off = int((steps != np.rint(steps)).sum())
    evidence = f"{off:,} of {len(numbers):,} coordinates are off the grid"
    return observed(question, evidence, holds=not off, samples=len(numbers))


def of_interference(mechanism: Mechanism, world: str) -> Probe:
    """What comes after the noise sees nothing of the word: noise around 0 hides it entirely.

    Any words are tried, and those that came out, which a decoder might avoid or prefer.
    """
    question = "what follows the noise sees nothing else"

    def ask(_: Share) -> Finding:
        if not (spied := watched(mechanism, blind=True)):
            return Finding("flow", question, OPEN, "there is no noise to watch", world=world)
        finding = _blind(spied[0].release, np.arange(len(mechanism.table)), question)
        return replace(finding, world=world)

    return Probe(question, ask, 0.2)


def of_step(mechanism: Ranked, kept: Ids, world: str) -> Probe:
    """A step sees the released words alone: from the same ones it comes to the same.

    Fixed words are released in place of any; they are tried too, which a step might avoid.
    """
    question = "the step sees nothing but the released word"

    def ask(_: Share) -> Finding:
        outputs = mechanism.outputs
        able = np.arange(len(mechanism.table)) if outputs is None else outputs
        fixed = np.random.default_rng(2).choice(able, WORDS)
        hidden = Instead(mechanism.mechanism, lambda ids: np.resize(fixed, len(ids)))
        finding = _blind(replace(mechanism, mechanism=hidden).release, kept, question, fixed)
        return replace(finding, world=world)

    return Probe(question, ask, 0.2)


def _blind(
    release: Callable[[Ids, Generator], Ids], kept: Ids, question: str, *also: Ids
) -> Finding:
    """Whether releases are the same under one stream, whatever kept words they are of."""

    def released(ids: Ids) -> Ids:
        return np.asarray(release(ids, seeded(0)))

    same = np.full(WORDS, kept[0])
    first = released(same)
    if (first != released(same)).any():
        found = "it draws from another generator than it is given"
        return Finding("flow", question, OPEN, found)
    any_words = kept[np.random.default_rng(1).integers(0, len(kept), WORDS)]
    tried = [np.where(np.isin(ids, kept), ids, same) for ids in (any_words, first, *also)]
    unlike = int(sum((first != released(ids)).sum() for ids in tried))
    found = f"{unlike:,} of {len(tried) * WORDS:,} releases depend on the word"
    return observed(question, found, holds=not unlike, samples=(2 + len(tried)) * WORDS)
