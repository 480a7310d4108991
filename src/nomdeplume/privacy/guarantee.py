"""A promise as a value: how far one release can shift anyone's odds between two inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nomdeplume.distance import Bottleneck, Euclidean, Metric, WordMover
from nomdeplume.distance.word_mover import Counts, Points
from nomdeplume.errors import positive, whole

EUCLIDEAN = Euclidean()


@dataclass(frozen=True)
class Guarantee:
    """Metric privacy: Pr[M(x) ∈ S] ≤ exp(ε·d(x, y)) · Pr[M(y) ∈ S] for all x, y, S.

    >>> word = Guarantee(epsilon=2.0)
    >>> word.loss([0, 0], [0, 3])
    6.0
    >>> bag = word.over_bags(size=10)
    >>> bag.formula, bag.proofs
    ('20 · W₁', ('bags',))
    """

    epsilon: float
    metric: Metric = EUCLIDEAN
    proofs: tuple[str, ...] = ()  # docs/proofs/<name>.md, checked by tests/docs/test_proofs.py
    between: str = "two words"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def formula(self) -> str:
        """The bound on the loss, such as `600 · W₁`."""
        return f"{self.epsilon:.12g} · {self.metric.symbol}"

    def loss(self, x: Points, y: Points, a: Counts | None = None, b: Counts | None = None) -> float:
        """Most that one release can shift the log-odds between `x` and `y`, in nats."""
        return self.epsilon * self.metric(x, y, a, b)

    def over_bags(self, size: int) -> Guarantee:
        """The guarantee of releasing `size` words independently and forgetting their order.

        Any matching of the two bags bounds the loss by the sum of its word
        losses; the cheapest matching sums to size·W₁.
        """
        return self._over(size, WordMover(), "bags", f"two bags of {size} kept words")

    def over_samples(self, size: int) -> Guarantee:
        """The guarantee between two texts from each of which `size` words are drawn.

        Couple the draws by a plan whose longest move is W∞: every pair of draws
        is then at most W∞ apart. Under W₁ no such bound holds (docs/proofs/sampling.md).
        """
        return self._over(size, Bottleneck(), "sampling", "two texts' bags of kept words")

    def _over(self, size: int, metric: Metric, proof: str, between: str) -> Guarantee:
        epsilon = self.epsilon * whole("size", size)
        return replace(
            self, epsilon=epsilon, metric=metric, proofs=(*self.proofs, proof), between=between
        )
