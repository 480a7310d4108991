"""The flow as one sentence: texts → bags → N words each → released words, and a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag
from nomdeplume.document import Document
from nomdeplume.errors import InputError, PrivacyError, whole
from nomdeplume.frames import Private
from nomdeplume.mechanism import Mechanism, NoisyNearest, Projection, Recipe
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.noise import Laplace, Planar
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.accountant.sums import TOLERANCE
from nomdeplume.privacy.certificate import NOT_PRIVATE, Certificate, Output, certify
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.promise import Promise, state
from nomdeplume.privacy.random import described, is_private, secure, seeded
from nomdeplume.reduction import REDUCTIONS, per_word
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

F = TypeVar("F")  # a data frame

SIZE = 100
TRIED = 400  # words on which it is measured how many stay
WORK = 4e10  # operations that this may take, about


@dataclass(frozen=True, eq=False, repr=False)
class Obfuscator:
    """Turns texts into documents of `size` words that keep the topic and hide the author."""

    vocabulary: Vocabulary
    mechanism: Mechanism
    size: int = SIZE
    reduction: str = "sample"  # a name in REDUCTIONS

    def __post_init__(self) -> None:
        whole("size", self.size)
        if self.reduction not in REDUCTIONS:
            raise InputError(
                f"reduction must be {' or '.join(REDUCTIONS)}, got {self.reduction!r}."
            )
        able: Sequence[str] = getattr(self.mechanism, "reductions", tuple(REDUCTIONS))
        if self.reduction not in able:
            raise InputError(
                f"{self.mechanism.name} draws its own words from a text: the reduction must be "
                f"{' or '.join(able)}, got {self.reduction}."
            )
        if self.mechanism.table is not self.vocabulary.table:
            raise InputError("the mechanism and the vocabulary must have the same table.")
        if not self.vocabulary.holds(self.mechanism.outputs):
            raise InputError(
                "the mechanism may release words outside the kept vocabulary; "
                "give it outputs=vocabulary.ids."
            )
        _ = self.guarantees, self.vocabulary.table.fingerprint  # refuse now what cannot be vouched

    @classmethod
    def laplace(
        cls,
        vocabulary: Vocabulary | Table | None = None,
        *,
        epsilon: float | None = None,
        budget: float | None = None,
        size: int = SIZE,
        reduction: str = "sample",
    ) -> Obfuscator:
        """The paper's system: Laplace noise on each word's vector, then the nearest kept word.

        A table stands for its words without the usual stop words, nothing for the bundled
        table. The noise is that of `epsilon`, or of `budget` / `size`; six if neither is given.
        """
        return cls.of(
            "laplace",
            vocabulary,
            epsilon=epsilon,
            budget=budget,
            size=size,
            reduction=reduction,
        )

    @classmethod
    def of(
        cls,
        mechanism: str | Recipe = "laplace",
        vocabulary: Vocabulary | Table | None = None,
        *,
        epsilon: float | None = None,
        budget: float | None = None,
        size: int = SIZE,
        reduction: str = "sample",
        tell: Callable[[int], None] | None = None,
        **parts: Any,
    ) -> Obfuscator:
        """The system with any mechanism, by name and what else its recipe names, or by a recipe.

        What takes long to find is remembered in the user's cache. `epsilon` and `budget` are
        as for `laplace`; without either it is what is usual for the mechanism.
        """
        kept = Vocabulary.given(vocabulary)
        epsilon = per_word(epsilon, budget, size)
        if isinstance(mechanism, Recipe) and (parts or epsilon is not None):
            raise InputError("a recipe names its own epsilon and parts; give them there.")
        if not isinstance(mechanism, Recipe):
            mechanism = Recipe.usually(mechanism, epsilon, **parts)
        made = mechanism.make(kept, memory=Memory.usual(), tell=tell)
        return cls(kept, made, size, reduction)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What is promised about each document, the widest statement last."""
        word = self.mechanism.guarantee
        return REDUCTIONS[self.reduction].guarantees(word, self.size, self.vocabulary)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised between two texts: the widest statement of all."""
        return self.guarantees[-1]

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """The guarantees in words, and as odds between public texts where they are about texts."""
        return self.stated()

    def stated(self, *, tolerance: float = TOLERANCE) -> tuple[Promise, ...]:
        """The promises, where what is lost up to δ may be a share of about `tolerance` too high."""
        account = self.account if self._laplace else None
        covers = getattr(self.mechanism, "covers", "")
        one = partial(state, any_two=self._any, tolerance=tolerance, covers=covers)
        *others, texts = self.guarantees
        return (
            *(one(each, self.vocabulary, of_texts=False) for each in others),
            one(texts, self.vocabulary, of_texts=True, account=account),
        )

    def account(self, x: str, y: str) -> Account:
        """What is lost between two texts, purely and up to a δ: as Laplace noise loses it.

        It is about kept words, as they are reduced; no words count as the public bag.
        """
        noise = self._laplace
        if noise is None:
            raise InputError(
                f"only Laplace noise has an account, got {self.mechanism.name}; "
                "its pure loss is that of the guarantee."
            )
        way = REDUCTIONS[self.reduction]
        return way.account((noise, self._dimensions), self.size, self.vocabulary, x, y)

    @property
    def _laplace(self) -> float | None:
        """ε, if it is Laplace noise on vectors or a projection of them, however decoded.

        A subclass may do anything with the noise, and another image with the vectors.
        """
        mechanism = self.mechanism
        if type(mechanism) is not NoisyNearest or type(mechanism.noise) not in (Laplace, Planar):
            return None
        plain = mechanism.image is None or type(mechanism.image) is Projection
        return mechanism.guarantee.epsilon if plain else None

    @property
    def _dimensions(self) -> int:
        """Those that noise lives in. Images are no farther apart, and less is lost when nearer."""
        places: Table = getattr(self.mechanism, "places", self.vocabulary.table)
        return places.dimensions

    @cached_property
    def _any(self) -> Account | None:
        """The account between any two texts: all words as far apart as words can be."""
        table, noise = self.vocabulary.table, self._laplace
        if noise is None:
            return None
        one = Account.of_bags(noise, [2 * table.radius], self._dimensions)
        return one.over_releases(self.size)

    @cached_property
    def unchanged(self) -> float:
        """Share of common kept words that stay as they are: what is useful, not what is safe.

        Measured on public words under a public stream, so it tells nothing about any text;
        each of them several times where the table is small enough for that to be quick.
        """
        table = self.vocabulary.table
        draws = int(np.clip(WORK / (2 * len(table) * table.dimensions), TRIED, 5 * TRIED))
        ids = np.resize(self.vocabulary.ids[:TRIED], draws)
        return float((self.mechanism.release(ids, seeded(0)) == ids).mean())

    def __call__(self, texts: Iterable[str], rng: Generator | None = None) -> list[Document]:
        """Release every text; one without a kept word is released as the public bag."""
        rng = _generator(rng)
        if hasattr(texts, "columns"):
            raise InputError("texts must be one column of the frame; release it all with .frame().")
        released = [tuple(words) for words in self.release(self.vocabulary.bags(texts), rng)]
        digest = sha256("".join(f"{' '.join(words)}\n" for words in released).encode()).hexdigest()
        certificate = self.certify(described(rng), len(released), Output("text", digest))
        return [Document(words, certificate) for words in released]

    def frame(
        self, df: F, *, text: str = "text", keep: Iterable[str] = (), rng: Generator | None = None
    ) -> F:
        """The frame with released words in column `text`; of the others only those in `keep`.

        Takes pandas, polars, pyarrow and Hugging Face datasets, and gives back the same kind.
        Kept columns come out as they are, without categories that no row holds.
        """
        return self.certified_frame(df, text=text, keep=keep, rng=rng)[0]

    def certified_frame(
        self, df: F, *, text: str = "text", keep: Iterable[str] = (), rng: Generator | None = None
    ) -> tuple[F, Certificate]:
        """A released frame and its certificate, whose hash is that of its words line by line.

        Saved as CSV, JSONL, Parquet or Arrow, it is checked by `nomdeplume certificate`.
        """
        rng, digest = _generator(rng), sha256()
        private = Private.of(df, text, keep)

        def documents() -> Iterator[str]:
            for words in self.release(self.vocabulary.bags(private.texts()), rng):
                digest.update(f"{' '.join(words)}\n".encode())
                yield " ".join(words)

        released = private.released(documents(), "" if is_private(rng) else NOT_PRIVATE)
        output, kept = Output("frame", digest.hexdigest()), private.keep
        return released, self.certify(described(rng), len(private), output, kept_fields=kept)

    def release(self, bags: Iterable[Bag], rng: Generator) -> Iterator[Sequence[str]]:
        """The released words of each bag, in alphabetical order; in batches, in bounded memory."""
        remaining = iter(bags)
        while batch := list(islice(remaining, self.batch)):
            self.vocabulary.refuse_seen(batch)
            yield from self._release(batch, rng)

    @property
    def batch(self) -> int:
        """Documents released together: enough words for a few large matrix products."""
        return max(1, (8192 if isinstance(self.mechanism, NoisyNearest) else 131072) // self.size)

    def __repr__(self) -> str:
        return (
            f"<Obfuscator: {self.mechanism.name}, ε={self.mechanism.guarantee.epsilon:g}, "
            f"size={self.size}, {self.reduction}, {self.vocabulary.table!r}>"
        )

    def certify(
        self,
        generator: str,
        documents: int,
        output: Output,
        *,
        empty: str = "public",
        id_field: str = "id",
        kept_fields: tuple[str, ...] = (),
    ) -> Certificate:
        """The certificate of a release made by this obfuscator."""
        return certify(
            self.vocabulary,
            self.mechanism,
            self.promises,
            size=self.size,
            reduction=self.reduction,
            generator=generator,
            unchanged=self.unchanged,
            documents=documents,
            empty=empty,
            id_field=id_field,
            kept_fields=kept_fields,
            output=output,
        )

    def _release(self, bags: Sequence[Bag], rng: Generator) -> NDArray[np.object_]:
        filled = [self.vocabulary.or_public(bag) for bag in bags]
        reduce = REDUCTIONS[self.reduction].reduce
        reduced = reduce(filled, self.size, self.vocabulary, rng)  # (n, size)
        released = self.mechanism.release(reduced.ravel(), rng).reshape(reduced.shape)
        place, ordered = self.vocabulary.alphabetical
        places = place[released]
        if (places < 0).any():
            raise PrivacyError("the mechanism released a word outside the kept vocabulary.")
        return np.asarray(ordered[np.sort(places, axis=1)])


def _generator(rng: Generator | None) -> Generator:
    rng = secure() if rng is None else rng
    if not isinstance(rng, Generator):
        raise InputError(f"rng must be a generator such as seeded(1), got {rng!r:.40}.")
    return rng
