"""A model fitted on a library: weights of its own words, for topics or for latent directions."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nomdeplume.errors import InputError
from nomdeplume.text import words

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """tf-idf of a list of words, times a matrix: r topics, or r latent directions."""

    words: tuple[str, ...]
    idf: Floats  # (V,)
    matrix: Floats  # (V, r)
    bias: Floats  # (r,)
    language: str
    topics: tuple[str, ...] = ()  # none for latent directions
    on_topic: tuple[tuple[int, float], ...] = ()  # k, and how clearly the k best are on the topic
    topic_size: float = 0.0  # how clearly all texts of the topic of a text are on it, on average

    def __post_init__(self) -> None:
        size, wide = len(self.words), len(self.bias)
        fits = self.idf.shape == (size,) and self.matrix.shape == (size, wide)
        finite = all(np.isfinite(each).all() for each in (self.matrix, self.idf, self.bias))
        if not (fits and finite and size) or (self.topics and len(self.topics) != wide):
            raise InputError("the model of a library must have a row of weights for each word.")
        if self.topics and (not self.on_topic or min(k for k, _ in self.on_topic) < 1):
            raise InputError("the model of a library must say how clear its topics are.")

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """The probability of each topic, (n, r)."""
        scores = self._weighed(texts) + self.bias
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def directions(self, texts: Sequence[str]) -> Floats:
        """Unit vectors in the latent directions, (n, r); 0 for a text without known words."""
        found = self._weighed(texts)
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))

    def best(self, odds: int, size: int) -> int:
        """The number k of best texts with which a release is most clearly on the topic.

        Of the k best, h are on the topic of a held-out text, so a release is with the probability
        (w·h + T − h)/Z, where T texts are on it and Z = k·w + M − k. In h and T each text counts
        by how clear its topic is.
        """

        def chance(pair: tuple[int, float]) -> float:
            k, hits = pair
            return ((odds - 1) * hits + self.topic_size) / (k * (odds - 1) + size)

        return max(self.on_topic, key=chance)[0]

    def _weighed(self, texts: Sequence[str]) -> Floats:
        """tf-idf of unit length, times the matrix, (n, r); tf is 1 + log of the count."""
        found = np.zeros((len(texts), len(self.bias)))
        for row, text in enumerate(texts):
            counts = words(text, self.language)
            known = [(self._place[word], n) for word, n in counts.items() if word in self._place]
            if known:
                ids, times = (np.array(each) for each in zip(*known, strict=True))
                weights = (1 + np.log(times)) * self.idf[ids]
                found[row] = weights @ self.matrix[ids] / np.linalg.norm(weights)
        return found

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of words and weights."""
        found = sha256("\n".join((*self.words, *self.topics)).encode())
        for each in (self.idf, self.matrix, self.bias):
            found.update(each.astype("<f2").tobytes())
        return found.hexdigest()

    def facts(self) -> dict[str, Any]:
        """The model as JSON, numbers in half precision."""
        return {
            "words": list(self.words),
            "topics": list(self.topics),
            "on_topic": [list(pair) for pair in self.on_topic],
            "topic_size": self.topic_size,
            **{name: _packed(getattr(self, name)) for name in ("idf", "matrix", "bias")},
        }

    @classmethod
    def of(cls, facts: Mapping[str, Any], language: str) -> Model:
        """The model of a file's JSON."""
        named, bias = tuple(map(str, facts["words"])), _unpacked(facts["bias"])
        return cls(
            named,
            _unpacked(facts["idf"]),
            _unpacked(facts["matrix"]).reshape(len(named), len(bias)),
            bias,
            language,
            tuple(map(str, facts["topics"])),
            tuple((int(k), float(hits)) for k, hits in facts["on_topic"]),
            float(facts["topic_size"]),
        )


def _packed(numbers: Floats) -> str:
    return b64encode(numbers.astype("<f2").tobytes()).decode()


def _unpacked(data: str) -> Floats:
    return np.frombuffer(b64decode(data, validate=True), dtype="<f2").astype(np.float64)
