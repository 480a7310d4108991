"""How fast words are found and texts released, each beside a ceiling of the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.util import find_spec
from math import inf

import numpy as np
from numpy.typing import NDArray

from nomdeplume.bench.rates import ceiling
from nomdeplume.devices import card
from nomdeplume.errors import positive, whole
from nomdeplume.nearest import Exact, Scan
from nomdeplume.nearest.products import Float32
from nomdeplume.nearest.scan import LEAST
from nomdeplume.noise import Laplace
from nomdeplume.obfuscator import Obfuscator
from nomdeplume.privacy.random import secure, seeded
from nomdeplume.stopwatch import best
from nomdeplume.threads import cores
from nomdeplume.vocabulary import Vocabulary

LENGTH = 300  # words of a document that is made up
CARD = 1 << 20  # words that are released together on a card
MANY = 100_000  # words, for whose pairs the map of mean takes minutes to be checked


@dataclass(frozen=True)
class Speed:
    """What was timed, how many of it a second, and that beside something else."""

    name: str
    rate: float
    unit: str
    ratio: float | None = None
    beside: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class Bench:
    """A vocabulary whose words are searched and released, `words` of them at a time."""

    vocabulary: Vocabulary
    epsilon: float = 6.0
    words: int = 8192
    threads: int = field(default_factory=cores)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        whole("words", self.words, least=100)
        whole("threads", self.threads)

    def __iter__(self) -> Iterator[Speed]:
        yield self.product
        yield self.exact
        yield from filter(None, (self.auto, self.scan(), self.card()))
        yield self.noise()
        yield self.texts()
        if len(self.vocabulary) <= MANY:
            yield self.documents()

    @cached_property
    def product(self) -> Speed:
        rate, block = ceiling(self._plain._rows, self._noisy, self.threads)
        return Speed("float32 product alone", rate, "words", note=f"best block: {block}")

    @cached_property
    def exact(self) -> Speed:
        rate = self.words / best(lambda: self._plain.nearest(self._noisy))
        share = rate / self.product.rate
        return Speed("exact", rate, "words", share, "the product", "float32, decided in float64")

    @cached_property
    def auto(self) -> Speed | None:
        """By the products that are faster than float32, if this machine has any."""
        index = eager(Exact(self.vocabulary.table, self.vocabulary.ids, self.threads))
        found = index.nearest(self._noisy)
        if isinstance(index.product, Float32):
            return None
        rate = self.words / best(lambda: index.nearest(self._noisy))
        note = f"8-bit products; {_same(found, self._answers)} as exact"
        return Speed("auto", rate, "words", rate / self.exact.rate, "exact", note)

    def scan(self) -> Speed | None:
        """By compressed vectors, if faiss is installed and there are enough words."""
        if len(self.vocabulary) < LEAST or find_spec("faiss") is None:
            return None
        index = Scan(self.vocabulary.table, self.vocabulary.ids, self.threads)
        found = index.nearest(self._noisy)
        rate = self.words / best(lambda: index.nearest(self._noisy))
        note = f"4 bits for two dimensions; {_same(found, self._answers)} as exact"
        return Speed("scan", rate, "words", rate / self.exact.rate, "exact", note)

    def card(self) -> Speed | None:
        """By a graphics card, noise included, if there is one and nobody forbade it."""
        found = card(inf)
        if found is None:
            return None
        from nomdeplume.mechanism.on_card import released
        from nomdeplume.nearest.card import OnCard

        kept, noise = self.vocabulary, Laplace(self.epsilon)
        index = OnCard(found, kept.table, kept.ids)
        same = _same(index.nearest(self._noisy), self._answers)
        ids = np.resize(kept.ids, max(self.words, CARD))
        work = partial(released, index, noise, kept.table.grid, ids, None)
        work()  # compiles
        rate = len(ids) / best(work)
        note = f"noise included; {same} as exact; {100 * index.tally.share:.2g} % of tiles twice"
        return Speed("card", rate, "words", rate / self.exact.rate, "exact", note)

    def noise(self) -> Speed:
        vectors, rng, noise = self._vectors, secure(), Laplace(self.epsilon)
        rate = self.words / best(lambda: noise.add(vectors, rng))
        return Speed("Laplace noise", rate, "words", note="ChaCha20, one core")

    def texts(self) -> Speed:
        """Texts in, words out, released one by one."""
        obfuscator = Obfuscator.laplace(self.vocabulary, epsilon=self.epsilon, size=100)
        texts, rng, search = self._texts(4 * self.words // 100), secure(), self.auto or self.exact
        eager(obfuscator.mechanism.decode.index.exact)  # type: ignore[union-attr]
        rate = 100 * len(texts) / best(lambda: list(obfuscator.releases(texts, rng)))
        note = f"ε = {self.epsilon:g}, 100 words of each text of {LENGTH}"
        return Speed(
            "texts by laplace",
            rate,
            "words",
            rate / search.rate,
            f"{search.name}, its search",
            note,
        )

    def documents(self) -> Speed:
        """Texts in, words out, a document at once."""
        obfuscator = Obfuscator.mean(self.vocabulary)
        texts = self._texts(max(10, self.words // 4))
        rng = secure()
        read = len(texts) / best(lambda: list(self.vocabulary.bags(texts)))
        rate = len(texts) / best(lambda: list(obfuscator.releases(texts, rng)))
        note = f"of {LENGTH} words, 100 of which come out"
        return Speed("texts by mean", rate, "texts", rate / read, "reading them alone", note)

    def _texts(self, count: int) -> list[str]:
        """Made up of the vocabulary's commonest words."""
        words = np.array([self.vocabulary.table.words[i] for i in self.vocabulary.ids[:20_000]])
        picked = seeded(2).integers(0, len(words), (count, LENGTH))
        return [" ".join(row) for row in words[picked]]

    @cached_property
    def _plain(self) -> Exact:
        return Exact(self.vocabulary.table, self.vocabulary.ids, self.threads, plain=True)

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        table = self.vocabulary.table
        ids = seeded(1).choice(self.vocabulary.ids, self.words)
        return table.vectors[ids].astype(np.float64)

    @cached_property
    def _noisy(self) -> NDArray[np.float64]:
        return Laplace(self.epsilon).add(self._vectors, seeded(1))

    @cached_property
    def _answers(self) -> NDArray[np.int64]:
        return self._plain.nearest(self._noisy)


def eager(index: Exact) -> Exact:
    """A search that takes the fastest products at once, as it would after some seconds."""
    index.searched = 1 << 62
    return index


def _same(found: NDArray[np.int64], exact: NDArray[np.int64]) -> str:
    share = float((found == exact).mean())
    return "all the same" if share == 1 else f"{100 * share:.2f} % the same"
