"""The flow instrument inside a mechanism: what noise is added to, and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import floor, log2
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.audit.draws import suited
from nomdeplume.audit.finding import OPEN, Finding, observed
from nomdeplume.audit.parts import released_as
from nomdeplume.audit.probe import Probe, Share
from nomdeplume.mechanism.contract import Mechanism, NoisyVectors, Step
from nomdeplume.noise import Noise
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import seeded
from nomdeplume.table import Table

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

WORDS = 500


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

    @property
    def settings(self) -> dict[str, float | str]:
        return self.noise.settings

    def add(self, vectors: Floats, rng: Generator) -> Floats:
        self.seen.append(np.array(vectors))
        return self.noise.add(self._zeros(vectors) if self.blind else vectors, rng)

    def at(self, epsilon: float) -> Self:
        return replace(self, noise=self.noise.at(epsilon))

    def standard(self, noisy: Floats, vectors: Floats) -> Floats:
        return self.noise.standard(noisy, vectors)

    def log_density(self, noisy: Floats, vectors: Floats) -> Floats:
        return self.noise.log_density(noisy, vectors)

    def lifted(self, table: Table, epsilon: float) -> tuple[Table, float]:
        return self.noise.lifted(table, epsilon)

    def fitted(self, table: Table, epsilon: float) -> Self:
        return replace(self, noise=self.noise.fitted(table, epsilon))

    def _zeros(self, vectors: Floats) -> Floats:
        return suited(self.noise, np.zeros_like(vectors))


@dataclass(frozen=True)
class Still(Watched):
    """Noise that adds nothing, so that all that is done beside it shows."""

    def add(self, vectors: Floats, rng: Generator) -> Floats:  # noqa: ARG002
        return np.array(vectors)


def watched(mechanism: NoisyVectors, *, blind: bool) -> tuple[Mechanism, Watched]:
    """The mechanism with its noise watched, and that noise."""
    noise = Watched(mechanism.noise, blind)
    return mechanism.under(noise), noise


def of_vectors(mechanism: NoisyVectors, *, certified: bool) -> Probe:
    """Noise is added once to the vector of each word, or to images that are no farther apart.

    Where a certificate names the table, its own vectors are due, or their image under the map
    that the mechanism names.
    """
    image = mechanism.image
    question = f"noise is added to the {'image of the ' if image else ''}table's own vectors"

    def ask(share: Share) -> Finding:
        ids = np.random.default_rng(1).integers(0, len(mechanism.table), WORDS)
        spied, noise = watched(mechanism, blind=False)
        spied.release(ids, share.rng)
        vectors = mechanism.table.vectors[ids].astype(np.float64)
        due = image(vectors) if image else vectors
        seen = np.concatenate(noise.seen) if noise.seen else np.empty((0, 1))
        if len(seen) != len(due):
            return Finding("flow", question, OPEN, f"to {len(seen):,} vectors for {WORDS:,} words")
        same = seen.shape == due.shape and bool((seen == due).all())
        if same and not image:
            return observed(question, "bit for bit", holds=True, samples=WORDS)
        if certified and not same:
            return observed(question, "to others than those of the certificate", holds=False)
        before, after = (each.guarantee.ground("words") for each in (mechanism, noise))
        promised = before.apart(vectors, vectors)
        near = bool((after.apart(seen, seen) <= promised * (1 + 1e-9) + 1e-12).all())
        found = "to a contraction of them" if near else "to others, which are farther apart"
        return observed(question, found, holds=near, samples=WORDS)

    return Probe(question, ask, 0.1)


def of_grid(mechanism: NoisyVectors) -> Probe:
    """Noisy vectors are decoded from points of the public grid: others show the vector's digits."""
    question = "vectors are decoded from points of the public grid"

    def ask(share: Share) -> Finding:
        seen = list[Floats]()

        def decode(noisy: Floats, rng: Generator) -> Ids:
            seen.append(noisy)
            return mechanism.decode(noisy, rng)

        spied = mechanism.decoded(decode)
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


def of_interference(mechanism: NoisyVectors, world: str) -> Probe:
    """What comes after the noise sees nothing of the word: noise around 0 hides it entirely.

    Any words are tried, and those that came out, which a decoder might avoid or prefer.
    """
    question = "what follows the noise sees nothing else"

    def ask(_: Share) -> Finding:
        spied = watched(mechanism, blind=True)[0]
        finding = _blind(spied.release, np.arange(len(mechanism.table)), question)
        return replace(finding, world=world)

    return Probe(question, ask, 0.2)


def of_step(mechanism: Step, kept: Ids, world: str) -> Probe:
    """A step sees the released words alone: from the same ones it comes to the same.

    Fixed words are released in place of any; they are tried too, which a step might avoid.
    """
    question = "the step sees nothing but the released word"

    def ask(_: Share) -> Finding:
        outputs = mechanism.outputs
        able = np.arange(len(mechanism.table)) if outputs is None else outputs
        fixed = np.random.default_rng(2).choice(able, WORDS)
        hidden = released_as(mechanism.mechanism, lambda ids: np.resize(fixed, len(ids)))
        finding = _blind(mechanism.after(hidden).release, kept, question, fixed)
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
