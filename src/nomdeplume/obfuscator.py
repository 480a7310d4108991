"""The flow as one sentence: texts → what is released for each, and a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.random import Generator

from nomdeplume.bag import Bag
from nomdeplume.batches import Batches
from nomdeplume.charging import charge, column, price_of
from nomdeplume.document import Document
from nomdeplume.errors import InputError, whole
from nomdeplume.frames import Private
from nomdeplume.mechanism import SIZE, Recipe
from nomdeplume.mechanism.contract import DocumentMechanism, Mechanism, Released
from nomdeplume.mechanism.remembered import Memory
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.accountant.sums import TOLERANCE
from nomdeplume.privacy.certificate import NOT_PRIVATE, Certificate, Output, certify
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.ledger.price import Price
from nomdeplume.privacy.promise import Promise, promises_of
from nomdeplume.privacy.random import described, given, is_private
from nomdeplume.releasing import Job, Offer, Releasing, complete
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.workers import MOST

if TYPE_CHECKING:
    from nomdeplume.privacy.ledger import Ledger

F = TypeVar("F")  # a data frame


@dataclass(frozen=True, eq=False, repr=False)
class Obfuscator:
    """Turns texts into documents, and states what they promise.

    A mechanism of words or of documents goes in; documents of words have `size` of them.
    """

    vocabulary: Vocabulary
    mechanism: Mechanism | DocumentMechanism
    size: int = SIZE
    reduction: str = ""  # a name in REDUCTIONS, or mean; what is usual for the mechanism if none

    def __post_init__(self) -> None:
        whole("size", self.size)
        object.__setattr__(self, "reduction", self.documents.reduction)
        _ = self.guarantees, self.vocabulary.table.fingerprint  # refuse now what cannot be vouched

    @classmethod
    def mean(
        cls,
        vocabulary: Vocabulary | Table | None = None,
        *,
        budget: float | None = None,
        size: int = SIZE,
        **parts: Any,
    ) -> Obfuscator:
        """The document level: Laplace noise on the mean of a text's features, then words.

        A table stands for its words without the usual stop words, nothing for the bundled
        table. The budget is spent on each document, whatever its length; what is usual if
        none is given. `map`, `compose`, `dimensions` and the rest are as in a `Recipe`.
        """
        return cls.of("mean", vocabulary, budget=budget, size=size, **parts)

    @classmethod
    def laplace(
        cls,
        vocabulary: Vocabulary | Table | None = None,
        *,
        epsilon: float | None = None,
        budget: float | None = None,
        size: int = SIZE,
        reduction: str = "",
    ) -> Obfuscator:
        """The paper's system: Laplace noise on each word's vector, then the nearest kept word.

        The noise is that of `epsilon`, or of `budget` / `size`; six if neither is given.
        """
        return cls.of(
            "laplace", vocabulary, epsilon=epsilon, budget=budget, size=size, reduction=reduction
        )

    @classmethod
    def standin(
        cls,
        vocabulary: Vocabulary | Table | None = None,
        *,
        odds: int | None = None,
        library: str = "",
        as_words: bool = False,
    ) -> Obfuscator:
        """A public text of a library in place of each text, at odds of at most `odds` to 1.

        Without a `library`, the file of one, it is the library that ships for the language.
        With `as_words` its kept words come out, in alphabetical order.
        """
        settings = {"words": 1.0} if as_words else {}
        return cls.of("standin", vocabulary, odds=odds, library=library, settings=settings)

    @classmethod
    def of(
        cls,
        mechanism: str | Recipe | None = None,
        vocabulary: Vocabulary | Table | None = None,
        *,
        epsilon: float | None = None,
        budget: float | None = None,
        size: int | None = None,
        reduction: str = "",
        tell: Callable[[int], None] | None = None,
        **parts: Any,
    ) -> Obfuscator:
        """The system with any mechanism, by name and what else its recipe names, or by a recipe.

        What takes long to find is remembered in the user's cache. Without a name it is standin;
        mean if a `budget` or a `size` is given, or features; laplace if an `epsilon` for each
        word is. Without `epsilon` and `budget` it spends what is usual for the mechanism.
        """
        kept = Vocabulary.given(vocabulary)
        if isinstance(mechanism, Recipe) and (parts or epsilon is not None or budget is not None):
            raise InputError("a recipe names its own epsilon and parts; give them there.")
        if not isinstance(mechanism, Recipe):
            words = kept.features is not None
            mechanism = Recipe.asked(
                mechanism, epsilon, budget, size, reduction, words=words, **parts
            )
        made = mechanism.make(kept, memory=Memory.usual(), tell=tell)
        return cls(kept, made, SIZE if size is None else size, reduction)

    @cached_property
    def documents(self) -> DocumentMechanism:
        """The mechanism that releases documents: word by word, or each as a whole."""
        return self.mechanism.documents(self.vocabulary, self.size, self.reduction)

    @cached_property
    def releasing(self) -> Releasing:
        """How texts are released, batch after batch."""
        return Releasing(self.vocabulary, self.documents)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What is promised about each document, the widest statement last."""
        return self.documents.guarantees

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
        return promises_of(self.documents, self.vocabulary, tolerance=tolerance)

    def account(self, x: str, y: str) -> Account:
        """What is lost between two texts, purely and up to a δ: as Laplace noise loses it.

        It is about kept words, as they are reduced; no words count as the public bag.
        """
        found = self.documents.account(*self.vocabulary.texts((x, y)))
        if found is None:
            raise InputError(
                f"only Laplace noise has an account, got {self.mechanism.name}; "
                "its pure loss is that of the guarantee."
            )
        return found

    @property
    def unchanged(self) -> float | None:
        """Share of common kept words that stay as they are: what is useful, not what is safe.

        None where words are not released one by one.
        """
        return self.documents.unchanged

    def __call__(
        self,
        texts: Iterable[str],
        rng: Generator | None = None,
        *,
        vectors: bool = False,
        workers: int | None = None,
        ledger: Ledger | None = None,
        ids: Iterable[Any] | None = None,
        authors: Iterable[Any] | None = None,
    ) -> list[Document]:
        """Release every text; one without a kept word is released as the public bag.

        With `vectors`, documents hold their noisy means too, of which their words are made:
        the same promise covers both. With `workers`, so many processes release them. A
        `ledger` is charged first, for ids and authors: if one has no room left, none is released.
        """
        rng = given(rng)
        if hasattr(texts, "columns"):
            raise InputError("texts must be one column of the frame; release it all with .frame().")
        self._check(vectors=vectors)
        private = self.vocabulary.texts(texts)
        charged = charge(ledger, self, private, rng, ids=ids, authors=authors)
        found = list(complete(self.releasing.released(charged, rng, checked(workers))))
        digest = sha256("".join(f"{each.text}\n" for each in found).encode()).hexdigest()
        output = Output("text", digest)
        certificate = self.certify(described(rng), len(found), output, vectors=vectors)
        sources = self.documents.form.sources
        return [_document(each, certificate, sources, vectors=vectors) for each in found]

    def frame(self, df: F, *, text: str = "text", keep: Iterable[str] = (), **how: Any) -> F:
        """The frame with what is released in column `text`; of the others only those in `keep`.

        Takes pandas, polars, pyarrow and Hugging Face datasets, and gives back the same kind.
        Kept columns come out as they are, without categories that no row holds. `rng`,
        `workers`, `ledger`, `ids` and `authors` are as for texts. A kept column of ids, which
        is called id or holds what `ids` does, is refused if an id tells who wrote its text,
        unless `allow_identifying_ids`: ids are compared with the columns called author and with
        `authors`.
        """
        return self.certified_frame(df, text=text, keep=keep, **how)[0]

    def certified_frame(
        self,
        df: F,
        *,
        text: str = "text",
        keep: Iterable[str] = (),
        rng: Generator | None = None,
        workers: int | None = None,
        ledger: Ledger | None = None,
        ids: Iterable[Any] | None = None,
        authors: Iterable[Any] | None = None,
        allow_identifying_ids: bool = False,
    ) -> tuple[F, Certificate]:
        """A released frame and its certificate, whose hash is that of its words line by line.

        Saved as CSV, JSONL, Parquet or Arrow, it is checked by `nomdeplume certificate`.
        """
        rng, digest = given(rng), sha256()
        private = Private.of(df, text, keep)
        ids = ids if ids is None else column("ids", ids, len(private))
        authors = authors if authors is None else column("authors", authors, len(private))
        kept_ids = private.kept_ids(ids)
        if not allow_identifying_ids:
            private.check_ids(kept_ids, authors)
        if ledger is None and kept_ids:
            ids = authors = None  # they were given for the check
        charged = charge(ledger, self, private.texts(), rng, ids=ids, authors=authors)

        def documents() -> Iterator[str]:
            for released in complete(self.releasing.released(charged, rng, checked(workers))):
                digest.update(f"{released.text}\n".encode())
                yield released.text

        released = private.released(documents(), "" if is_private(rng) else NOT_PRIVATE)
        output, kept = Output("frame", digest.hexdigest()), private.keep
        return released, self.certify(described(rng), len(private), output, kept_fields=kept)

    def batch(self, batch: Any, rng: Generator | None = None, **columns: Any) -> Any:
        """A pyarrow RecordBatch with its texts released, null where there was none.

        `columns` is as in `batches`, the function that engines send to their workers.
        """
        return self.batches(rng, **columns)(batch)

    def batches(self, rng: Generator | None = None, **columns: Any) -> Batches:
        """`batch` as a function of its own that can be sent elsewhere: it has no generator.

        Each process that calls it makes its own. `text` names the column of private texts,
        `keep` those that come out as they are; `empty` and `vectors` are as for files.
        """
        self._check(vectors=columns.get("vectors", False))
        return Batches(Job.of(self.releasing, given(rng)), **columns)

    @cached_property
    def price(self) -> Price:
        """What one document costs in a ledger."""
        return price_of(self.documents, self.vocabulary)

    def releases(
        self, items: Iterable[Bag | str], rng: Generator, *, workers: int | None = None
    ) -> Iterator[Released | None]:
        """What is released for each bag or text, in order, in batches and in bounded memory.

        While one is released, the next is read. Texts are best for `workers`, who make bags;
        nothing comes out for a text that ends them.
        """
        found = self.releasing.released(map(Offer, items), rng, checked(workers))
        return (released for _, released in found)

    def __repr__(self) -> str:
        made = self.documents
        spent = f"{made.parameter.symbol}={made.value:g}"
        words = f", size={self.size}, {made.reduction}" if made.form.size else ""
        return f"<Obfuscator: {made.name}, {spent}{words}, {self.vocabulary.table!r}>"

    def _check(self, *, vectors: bool) -> None:
        if vectors and not self.documents.form.vector:
            raise InputError(f"{self.mechanism.name} has no mean to release; take mean.")

    def certify(self, generator: str, documents: int, output: Output, **beside: Any) -> Certificate:
        """The certificate of a release made by this obfuscator, and of what came out beside it."""
        self._check(vectors=beside.get("vectors", False))
        return certify(
            self.vocabulary,
            self.documents,
            self.promises,
            generator=generator,
            documents=documents,
            output=output,
            **beside,
        )


def checked(workers: int | None) -> int | None:
    """A number of worker processes, or None for this process alone."""
    return None if workers is None else whole("workers", workers, most=MOST)


def _document(
    released: Released, certificate: Certificate, sources: Mapping[str, str], *, vectors: bool
) -> Document:
    """A release with its certificate and, where there is one, the id of the public text.

    Its noisy mean is beside it if that is asked for.
    """
    mean = tuple(released.mean) if vectors and released.mean else None
    return Document(released.text, certificate, mean, sources.get(released.text, ""))
