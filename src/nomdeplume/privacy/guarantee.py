"""A promise as a value: how far one release can shift anyone's odds between two inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isclose, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nomdeplume.distance import (
    Bottleneck,
    Euclidean,
    Ground,
    Metric,
    Prepared,
    Summed,
    WordMover,
)
from nomdeplume.distance.cloud import numbers
from nomdeplume.errors import InputError, positive, whole
from nomdeplume.privacy.loss import Loss

EUCLIDEAN = Euclidean()
BETWEEN = "distances between "  # the start of the name of a distance in which budgets add up


@dataclass(frozen=True)
class Guarantee:
    """Metric privacy: Pr[M(x) ∈ S] ≤ exp(ε·d(x, y)) · Pr[M(y) ∈ S] for all x, y, S.

    What is done with a mechanism is done with its guarantee: each method below names a
    way of using it, and gives what is promised then. The first comes from a noise.

    >>> word = Guarantee(epsilon=2.0)
    >>> word.loss([0, 0], [0, 3])
    6.0
    >>> bag = word.over_bags(size=10)
    >>> bag.formula, bag.proofs
    ('20 · W₁', ('bags',))
    >>> author = bag.over_documents(12)
    >>> author.formula, author.between
    ('20 · ΣW₁', "two authors' 12 documents, each pair two bags of 10 kept words")
    """

    epsilon: float
    metric: Metric = EUCLIDEAN
    proofs: tuple[str, ...] = ()  # docs/proofs/<name>.md, checked by tests/docs/test_proofs.py
    between: str = "two words"
    anywhere: bool = True  # whether it holds between any two vectors, not only a table's words

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def formula(self) -> str:
        """The bound on the loss, such as `600 · W₁`."""
        factor = f" · {self.metric.symbol}" if self.metric.symbol else ""
        return f"{self.epsilon:.12g}{factor}"

    def loss(self, x: Any, y: Any) -> Loss:
        """Most that one release can shift the log-odds between `x` and `y`, in nats.

        These are what the guarantee is between: texts, of which only kept words count, or
        bags of vectors, or vectors. It is infinite where nothing is promised.
        """
        distance = self.metric(x, y)
        loss = Loss(self.epsilon * distance)
        if isfinite(distance) and not isfinite(loss):
            raise InputError("a loss this large cannot be stated.")
        return loss

    def over_bags(self, size: int) -> Guarantee:
        """Of releasing `size` words independently and forgetting their order.

        Any matching of the two bags bounds the loss by the sum of its word
        losses; the cheapest matching sums to size·W₁.
        """
        epsilon, ground = self.epsilon * whole("size", size), self.ground("bags")
        between = f"two bags of {size} kept words"
        return self._then("bags", epsilon, WordMover(size=size, ground=ground), between)

    def over_samples(self, size: int) -> Guarantee:
        """Of drawing `size` words from each of two texts, with replacement, and releasing them.

        Couple the draws by a plan whose longest move is W∞: every pair of draws
        is then at most W∞ apart. Under W₁ no such bound holds (docs/proofs/sampling.md).
        """
        epsilon, ground = self.epsilon * whole("size", size), self.ground("samples")
        between = "two texts' bags of kept words"
        return self._then("sampling", epsilon, Bottleneck(ground=ground), between)

    def over_means(self) -> Guarantee:
        """Of releasing the mean of a bag's vectors, by a noise that takes any vector.

        Whatever plan turns one bag into the other, the means are no farther apart than
        words move on average: the mean is 1-Lipschitz in W₁, for bags of any sizes.
        """
        between = "two bags of kept words, of any sizes"
        return self._then("mean", self._of_vectors("means"), WordMover(), between)

    def over_documents(self, count: int) -> Guarantee:
        """Between two authors who wrote `count` released documents each: losses add up.

        Inputs are then sequences of documents, compared first with first and so on.
        """
        between = f"two authors' {whole('count', count)} documents, each pair {self.between}"
        return self._then("adding", self.epsilon, Summed(self.metric, count), between)

    def over_releases(self, count: int) -> Guarantee:
        """Of releasing the same input `count` times with fresh noise: losses add up."""
        return self._then("adding", self.epsilon * whole("count", count), self.metric, self.between)

    def projected(self, projection: ArrayLike) -> Guarantee:
        """Of noise on the image under a public linear map, (m, k), in the metric before it.

        Images are at most L times as far apart, L the map's largest singular value: an
        orthogonal projection has L = 1, and costs nothing in the metric of all k dimensions.
        """
        matrix = numbers(projection)
        if matrix.ndim != 2 or not matrix.any():
            raise InputError("a projection must be a table of numbers, (m, k), not all of them 0.")
        stretch = float(np.linalg.norm(matrix, ord=2))
        return self.contracted(1.0 if isclose(stretch, 1.0, rel_tol=1e-13) else stretch)

    def contracted(self, lipschitz: float) -> Guarantee:
        """Of noise on the image under a public map f, where ‖f(x) − f(y)‖ ≤ L·‖x − y‖."""
        stretch = positive("lipschitz", lipschitz)
        return self._then("contraction", self._of_vectors("images") * stretch)

    def prepared(self, prepare: Callable[[Any], Any], *, between: str) -> Guarantee:
        """Of turning inputs into others by a public function without chance, and releasing these.

        The distance is that between what they are turned into. Keeping some words, and
        reducing a bag to a size, are such functions (docs/proofs/kept.md).
        """
        return self._then("kept", self.epsilon, Prepared(self.metric, prepare), between)

    def ground(self, what: str) -> Ground:
        """The metric, if this is a guarantee between words, which others are built on."""
        if not isinstance(self.metric, Ground):
            raise InputError(f"a guarantee over {what} follows from one between two words only.")
        return self.metric

    def _of_vectors(self, what: str) -> float:
        """ε, if this is a guarantee of noise: one between any two vectors, in all directions."""
        if type(self.metric) is not Euclidean or not self.anywhere:
            raise InputError(f"a guarantee over {what} follows from one between any two vectors.")
        return self.epsilon

    def _then(
        self, proof: str, epsilon: float, metric: Metric | None = None, between: str | None = None
    ) -> Guarantee:
        if not isfinite(epsilon):
            raise InputError("a budget this large cannot be stated.")
        return replace(
            self,
            epsilon=epsilon,
            metric=metric or self.metric,
            proofs=(*self.proofs, proof),
            between=between or self.between,
        )
