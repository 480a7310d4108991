"""Composers: from noisy means to words that fit them. They see nothing else, so they are free."""

from collections.abc import Callable

from nomdeplume.compose.herding import Herding
from nomdeplume.compose.kinds import Compose, Composer
from nomdeplume.compose.maxent import MaxEnt

__all__ = ["COMPOSERS", "Compose", "Composer", "Herding", "MaxEnt"]

COMPOSERS: dict[str, Callable[..., Composer]] = {"herding": Herding, "maxent": MaxEnt}
