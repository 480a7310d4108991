"""The document level: noise on the mean of a document's features, then words that fit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from math import floor, log2
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.compose import Compose, Composer, Herding
from nomdeplume.compose.belief import Belief
from nomdeplume.distance import diameter
from nomdeplume.errors import InputError, stated
from nomdeplume.mechanism.image import FeatureMap
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, made_of
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.stretch import features_of, stretch
from nomdeplume.noise import Noise, to_grid
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.table import Table

if TYPE_CHECKING:
    from nomdeplume.mechanism.tight import Tell

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NoisyMean:
    """Add noise to the mean of a document's features, then compose words that fit it.

    Features are vectors, or a public `image` of them, divided by what it stretches distances
    by, at most: then means are no farther apart than words move from one bag to the other,
    and noise of parameter E promises E·W₁, for bags of any two sizes (docs/proofs/mean.md).
    What follows the noise is handed the noisy mean alone. A word is a document of one word.
    """

    table: Table
    noise: Noise  # its ε is the budget of a document
    inputs: Ids | None = None  # the kept words; all of the table if none are given
    outputs: Ids | None = field(default=None, kw_only=True)  # that words are composed of
    image: FeatureMap | None = field(default=None, kw_only=True)
    composer: Composer = field(default=Herding(), kw_only=True)
    weights: Floats | None = field(default=None, kw_only=True)  # (V,), public, of output words
    belief: Belief | None = field(default=None, kw_only=True)  # about documents, public
    name: str = field(default="mean", kw_only=True)
    reductions: tuple[str, ...] = field(default=("mean",), kw_only=True)
    memory: Memory | None = field(default=None, kw_only=True, repr=False)
    tell: Tell | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", in_order(self.table, self.inputs))
        outputs = self.inputs if self.outputs is None else self.outputs
        object.__setattr__(self, "outputs", in_order(self.table, outputs))
        if self.weights is not None:
            from nomdeplume.mechanism.exponential import weighed

            object.__setattr__(self, "weights", weighed(self.weights, self.table, self._outputs))
        _ = self.guarantee.over_means()  # refuse now what cannot be promised
        stated("the budget", self.noise.guarantee.epsilon, 2 * self.reach)
        least = self.dimensions / (2.0**42 * self.grid)
        if self.noise.guarantee.epsilon < least:
            raise InputError(
                f"the budget must be at least {least:.3g} on this table, got "
                f"{self.noise.guarantee.epsilon!r}: below, floats cannot hold the noise."
            )

    @property
    def guarantee(self) -> Guarantee:
        """That of the noise, between the features of two words as between any two vectors."""
        return self.noise.guarantee

    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it besides its name and its budget: for a certificate."""
        found: dict[str, float | str] = {"map": "vectors", "dimensions": self.dimensions}
        found |= getattr(self.image, "settings", {})
        found["map"] = found.pop("directions", found["map"])
        if self.belief is not None:
            found["gain"] = self.belief.gain
        if self.weights is not None:
            found["weights"] = sha256(self.weights.tobytes()).hexdigest()
        return {**found, "stretch": self.stretch, **self.composer.settings}

    @property
    def dimensions(self) -> int:
        return self.features.dimensions

    @cached_property
    def features(self) -> Table:
        """Every word of the table with its features, before they are divided."""
        return features_of(self.table, self.image, all_of(self.table, self.inputs))

    @cached_property
    def stretch(self) -> float:
        """How much farther apart features are than vectors, at most: over all pairs of inputs."""
        ids = all_of(self.table, self.inputs)
        return stretch(self.table, self.features, ids, memory=self.memory, tell=self.tell)

    @cached_property
    def grid(self) -> float:
        """Step of the public grid for noisy means: 2⁻²³ of how far features reach."""
        return 2.0 ** (floor(log2(self.reach or 1.0)) - 23)

    @property
    def reach(self) -> float:
        """How far the features of a word are from their centre, at most."""
        return self.features.radius / self.stretch

    @cached_property
    def diameter(self) -> float:
        """Largest distance between the features of two kept words: no two means are farther."""
        inputs = all_of(self.table, self.inputs)
        return diameter(self.features.vectors, inputs) / self.stretch

    @cached_property
    def composed(self) -> Compose:
        """From noisy means to words; it is made of public things and gets nothing else."""
        places = self._places
        weights = None if self.weights is None else self.weights[self._outputs]
        return self.composer.over(places, self._outputs, weights)

    def means(self, bags: Sequence[Bag]) -> Floats:
        """The mean features of each bag, (n, m). A bag must hold a word, an input all of them."""
        if not bags:
            return np.empty((0, self.dimensions))
        ids, counts = (np.concatenate([getattr(bag, n) for bag in bags]) for n in ("ids", "counts"))
        looked_up(ids, self.table, self.inputs)
        sizes = np.array([len(bag.ids) for bag in bags])
        if not sizes.all():
            raise InputError("a bag without words has no mean; a public bag stands in for it.")
        weighted = self.features.vectors[ids] * counts[:, None].astype(np.float64)
        starts = np.cumsum(sizes) - sizes
        totals = np.add.reduceat(counts, starts) * self.stretch
        return np.asarray(np.add.reduceat(weighted, starts, axis=0) / totals[:, None])

    def noisy(self, bags: Sequence[Bag], rng: Generator) -> Floats:
        """The mean features of each bag under noise: safe to release, and all that follows sees."""
        return to_grid(self.noise.add(self.means(bags), rng), self.grid)

    def compose(self, noisy: Floats, size: int, rng: Generator) -> Ids:
        """`size` words that fit each noisy mean, (n, size)."""
        if self.belief is not None:
            noisy = self.belief.targets(noisy, self.stretch, self._middle)
        return self.composed(noisy, size, rng)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        """Each word released as a document of one word."""
        bags = [Bag(ids[i : i + 1], ONE) for i in range(len(ids))]
        return self.compose(self.noisy(bags, rng), 1, rng)[:, 0]

    def under(self, noise: Noise) -> Self:
        """The same with other noise; features and composer take long, and do not depend on it."""
        renewed = object.__new__(type(self))
        shared = {name: getattr(self, name) for name in SHARED}
        vars(renewed).update(made_of(self) | shared | {"noise": noise})
        renewed.__post_init__()
        return renewed

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same mechanism for another table, all of whose words may come out."""
        image = self.image.fitted(table) if self.image else None
        noise = self.noise.fitted(table, epsilon)
        composer = self.composer.elsewhere()
        return replace(
            self,
            table=table,
            noise=noise,
            inputs=None,
            outputs=None,
            image=image,
            composer=composer,
            weights=None,
            belief=None,
            memory=None,
            tell=None,
        )

    @cached_property
    def _places(self) -> Floats:
        """The features of the words that may come out."""
        return np.asarray(self.features.vectors[self._outputs] / np.float64(self.stretch))

    @cached_property
    def _middle(self) -> Floats:
        return np.asarray(self._places.mean(axis=0))

    @property
    def _outputs(self) -> Ids:
        return all_of(self.table, self.outputs)

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, and the stretch, which takes long to find. Nobody is told elsewhere."""
        return {**made_of(self), "stretch": self.stretch, "tell": None}


ONE = np.ones(1, dtype=np.int64)
SHARED = (
    "features",
    "stretch",
    "diameter",
    "grid",
    "composed",
    "_places",
    "_middle",
)  # by any noise
