"""The word that a noisy vector most probably came from, given how common words are."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.random import Generator

from nomdeplume.decode.kinds import Decode, Floats, Ids
from nomdeplume.errors import InputError
from nomdeplume.noise import Noise
from nomdeplume.table import Table
from nomdeplume.threads import cores, each

QUERIES, WORDS = 512, 4096  # compared together: 16 MiB a thread, a few times over


@dataclass(frozen=True, eq=False)
class Bayes:
    """The word v with the largest π(v)·density(z | v), the first of several.

    π are public weights, one a word of the table; Zipf's law over its order if none are given.
    """

    weights: Floats | None = None  # (V,)
    name: str = "bayes"

    def __post_init__(self) -> None:
        if self.weights is not None:
            given = np.asarray(self.weights, dtype=np.float64)
            if given.ndim != 1 or not (np.isfinite(given) & (given >= 0)).all():
                raise InputError("weights must be finite numbers of at least 0, one a word.")

    @property
    def settings(self) -> dict[str, float | str]:
        found: dict[str, float | str] = {"decode": self.name}
        if self.weights is not None:
            weights = np.asarray(self.weights, dtype="<f8")
            found["weights"] = sha256(weights.tobytes()).hexdigest()
        return found

    @property
    def proofs(self) -> tuple[str, ...]:
        return ("postprocessing",)

    def over(self, places: Table, outputs: Ids | None, noise: Noise) -> Decode:
        weights = zipf(places) if self.weights is None else np.asarray(self.weights)
        if len(weights) != len(places):
            raise InputError(f"{len(places)} words need as many weights, got {len(weights)}.")
        ids = np.arange(len(places)) if outputs is None else outputs
        ids = ids[weights[ids] > 0]
        if not len(ids):
            raise InputError("at least one word must have a weight above 0, got none.")
        logs = np.log(weights[ids])

        def most_probable(noisy: Floats) -> Ids:
            best, found = np.full(len(noisy), -np.inf), np.full(len(noisy), ids[0])
            for start in range(0, len(ids), WORDS):
                some = ids[start : start + WORDS]
                scores = noise.log_density(noisy, places.vectors[some].astype(np.float64))
                scores += logs[start : start + WORDS]
                at = scores.argmax(axis=1)
                score = scores[np.arange(len(noisy)), at]
                found, best = np.where(score > best, some[at], found), np.maximum(score, best)
            return found

        def decode(noisy: Floats, _: Generator) -> Ids:
            starts = range(0, len(noisy), QUERIES)
            parts = each(lambda i: most_probable(noisy[i : i + QUERIES]), starts, cores())
            return np.concatenate([np.empty(0, dtype=np.int64), *parts])

        return decode

    def again(self, before: Decode, places: Table, outputs: Ids | None, noise: Noise) -> Decode:  # noqa: ARG002
        return self.over(places, outputs, noise)

    def elsewhere(self) -> Bayes:
        return Bayes()


def zipf(table: Table) -> Floats:
    """Weights ∝ 1/(rank + 2.7), as tables list their words by frequency (Mandelbrot)."""
    return np.asarray(1 / (np.arange(len(table)) + 2.7))
