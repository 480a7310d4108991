"""The contracts of mechanisms: what every one declares, so that no caller asks for its type.

A *word mechanism* releases each word independently of the others. A *document mechanism*
releases a whole document for each text. `WordByWord` makes a document mechanism of any word
mechanism; `documents` of either gives the document mechanism that an `Obfuscator` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.bag import Bag, Item
from nomdeplume.errors import PrivacyError
from nomdeplume.mechanism.image import FeatureMap
from nomdeplume.noise import Noise
from nomdeplume.privacy.accountant import Account
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.promise import OneWord
from nomdeplume.privacy.shuffled import Blanket
from nomdeplume.table import Table
from nomdeplume.vocabulary import Vocabulary

if TYPE_CHECKING:
    from nomdeplume.mechanism.exponential import Exponential

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Channel = Callable[[Ids], Floats]  # chances of all words of the table for each id, (n, V)
Settings = Mapping[str, float | str]

EXAMPLES = 8  # public texts that an audit tells apart


@dataclass(frozen=True)
class Parameter:
    """The number that a mechanism is given: its symbol, its option, and its unit."""

    symbol: str = "ε"
    option: str = "epsilon"  # the option that sets it: epsilon or budget
    per_word: bool = True  # False if it is spent on a whole document

    @property
    def unit(self) -> str:
        return "word" if self.per_word else "document"


VECTOR, STANDIN = "vector", "standin"  # fields after the text: its noisy mean, or its id


class Released(NamedTuple):
    """The release of one text."""

    text: str
    mean: list[float] | None = None  # the noisy mean behind its words, if there is one
    kept: bool = True  # False if the text had no kept word and the public bag stood in for it

    @property
    def words(self) -> list[str]:
        return self.text.split(" ")


@dataclass(frozen=True)
class Requirement:
    """A requirement on every released document, with its wording in the check of a release."""

    name: str
    wording: str
    met: Callable[[str], bool]
    about_outputs: bool = False  # True if it names all that may come out


class Form(Protocol):
    """The form of a mechanism's releases: what comes out, and what every document must meet."""

    @property
    def kind(self) -> str:
        """`words` or `text`, for certificates."""

    @property
    def size(self) -> int:
        """Number of words in each release; 0 if it varies."""

    @property
    def vector(self) -> bool:
        """True if a noisy mean may be released beside each document."""

    @property
    def grid(self) -> float:
        """The step of the grid that noisy means lie on; 0 if there are none."""

    @property
    def count(self) -> int:
        """Number of words, or of texts, that may come out."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all that may come out."""

    @property
    def requirements(self) -> Sequence[Requirement]: ...

    @property
    def sources(self) -> Mapping[str, str]:
        """The id of each public text that may come out, by the text; none for words."""

    @property
    def examples(self) -> Sequence[str]:
        """Public texts that the mechanism treats differently, for an audit; none if unknown."""


@dataclass(frozen=True, eq=False)
class BagOfWords:
    """Releases of `size` words in alphabetical order, all of them among `outputs`."""

    vocabulary: Vocabulary
    size: int
    outputs: Ids
    grid: float = 0.0
    kind: str = "words"
    examples: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def vector(self) -> bool:
        return self.grid > 0

    @property
    def count(self) -> int:
        return len(self.outputs)

    @property
    def fingerprint(self) -> str:
        return self.vocabulary.fingerprint_of(self.outputs)

    @property
    def requirements(self) -> Sequence[Requirement]:
        words = self.vocabulary.table.words
        allowed = frozenset(words[i] for i in self.outputs.tolist())
        size = self.size
        return (
            Requirement(
                "size",
                f"of {size} words, without other fields",
                lambda text: len(_words(text)) == size,
            ),
            Requirement(
                "vocabulary",
                "of words only that may come out",
                lambda text: allowed.issuperset(_words(text)),
                about_outputs=True,
            ),
            Requirement(
                "order",
                "in alphabetical order",
                lambda text: (words := _words(text)) == sorted(words),
            ),
        )

    def texts(self, ids: Ids) -> list[str]:
        """The released words of each row of ids, (n, size), as a text."""
        place, ordered = self.vocabulary.alphabetical
        places = place[ids]
        if (places < 0).any():
            raise PrivacyError("the mechanism released a word outside the kept vocabulary.")
        return list(map(" ".join, ordered[np.sort(places, axis=1)].tolist()))


@dataclass(frozen=True)
class PublicTexts:
    """Releases that are public texts, each as it is: one of `texts`, which may have `ids`."""

    texts: tuple[str, ...]
    ids: tuple[str, ...] = ()
    kind: str = "text"
    size: int = 0
    vector: bool = False
    grid: float = 0.0

    @property
    def count(self) -> int:
        return len(self.texts)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the SHA-256 of each text, in order."""
        each = (sha256(text.encode()).digest() for text in self.texts)
        return sha256(b"".join(each)).hexdigest()

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The id of each text, by the text."""
        return dict(zip(self.texts, self.ids, strict=True)) if self.ids else {}

    @property
    def examples(self) -> Sequence[str]:
        """Some of the texts, evenly spaced: a text is its own best release."""
        return self.texts[:: max(1, len(self.texts) // EXAMPLES)][:EXAMPLES]

    @property
    def requirements(self) -> Sequence[Requirement]:
        known = frozenset(self.texts)
        wording = "that are one of the public texts, without other fields"
        return (Requirement("public texts", wording, known.__contains__, about_outputs=True),)


def _words(text: str) -> list[str]:
    return text.split(" ") if text else []


@dataclass(frozen=True, eq=False)
class Declaration:
    """The declarations of a word mechanism beside its guarantee.

    The defaults are those of a mechanism that is known by its releases alone.
    """

    covers: str = ""  # a sentence on what its guarantee leaves out
    reductions: tuple[str, ...] = ("sample", "apportion")  # how texts may become N words
    parameter: Parameter = Parameter()
    inputs: Ids | None = None  # words that it is made for; all of the table if None
    covered: Ids | None = None  # words that something is promised about; the inputs if None
    together: int = 1 << 17  # words that it releases together
    laplace: tuple[float, int] | None = None  # ε and dimensions, if its loss is that of Laplace
    channel: Channel | None = None  # its exact chances, if it knows them
    agreement: Callable[[Ids, Generator], float | None] | None = None  # of a search that may miss
    at: Callable[[float], Mechanism] | None = None  # itself under another ε, sharing what it can
    elsewhere: Callable[[Table, float], Mechanism] | None = None  # itself on another table
    step: Step | None = None  # itself, if it moves what another mechanism releases
    vectors: NoisyVectors | None = None  # itself, if it adds noise to each word's vector
    exponential: Exponential | None = None  # the exponential mechanism that it is, or is made of
    means: NoisyMeans | None = None  # itself, if it adds noise to the mean of a document
    function: Callable[[list[str]], Sequence[str]] | None = None  # itself, if it is one of these


class Mechanism(Protocol):
    """Releases each word independently of the others, under a guarantee for one word."""

    @property
    def name(self) -> str: ...
    @property
    def table(self) -> Table: ...
    @property
    def outputs(self) -> Ids | None: ...  # ids it may release; None: any
    @property
    def guarantee(self) -> Guarantee: ...
    @property
    def settings(self) -> Settings:
        """Its settings beside its name and ε, for certificates."""

    @property
    def declaration(self) -> Declaration: ...
    def release(self, ids: Ids, rng: Generator) -> Ids: ...
    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism: ...


class Step(Mechanism, Protocol):
    """A mechanism that moves what another one releases, seeing nothing else."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that it comes after."""

    def after(self, mechanism: Mechanism) -> Mechanism:
        """Return this step after another mechanism."""


class NoisyVectors(Mechanism, Protocol):
    """A word mechanism that adds noise to a vector for each word, as an audit looks into it."""

    @property
    def noise(self) -> Noise: ...
    @property
    def places(self) -> Table:
        """The table of the vectors that noise is added to."""

    @property
    def image(self) -> Callable[[Floats], Floats] | None:
        """The map from a word's vector to the one that noise is added to, if there is one."""

    @property
    def decode(self) -> Callable[[Floats, Generator], Ids]:
        """The step from noisy vectors to words."""

    def under(self, noise: Noise) -> Mechanism:
        """Return this mechanism with other noise."""

    def decoded(self, decode: Callable[[Floats, Generator], Ids]) -> Mechanism:
        """Return this mechanism with another step from noisy vectors to words."""


class NoisyMeans(Mechanism, Protocol):
    """A mechanism that adds noise to the mean of a bag's features, as an audit looks into it."""

    @property
    def noise(self) -> Noise: ...
    @property
    def features(self) -> Table:
        """The features of all words, before they are divided by what they are stretched by."""

    @property
    def image(self) -> FeatureMap | None:
        """The map from vectors to features, if there is one."""

    @property
    def reach(self) -> float:
        """The farthest that the features of a word are from their centre."""

    def under(self, noise: Noise) -> NoisyMeans:
        """Return this mechanism with other noise."""

    def noisy(self, bags: Sequence[Bag], rng: Generator) -> Floats: ...
    def compose(self, noisy: Floats, size: int, rng: Generator) -> Ids: ...


class ByTicket(Protocol):
    """A document mechanism that draws one uniform ticket for a release, and nothing else."""

    @property
    def tickets(self) -> int:
        """The number of tickets, the same for every private text."""

    def holders(self, items: Sequence[Item], tickets: Ids) -> list[Released]:
        """The releases that hold these tickets, one for each text."""


class DocumentMechanism(Protocol):
    """Releases a document for each text, and declares all that its callers must know."""

    @property
    def name(self) -> str: ...

    @property
    def parameter(self) -> Parameter: ...

    @property
    def value(self) -> float:
        """The value of its parameter."""

    @property
    def form(self) -> Form: ...

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """The guarantees about each document, the widest statement last."""

    @property
    def of_texts(self) -> int:
        """The number of guarantees between texts; these are the last ones."""

    @property
    def distance(self) -> str:
        """The distance in which budgets add up, in words, with the fingerprint of its table."""

    @property
    def metric(self) -> str:
        """The distance between two inputs that the guarantee rests on, in words."""

    @property
    def reduction(self) -> str:
        """The way from a bag to words: a name in REDUCTIONS, `mean`, or empty if there is none."""

    @property
    def settings(self) -> Settings:
        """Its settings beside its name and its parameter, for certificates."""

    @property
    def covers(self) -> str:
        """A sentence on what its guarantee leaves out; empty if that is nothing."""

    @property
    def advice(self) -> str:
        """Advice for readers on what a release tells; empty if nothing must be said."""

    @property
    def exact(self) -> bool:
        """True if releases have exactly the stated probabilities: no float decides them."""

    @property
    def kept_words(self) -> bool:
        """True if the guarantee is about bags of kept words, False if about texts as they are."""

    @property
    def agreement(self) -> float | None:
        """Share of noisy words whose nearest word is found, if the search may miss it."""

    @property
    def blanket(self) -> Blanket | None:
        """The law by which documents hide each other without their order; None if unknown."""

    @property
    def unchanged(self) -> float | None:
        """Share of common kept words that stay as they are, if words are released one by one."""

    @property
    def words(self) -> Mechanism | None:
        """The word mechanism that documents are made by; None if there is none."""

    @property
    def read_as(self) -> Table | None:
        """The table in which an attacker who knows the mechanism reads released words."""

    @property
    def by_ticket(self) -> ByTicket | None:
        """Itself, if a ticket decides each release; None if it draws otherwise."""

    @property
    def batch(self) -> int:
        """Documents released together: what a seed draws depends on it, so it never changes."""

    @property
    def many(self) -> int:
        """Documents released together if no seed must be reproduced: more on a GPU."""

    @property
    def per_worker(self) -> int:
        """Documents that a worker process gets together, at most."""

    def documents(self, vocabulary: Vocabulary, size: int, reduction: str) -> DocumentMechanism:
        """The mechanism itself, for the words of a vocabulary."""

    @property
    def at(self) -> Callable[[float], Mechanism | DocumentMechanism] | None:
        """This mechanism under another value of its parameter, sharing what it can."""

    def item(self, text: str) -> Item:
        """The item that it releases for a text: its bag, or the text."""

    def release(self, items: Sequence[Item], rng: Generator) -> list[Released]: ...

    def log_chances(self, released: Sequence[Released], items: Sequence[Item]) -> Floats | None:
        """ln of the probability, or density, of each release for each item: (releases, items).

        Up to a constant for each release. None if that law is unknown.
        """

    def account(self, x: Item, y: Item) -> Account | None:
        """The loss between two texts, purely and up to a δ; None if that law is unknown."""

    def any_two(self) -> Account | None:
        """The account between texts that are as far apart as texts can be."""

    def one_word(self) -> OneWord | None:
        """The most that one changed word of a text can cost; None if nothing bounds it."""
