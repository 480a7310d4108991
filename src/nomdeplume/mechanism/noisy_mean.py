"""Noise on the mean of a document's features, then words that fit it."""

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

from nomdeplume.bag import Bag, Item
from nomdeplume.compose import Compose, Composer, Herding
from nomdeplume.compose.belief import Belief
from nomdeplume.distance import diameter
from nomdeplume.distance.cloud import distances
from nomdeplume.distance.metrics import Means
from nomdeplume.errors import InputError, stated
from nomdeplume.mechanism.contract import (
    BagOfWords,
    Declaration,
    DocumentMechanism,
    Form,
    Parameter,
    Released,
    Settings,
)
from nomdeplume.mechanism.image import FeatureMap
from nomdeplume.mechanism.inputs import all_of, in_order, looked_up, prepared, renewed
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.mechanism.stretch import features_of, stretch
from nomdeplume.mechanism.word_by_word import (
    bag_of_words,
    common,
    distance_of,
    fits,
    median,
    metric_of,
)
from nomdeplume.noise import Laplace, Noise, to_grid
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.exact import laplace_channel
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.promise import OneWord
from nomdeplume.reduction import KEPT_BAGS, Kept, chosen
from nomdeplume.table import Table
from nomdeplume.threads import ONE_THREAD_EACH
from nomdeplume.vocabulary import Vocabulary

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
        found |= self.image.settings if self.image else {}
        found["map"] = found.pop("directions", found["map"])
        if self.belief is not None:
            found["gain"] = self.belief.gain
        if self.weights is not None:
            found["weights"] = sha256(self.weights.tobytes()).hexdigest()
        return {**found, "stretch": self.stretch, **self.composer.settings}

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            parameter=Parameter("E", "budget", per_word=False),
            reductions=("mean",),
            inputs=self.inputs,
            channel=self._channel if self._on_a_line else None,
            at=self.at,
            elsewhere=self.elsewhere,
            means=self,
        )

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism:
        chosen(reduction, ("mean",), self.name)
        fits(self, vocabulary)
        return MeanDocuments(self, vocabulary, size)

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

    def at(self, epsilon: float) -> Self:
        """The same mechanism under another budget."""
        return self.under(self.noise.at(epsilon))

    def under(self, noise: Noise) -> Self:
        """The same with other noise; features and composer take long, and do not depend on it."""
        _ = self.composed, self._middle, self.diameter, self.grid  # found once, for all copies
        return renewed(self, *SHARED, noise=noise)

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

    @property
    def laplace(self) -> bool:
        """True if the noise is Laplace noise that nothing changes: a subclass may do anything."""
        return type(self) is NoisyMean and type(self.noise) is Laplace

    @property
    def _on_a_line(self) -> bool:
        """True if a document of one word is the word nearest to a point with noise on a line."""
        plain = self.composer.name == "herding" and self.belief is None and self.weights is None
        everything = len(self._outputs) == len(self.table)
        law = type(self) is NoisyMean and self.noise.name == "laplace"  # or what claims it
        return law and plain and everything and self.dimensions == 1

    def _channel(self, ids: Ids) -> Floats:
        places = self.features.vectors[:].astype(np.float64).ravel() / self.stretch
        return laplace_channel(places, self.guarantee.epsilon, places[ids])

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, and the stretch, which takes long to find. Nobody is told elsewhere."""
        return {**prepared(self), "stretch": self.stretch, "tell": None}


ONE = np.ones(1, dtype=np.int64)
MADE_FOR = (
    "A release by the mean is made for sorting and counting many texts by broad subject. It is "
    "not made for reading: do not rely on it for what a single text says, and a short or mixed "
    "text may come out under a wrong subject."
)
SHARED = (
    "features",
    "stretch",
    "diameter",
    "grid",
    "composed",
    "_places",
    "_middle",
)  # by any noise


@dataclass(frozen=True, eq=False)
class MeanDocuments:
    """Releases a document by the mean of its features, from which `size` words are composed."""

    words: NoisyMean
    vocabulary: Vocabulary
    size: int
    of_texts: int = 2
    advice: str = MADE_FOR
    exact: bool = False
    kept_words: bool = True
    blanket: None = None
    covers: str = ""
    reduction: str = "mean"
    unchanged: None = None
    agreement: None = None
    by_ticket: None = None
    batch: int = 1024
    many: int = 1024
    per_worker: int = 256

    @property
    def name(self) -> str:
        return self.words.name

    @property
    def parameter(self) -> Parameter:
        return self.words.declaration.parameter

    @property
    def value(self) -> float:
        return self.words.guarantee.epsilon

    @property
    def settings(self) -> Settings:
        return self.words.settings

    @cached_property
    def form(self) -> Form:
        return self._bags

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """Between two texts by their mean features, and by W₁, which these never exceed."""
        noise, kept = self.words.guarantee, Kept(self.vocabulary)
        means = Means(diameter=self.words.diameter)
        nearer = Guarantee(noise.epsilon, means, (*noise.proofs, "mean"))
        bags = noise.over_means()
        return (
            nearer.prepared(self._mean, between="two texts' mean features"),
            bags.prepared(kept, between="two texts' bags of kept words, of any lengths"),
        )

    @property
    def distance(self) -> str:
        return distance_of(self.words, self.vocabulary, KEPT_BAGS)

    @property
    def metric(self) -> str:
        return metric_of(self.words)

    @property
    def read_as(self) -> Table:
        return self.words.features

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism:
        return self.words.documents(vocabulary, size, reduction)

    def at(self, budget: float) -> NoisyMean:
        return self.words.at(budget)

    def item(self, text: str) -> Bag:
        return self.vocabulary.bag(text)

    def release(self, items: Sequence[Item], rng: Generator) -> list[Released]:
        bags = self.vocabulary.bagged(items)
        with ONE_THREAD_EACH:  # products of means are small
            noisy = self.words.noisy([self.vocabulary.or_public(bag) for bag in bags], rng)
            ids = self.words.compose(noisy, self.size, rng)
        texts, kept = self._bags.texts(ids), [bool(len(bag)) for bag in bags]
        return list(map(Released, texts, noisy.tolist(), kept))

    def log_chances(self, released: Sequence[Released], items: Sequence[Item]) -> Floats | None:
        """The log density of the noisy mean behind each release: its words are made of that."""
        means = [each.mean for each in released if each.mean is not None]
        if not self.words.laplace or len(means) < len(released):
            return None
        bags = [self.vocabulary.filled(item) for item in items]
        return self.words.noise.log_density(np.array(means), self.words.means(bags))

    def account(self, x: Item, y: Item) -> Account | None:
        return self._of(float(np.linalg.norm(self._mean(x) - self._mean(y))))

    def any_two(self) -> Account | None:
        return self._of(self.words.diameter)

    def one_word(self) -> OneWord:
        """E·‖φ(v) − φ(w)‖/m: one word of m moves their mean by an m-th of its own way."""
        mean, ids = self.words, common(self.vocabulary)
        places = mean.features.vectors[ids].astype(np.float64) / mean.stretch
        usual = self.value * median(distances(places, places))
        return OneWord.of(self.value * mean.diameter, usual)

    def _of(self, apart: float) -> Account | None:
        if not self.words.laplace:
            return None
        return Account.of_bags(self.words.noise.guarantee.epsilon, [apart], self.words.dimensions)

    def _mean(self, text: Item) -> Floats:
        """The mean features of a text or a bag; no words count as the public bag."""
        [mean] = self.words.means([self.vocabulary.filled(text)])
        return np.asarray(mean)

    @cached_property
    def _bags(self) -> BagOfWords:
        return bag_of_words(self.words, self.vocabulary, self.size, self.words.grid)
