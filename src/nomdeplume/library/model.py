"""A model fitted on a library: weights of its own words for topics."""

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
from nomdeplume.features.seen import Marks
from nomdeplume.text import words

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """Linear classifier of r topics: tf-idf of a list of words, times a matrix."""

    words: tuple[str, ...]
    idf: Floats  # (V,)
    matrix: Floats  # (V, r)
    language: str
    topics: tuple[str, ...]  # (r,)
    on_topic: tuple[tuple[int, float], ...]  # k, and how many of the k best are on a text's topic
    topic_size: float  # texts of the library that are on the topic of a text, on average
    seen: Marks  # of the texts that it was fitted on

    def __post_init__(self) -> None:
        size = len(self.words)
        fits = self.idf.shape == (size,) and self.matrix.shape == (size, len(self.topics))
        finite = all(np.isfinite(each).all() for each in (self.matrix, self.idf))
        if not (fits and finite and size and self.topics):
            raise InputError("the model of a library must have a weight for each word and topic.")
        if not self.on_topic or min(k for k, _ in self.on_topic) < 1:
            raise InputError("the model of a library must say how clear its topics are.")

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """The probability of each topic, (n, r)."""
        scores = self._weighed(texts)
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def best(self, odds: int, size: int) -> int:
        """The number k of best texts with which a release is likeliest to be on the topic.

        Of the k best, h are on the topic of a held-out text, so a release is with the probability
        (w·h + T − h)/Z, where T texts are on it and Z = k·w + M − k.
        """

        def chance(pair: tuple[int, float]) -> float:
            k, hits = pair
            return ((odds - 1) * hits + self.topic_size) / (k * (odds - 1) + size)

        return max(self.on_topic, key=chance)[0]

    def _weighed(self, texts: Sequence[str]) -> Floats:
        """tf-idf of unit length, times the matrix, (n, r); tf is 1 + log of the count."""
        found = np.zeros((len(texts), len(self.topics)))
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
        for each in (self.idf, self.matrix):
            found.update(each.astype("<f2").tobytes())
        return found.hexdigest()

    def facts(self) -> dict[str, Any]:
        """The model as JSON, numbers in half precision."""
        return {
            "words": list(self.words),
            "topics": list(self.topics),
            "on_topic": [list(pair) for pair in self.on_topic],
            "topic_size": self.topic_size,
            **{name: _packed(getattr(self, name), "<f2") for name in ("idf", "matrix")},
            "seen": _packed(self.seen, "<u8"),
        }

    @classmethod
    def of(cls, facts: Mapping[str, Any], language: str) -> Model:
        """The model of a file's JSON."""
        named, topics = (tuple(map(str, facts[key])) for key in ("words", "topics"))
        return cls(
            named,
            _halves(facts["idf"]),
            _halves(facts["matrix"]).reshape(len(named), len(topics)),
            language,
            topics,
            tuple((int(k), float(hits)) for k, hits in facts["on_topic"]),
            float(facts["topic_size"]),
            _unpacked(facts["seen"], "<u8").astype(np.uint64),
        )


def _packed(numbers: NDArray[Any], kind: str) -> str:
    return b64encode(numbers.astype(kind).tobytes()).decode()


def _halves(data: str) -> Floats:
    return _unpacked(data, "<f2").astype(np.float64)


def _unpacked(data: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(b64decode(data, validate=True), dtype=kind)
