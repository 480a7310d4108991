"""The flow as one sentence: texts → bags → N words each → released words, and a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, apportion, sample
from nomdeplume.errors import InputError, PrivacyError, whole
from nomdeplume.mechanism import Mechanism, NoisyNearest
from nomdeplume.noise import Laplace
from nomdeplume.privacy.certificate import Certificate, Output, Promise, certify, state
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import secure
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

Reduction = Literal["sample", "apportion"]

EPSILON = 6.0  # about one word in ten stays, on the bundled table (benchmarks/unchanged.py)
SIZE = 100


@dataclass(frozen=True)
class Document:
    """A released text: its words in alphabetical order, and what is promised about them."""

    words: tuple[str, ...]
    certificate: Certificate

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, eq=False)
class Obfuscator:
    """Turns texts into documents of `size` words that keep the topic and hide the author."""

    vocabulary: Vocabulary
    mechanism: Mechanism
    size: int = SIZE
    reduction: Reduction = "sample"

    def __post_init__(self) -> None:
        whole("size", self.size)
        if self.reduction not in ("sample", "apportion"):
            raise InputError(f"reduction must be sample or apportion, got {self.reduction!r}.")
        if self.mechanism.table is not self.vocabulary.table:
            raise InputError("the mechanism and the vocabulary must have the same table.")
        _ = self.guarantees  # an impossible one is refused now, not after the texts are read

    @classmethod
    def laplace(
        cls,
        vocabulary: Vocabulary | Table | None = None,
        *,
        epsilon: float = EPSILON,
        size: int = SIZE,
        reduction: Reduction = "sample",
    ) -> Obfuscator:
        """The paper's system: Laplace noise on each word's vector, then the nearest kept word.

        A table stands for its words without the usual stop words, nothing for the bundled table.
        """
        kept = vocabulary if vocabulary is not None else Table.bundled()
        kept = Vocabulary.of(kept) if isinstance(kept, Table) else kept
        mechanism = NoisyNearest(kept.table, Laplace(epsilon), kept.ids)
        return cls(kept, mechanism, size, reduction)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What is promised about each document, the widest statement last.

        Drawing words by chance weakens the promise between texts to W∞
        (docs/proofs/sampling.md); a reduction without chance keeps it, between reduced bags.
        """
        bags = self.mechanism.guarantee.over_bags(self.size)
        if self.reduction == "apportion":
            return (replace(bags, between=f"two texts' bags reduced to {self.size} kept words"),)
        drawn = replace(bags, between=f"two samples of {self.size} kept words")
        return (drawn, self.mechanism.guarantee.over_samples(self.size))

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """The guarantees in words, and as odds between public reference texts."""
        return tuple(state(each, self.vocabulary, self.size) for each in self.guarantees)

    def __call__(self, texts: Iterable[str], rng: Generator | None = None) -> list[Document]:
        """Release every text; one without a kept word is released as the public bag."""
        if isinstance(texts, str):
            raise InputError("texts must be a list of strings, got one string; put it in [ ].")
        rng = secure() if rng is None else rng
        lines = [" ".join(words) for words in self.release(self._bags(texts), rng)]
        digest = sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
        certificate = self.certify(rng, len(lines), Output("text", digest))
        return [Document(tuple(line.split(" ")), certificate) for line in lines]

    def release(self, bags: Iterable[Bag], rng: Generator) -> Iterator[Sequence[str]]:
        """The released words of each bag, in alphabetical order; in batches, in bounded memory."""
        remaining = iter(bags)
        while batch := list(islice(remaining, self.batch)):
            yield from self._release(batch, rng)

    @property
    def batch(self) -> int:
        """Documents released together: enough words for a few large matrix products."""
        return max(1, 32_768 // self.size)

    def certify(
        self, rng: Generator, documents: int, output: Output, empty: str = "public"
    ) -> Certificate:
        """The certificate of a release made by this obfuscator."""
        return certify(
            self.vocabulary,
            self.mechanism,
            self.promises,
            size=self.size,
            reduction=self.reduction,
            documents=documents,
            empty=empty,
            rng=rng,
            output=output,
        )

    def _bags(self, texts: Iterable[str]) -> Iterator[Bag]:
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                raise InputError(f"text {number} must be a string, got {type(text).__name__}.")
            yield self.vocabulary.bag(text)

    def _release(self, bags: Sequence[Bag], rng: Generator) -> NDArray[np.object_]:
        filled = [bag if len(bag) else self.vocabulary.public_bag for bag in bags]
        reduced = self._reduce(filled, rng)  # (n, size)
        released = self.mechanism.release(reduced.ravel(), rng).reshape(reduced.shape)
        place, ordered = self.vocabulary.alphabetical
        places = place[released]
        if (places < 0).any():
            raise PrivacyError("the mechanism released a word outside the kept vocabulary.")
        return np.asarray(ordered[np.sort(places, axis=1)])

    def _reduce(self, bags: Sequence[Bag], rng: Generator) -> NDArray[np.int64]:
        if self.reduction == "apportion":
            return apportion(bags, self.size, self.vocabulary.tie_order)
        return sample(bags, self.size, rng)
