"""The kept vocabulary: the words that bags and releases are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b, sha256
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nomdeplume.bag import Bag, Item
from nomdeplume.distance import Cloud, Euclidean, Ground, diameter
from nomdeplume.errors import InputError, PrivacyError
from nomdeplume.table import Table
from nomdeplume.text import StopWords, is_word, pieces, segmented, stop_words, words
from nomdeplume.unspaced import LANGUAGES, Dictionary

if TYPE_CHECKING:
    from nomdeplume.features import Features

Ids = NDArray[np.int64]

DATA = Path(__file__).parent / "data"
EUCLIDEAN = Euclidean()
NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """The words of a table that a text can contain, less the stop words.

    It is public: it depends on the table, the stop list and, if there are any, features
    fitted on public texts, to whose words it is narrowed; never on a text that is released.
    Deleting the other words changes what is near to what, so every promise is
    about bags of these (docs/guarantee.md).
    """

    table: Table
    stop_words: StopWords
    features: Features | None = None

    def __post_init__(self) -> None:
        if self.features is not None and self._usable and not len(self):
            raise InputError(
                f"none of the {len(self.features):,} topic words is a kept word of table "
                f"{self.table.name}; fit features with this table and these stop words."
            )
        if not len(self):
            raise InputError(
                f"no word of table {self.table.name} is left: words must be in lower case, of "
                "letters only, and no stop words ('tables build --lower' makes them lower case)."
            )

    @classmethod
    def of(cls, table: Table, *stop_lists: str, features: Features | None = None) -> Vocabulary:
        """The words of a table less the lists named: `short`, `iso`, `none`, or files.

        Without a name, the usual list of the table's language. With features, of these
        only the topic words.
        """
        named = stop_words(*(stop_lists or ("default",)), language=table.language)
        return cls(table, named, features)

    @classmethod
    def given(cls, vocabulary: Vocabulary | Table | None) -> Vocabulary:
        """A vocabulary, or that of a table less the usual stop words, or that of the bundled."""
        kept = vocabulary if vocabulary is not None else Table.bundled()
        kept = cls.of(kept) if isinstance(kept, Table) else kept
        if not isinstance(kept, Vocabulary):
            raise InputError(
                f"vocabulary must be a Vocabulary or a Table, got {type(kept).__name__}; "
                "Table.open reads files, Table.of takes models."
            )
        return kept

    def __len__(self) -> int:
        return len(self._id_of)

    def __repr__(self) -> str:
        chosen = "topic words" if self.features is not None and self.features.words else "words"
        less = f"{self.table.name} less {self.stop_words.name}"
        return f"<Vocabulary: {len(self):,} {chosen} of {less}>"

    @cached_property
    def ids(self) -> Ids:
        """Ids of the kept words, ascending."""
        return np.fromiter(self._id_of.values(), dtype=np.int64, count=len(self._id_of))

    @cached_property
    def diameter(self) -> float:
        """Largest distance between the vectors of two kept words: no two bags are farther apart."""
        return diameter(self.table.vectors, self.ids)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the kept words in the order of the table."""
        return sha256("\n".join(self._id_of).encode()).hexdigest()

    def fingerprint_of(self, ids: Ids) -> str:
        """The same of some of them, by their ids, however often one is given."""
        some = np.unique(ids)
        if np.array_equal(some, self.ids):
            return self.fingerprint
        return sha256("\n".join(self.table.words[i] for i in some.tolist()).encode()).hexdigest()

    def holds(self, ids: Ids | None) -> bool:
        """Whether all these ids are kept; none given means all of the table's."""
        if ids is None:
            return len(self) == len(self.table)
        return bool(np.isin(ids, self.ids).all())

    def __contains__(self, word: object) -> bool:
        return word in self._id_of

    def bag(self, text: str) -> Bag:
        """The kept words of a text with their counts; everything else is forgotten."""
        seen = self.features is not None and self.features.fitted_on(text)
        if self.table.language not in LANGUAGES:
            parts = list(map(self._found, segmented(text, self.table.language)))
            return Bag.from_ids(np.concatenate(parts) if parts else NONE, seen=seen)
        known = self._id_of
        found = words(text, self.table.language, self._dictionary)
        counts = {known[word]: count for word, count in found.items() if word in known}
        return Bag.of(counts, seen=seen)

    def _found(self, segments: list[str]) -> Ids:
        """Ids of the kept words that segments of a text are, or have as pieces.

        A kept word is its own and only piece, and a segment of letters has no other.
        """
        known, language = self._id_of, self.table.language
        ids = np.fromiter(map(self._place.get, segments, repeat(-1)), np.int64, len(segments))
        others = [segments[i] for i in (ids == -1).nonzero()[0].tolist()]
        within = [p for o in others if not o.isalpha() for p in pieces(o, language) if p in known]
        more = np.array([known[piece] for piece in within], dtype=np.int64)
        return np.concatenate((ids[ids >= 0], more))

    def words_of(self, text: str) -> str:
        """The kept words of a text in alphabetical order, each as often as it occurs."""
        bag, words = self.bag(text), self.table.words
        return " ".join(sorted(words[i] for i in np.repeat(bag.ids, bag.counts).tolist()))

    def bags(self, texts: Iterable[str]) -> Iterator[Bag]:
        """The bags of many texts, one after the other."""
        return (bag for _, bag in self.read(texts))

    def read(self, texts: Iterable[str]) -> Iterator[tuple[str, Bag]]:
        """Each text, seen to be one, and its bag."""
        return ((text, self.bag(text)) for text in self.texts(texts))

    def texts(self, texts: Iterable[str]) -> Iterator[str]:
        """Each text, seen to be one."""
        if isinstance(texts, str | Mapping) or not hasattr(texts, "__iter__"):
            raise InputError(f"texts must be a list of strings, got one {type(texts).__name__}.")
        if hasattr(texts, "columns"):
            raise InputError("texts must be one column of the frame, not all of it.")
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                raise InputError(f"text {number} must be a string, got {type(text).__name__}.")
            yield text

    def refuse_seen(self, bags: Iterable[Bag]) -> None:
        """Refuse to release texts that the topic words were fitted on.

        Which words are kept would then depend on private texts, and no promise covers that.
        """
        if any(bag.seen for bag in bags):
            raise PrivacyError(
                "the topic words were fitted on texts that are to be released, so that what is "
                "kept tells about them; fit them on public texts, or say so: nomdeplume features "
                "fit --i-know-this-leaks."
            )

    def bagged(self, items: Iterable[Item]) -> list[Bag]:
        """The bags of texts and bags, refused if the kept words were fitted on one of them."""
        bags = [item if isinstance(item, Bag) else self.bag(item) for item in items]
        self.refuse_seen(bags)
        return bags

    def filled(self, text: Item) -> Bag:
        """The bag of a text, or a bag, as it is released: the public one if it keeps no word."""
        if isinstance(text, Bag):
            return self.or_public(text)
        [bag] = self.bags([text])
        return self.or_public(bag)

    @cached_property
    def references(self) -> Mapping[str, tuple[Bag, Bag]]:
        """The bags of pairs of public texts in the table's language; none if no texts ship."""
        pairs = self.reference_texts.items()
        bags = {
            text: self.bag(text)
            for text in dict.fromkeys(chain.from_iterable(pair for _, pair in pairs))
        }
        return {name: (bags[one], bags[other]) for name, (one, other) in pairs}

    @cached_property
    def reference_texts(self) -> Mapping[str, tuple[str, str]]:
        """Pairs of public texts in the table's language, by what they are; none if none ship."""
        path = DATA / f"reference-{self.table.language}.json"
        if not path.is_file():
            return {}
        pairs = json.loads(path.read_text(encoding="utf-8"))
        return {name: (one, other) for name, (one, other) in pairs.items()}

    def or_public(self, bag: Bag) -> Bag:
        """A bag, or what stands in for one without words."""
        return bag if len(bag) else self.public_bag

    def cloud(self, bag: Bag, ground: Ground = EUCLIDEAN) -> Cloud:
        """The vectors of a bag, or where else a metric places its words; with their counts."""
        vectors = self.table.vectors[bag.ids].astype(np.float64)
        return Cloud(ground.places(vectors, bag.ids), bag.counts)

    @cached_property
    def public_bag(self) -> Bag:
        """What stands in for a text without kept words: the first kept word of the table."""
        return Bag.of({int(self.ids[0]): 1})

    @cached_property
    def alphabetical(self) -> tuple[Ids, NDArray[np.object_]]:
        """Each id's place in the alphabet, and the words in alphabetical order."""
        ordered = sorted(self._id_of)
        place = np.full(len(self.table), -1, dtype=np.int64)
        place[[self._id_of[word] for word in ordered]] = np.arange(len(ordered))
        return place, np.array(ordered, dtype=object)

    @cached_property
    def tie_order(self) -> Ids:
        """Each id's place in the order of a public hash of its word, which settles ties."""
        place = np.full(len(self.table), -1, dtype=np.int64)
        hashed = sorted(self._id_of, key=lambda word: blake2b(word.encode()).digest())
        place[[self._id_of[word] for word in hashed]] = np.arange(len(hashed))
        return place

    @cached_property
    def _dictionary(self) -> Dictionary | None:
        """What parts a text of a language without spaces: all words, those that are stopped too."""
        if self.table.language not in LANGUAGES:
            return None
        return Dictionary.of(chain(self._usable, self.stop_words.words))

    @cached_property
    def _id_of(self) -> dict[str, int]:
        if self.features is None or not self.features.words:
            return self._usable
        chosen = frozenset(self.features.words)
        return {word: i for word, i in self._usable.items() if word in chosen}

    @cached_property
    def _place(self) -> dict[str, int]:
        """Ids of kept words, and −2 for words of letters that are known not to be kept."""
        others = chain(self._usable, self.stop_words.words)
        return {word: -2 for word in others if word.isalpha()} | self._id_of

    @cached_property
    def _usable(self) -> dict[str, int]:
        """Ids of the words that a text can contain, less the stop words."""
        stopped = self.stop_words.words
        return {
            word: i
            for i, word in enumerate(self.table.words)
            if word not in stopped and is_word(word, self.table.language)
        }
