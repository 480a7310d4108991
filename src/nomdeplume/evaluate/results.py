"""Results of an evaluation: figures of the clean texts and of every cell, and a summary of them.

All types are frozen values that become JSON and are read back as they were (store.py). None, or
an empty collection, stands where nothing was measured: topics of a corpus without topics, say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nomdeplume.errors import InputError, positive, whole
from nomdeplume.evaluate.figures import Figure

ELSEWHERE = "released elsewhere"

Certificate = dict[str, Any]  # its JSON; nomdeplume.privacy has its type, and checks it
Matrix = tuple[tuple[float, ...], ...]
Guesses = tuple[int, tuple[tuple[int, float], ...]]  # place of a text; authors and their chances


@dataclass(frozen=True)
class Corpus:
    """The texts that were evaluated."""

    name: str
    documents: int
    authors: int
    topics: int
    kept_words: float  # in a text, on average
    left_out: int  # texts without a label, or of an author with too few


@dataclass(frozen=True)
class Protocol:
    """The protocol: how texts were split, released and attacked, with which table."""

    folds: int
    split: str
    draws: int
    training_draws: int
    seed: int | None
    documents: tuple[int, ...]  # of one author, that an attacker gets
    attackers: tuple[str, ...]
    prior: str
    table: str
    table_words: int
    dimensions: int
    kept: int
    fingerprint: str
    features: str | None


@dataclass(frozen=True)
class Label:
    """An author or a topic, and the number of its documents."""

    name: str
    documents: int


@dataclass(frozen=True)
class Floors:
    """Accuracy of guesses at the author that read nothing; `topic_oracle` knows the true topic."""

    chance: float
    majority: Figure
    topic_oracle: Figure | None

    def __post_init__(self) -> None:
        if not 0 < self.chance <= 1:
            raise InputError("chance must be above 0 and at most 1.")


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of one attacker, by the number of documents it gets of one author."""

    accuracy: Mapping[int, Figure]  # only numbers that at least two authors have
    macro_f1: Figure


@dataclass(frozen=True)
class Attack:
    """Accuracy of one attacker trained on releases, and trained on clean texts only."""

    adaptive: Accuracy
    static: Accuracy | None


@dataclass(frozen=True)
class Verification:
    """Same author or not: the area under the curve, and c@1, which rewards open answers."""

    auc: Figure
    c_at_1: Figure


@dataclass(frozen=True)
class TopicModel:
    """Accuracy and macro F1 of one topic model."""

    accuracy: Figure
    macro_f1: Figure


@dataclass(frozen=True)
class Topic:
    """Figures of topic models on words and on mean vectors."""

    words: TopicModel
    vectors: TopicModel

    @property
    def accuracy(self) -> Figure:
        """Accuracy of the better model."""
        return highest((self.words.accuracy, self.vectors.accuracy)) or self.words.accuracy


@dataclass(frozen=True)
class Directions:
    """Topic figures by what the models were trained on and tested on."""

    release_to_release: Topic
    release_to_clean: Topic
    clean_to_release: Topic


@dataclass(frozen=True)
class Distances:
    """Word Mover's Distance, distance of the means, and share of released words in the text."""

    word_mover: Figure
    centroid: Figure
    kept: Figure


@dataclass(frozen=True)
class Reconstruction:
    """Shares of words told right: by taking the released word, and by asking Bayes.

    Without `bayes`, `nearest` is the share of words that a text and its release have in common.
    """

    nearest: Figure
    bayes: Figure | None = None


@dataclass(frozen=True)
class Odds:
    """By what factor a release can shift the odds between two public texts."""

    pair: str
    distance: float
    factor: str


@dataclass(frozen=True)
class Example:
    """A released document, and its topic; blank without topics."""

    topic: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Clean:
    """Figures of the texts as they are."""

    attackers: Mapping[str, Accuracy] = field(default_factory=dict)
    topic: Topic | None = None
    verification: Verification | None = None
    confusion: Matrix = ()
    per_author: tuple[Figure, ...] = ()
    named: tuple[Guesses, ...] = ()

    def best(self, documents: int = 1) -> str:
        """Name of the attacker who is right most often; blank if none gets so many documents."""
        return best(self.attackers, documents)

    def author(self, documents: int = 1) -> Figure | None:
        """Accuracy of the best attacker on so many documents of one author."""
        return accuracy(self.attackers, documents)

    @property
    def topic_accuracy(self) -> Figure | None:
        return None if self.topic is None else self.topic.accuracy


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Figures of releases under one setting; unless a mechanism is named, made elsewhere."""

    mechanism: str = ELSEWHERE
    title: str = ELSEWHERE
    epsilon: float | None = None
    size: int | None = None
    budget: float | None = None
    symbol: str = "E"  # of the budget, or of the parameter in its place
    advice: str = ""  # what readers may conclude from a release
    metric: str = ""
    formula: str = ""
    covers: str = ""
    odds: tuple[Odds, ...] = ()
    promise: tuple[str, ...] = ()
    unchanged: float | None = None
    certificate: Certificate | None = None
    ceiling: float | None = None  # of author accuracy from one document, by plain ε alone
    attackers: Mapping[str, Attack] = field(default_factory=dict)
    topic: Directions | None = None
    verification: Verification | None = None
    confusion: Matrix = ()  # of the best attacker: row, the true author; column, the one named
    per_author: tuple[Figure, ...] = ()  # share of each author's documents named rightly
    named: tuple[Guesses, ...] = ()
    distances: Distances | None = None
    examples: tuple[Example, ...] = ()
    reconstruction: Reconstruction | None = None
    not_private: bool = False
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("epsilon", self.epsilon), ("budget", self.budget)):
            if value is not None:
                positive(name, value)
        if self.size is not None:
            whole("size", self.size)
        if self.ceiling is not None and not 0 < self.ceiling <= 1:
            raise InputError("a ceiling must be above 0 and at most 1.")

    @property
    def adaptive(self) -> Mapping[str, Accuracy]:
        """Attackers trained on releases."""
        return {name: each.adaptive for name, each in self.attackers.items()}

    @property
    def static(self) -> Mapping[str, Accuracy]:
        """Attackers trained on clean texts only."""
        return {name: each.static for name, each in self.attackers.items() if each.static}

    def best(self, documents: int = 1) -> str:
        """Name of the adaptive attacker who is right most often; blank if none gets so many."""
        return best(self.adaptive, documents)

    def author(self, documents: int = 1) -> Figure | None:
        """Accuracy of the best adaptive attacker on so many documents of one author."""
        return accuracy(self.adaptive, documents)

    @property
    def topic_accuracy(self) -> Figure | None:
        """Accuracy of the better topic model that was trained and tested on releases."""
        return None if self.topic is None else self.topic.release_to_release.accuracy

    @property
    def recovered(self) -> Figure | None:
        """Share of words that the better reconstruction recovers."""
        found = self.reconstruction
        return None if found is None else highest((found.nearest, found.bayes))

    @property
    def setting(self) -> str:
        """ε, N and E, or another parameter: those that are known."""
        named = (("ε", self.epsilon), ("N", self.size), (self.symbol, self.budget))
        return " · ".join(f"{sign}\u00a0{value:,.6g}" for sign, value in named if value is not None)

    @property
    def label(self) -> str:
        return f"{self.title} · {self.setting}" if self.setting else self.title


@dataclass(frozen=True)
class Point:
    """A cell in a chart, by its place among the cells; the budget may be that of an author."""

    budget: float
    epsilon: float | None
    size: int | None
    topic: Figure | None
    author: Figure | None
    cell: int

    def __post_init__(self) -> None:
        positive("budget", self.budget)


@dataclass(frozen=True)
class Series:
    """Points of one mechanism, by budget ascending."""

    mechanism: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Limit:
    """The most topic at an author accuracy no higher than this, and the cell that has it."""

    author_at_most: float
    topic: float | None
    cell: int | None


@dataclass(frozen=True)
class Frontier:
    """Points of one mechanism that no other of its points beats in both topic and author."""

    mechanism: str
    points: tuple[Point, ...]
    area: float
    topic_at: tuple[Limit, ...]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Conclusions from the figures; `balance` is the place of the best cell."""

    by_budget: tuple[Series, ...] = ()
    by_author_budget: tuple[Series, ...] = ()
    by_attack: tuple[Frontier, ...] = ()
    balance: int | None = None
    conclusion: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Series | Frontier, ...]:
        return (*self.by_budget, *self.by_author_budget, *self.by_attack)

    @property
    def places(self) -> set[int]:
        """Places of all cells that the summary names."""
        points = {point.cell for line in self.lines for point in line.points}
        limits = {limit.cell for line in self.by_attack for limit in line.topic_at}
        return {place for place in (self.balance, *points, *limits) if place is not None}


@dataclass(frozen=True, kw_only=True)
class Results:
    """All figures of an evaluation."""

    nomdeplume: str  # version
    corpus: Corpus
    protocol: Protocol
    authors: tuple[Label, ...] = ()
    topics: tuple[Label, ...] = ()
    floors: Floors | None = None
    clean: Clean
    cells: tuple[Cell, ...] = ()
    summary: Summary = Summary()

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together, as those of a damaged file may not."""
        n = len(self.authors)
        for matrix in (self.clean.confusion, *(cell.confusion for cell in self.cells)):
            if matrix and {len(matrix), *map(len, matrix)} != {n}:
                raise InputError("a confusion matrix must have a row and a column for each author.")
            if not all(0 <= min(row) <= max(row) <= 1 for row in matrix):
                raise InputError("a confusion matrix must hold shares from 0 to 1.")
        for figures in (self.clean.per_author, *(cell.per_author for cell in self.cells)):
            if len(figures) not in (0, n):
                raise InputError("figures by author must be as many as authors.")
        titles = {line.mechanism for line in self.summary.lines}
        if not (titles <= {*self.mechanisms} and self.summary.places <= {*range(len(self.cells))}):
            raise InputError("a summary must name cells that are there.")

    @property
    def chosen(self) -> Cell | None:
        """The cell with the best balance, which a report looks at closely."""
        return None if self.summary.balance is None else self.cells[self.summary.balance]

    @property
    def mechanisms(self) -> dict[str, int]:
        """Titles in the order in which they occur: the place decides colour and mark."""
        return {title: i for i, title in enumerate(dict.fromkeys(c.title for c in self.cells))}

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of documents of one author that attackers got."""
        attackers = self.clean.attackers.values()
        return tuple(sorted({count for each in attackers for count in each.accuracy}))

    @property
    def most(self) -> int:
        """The most documents of one author that were attacked together; 1 if only single ones."""
        return max(self.counts, default=1)

    @property
    def chance(self) -> float | None:
        return None if self.floors is None else self.floors.chance

    @property
    def blind(self) -> tuple[tuple[str, Figure], ...]:
        """Guesses at an author without reading a word, weakest first; none without authors."""
        if self.floors is None:
            return ()
        oracle = self.floors.topic_oracle
        return (
            ("chance", Figure.exact(self.floors.chance)),
            ("most frequent author", self.floors.majority),
            *([("true topic alone", oracle)] if oracle else []),
        )

    @property
    def floor(self) -> float | None:
        """Accuracy of the best guess at an author without reading a word."""
        return max((figure.value for _, figure in self.blind), default=None)

    @property
    def largest_topic(self) -> float | None:
        """The share of documents of the most frequent topic: accuracy of always guessing it."""
        sizes = [each.documents for each in self.topics]
        return max(sizes) / sum(sizes) if sum(sizes) else None


def best(attackers: Mapping[str, Accuracy], documents: int) -> str:
    """Name of the attacker who is right most often; blank if none gets so many documents."""
    found = {name: each.accuracy.get(documents) for name, each in attackers.items()}
    known = {name: figure.value for name, figure in found.items() if figure}
    return max(known, key=known.__getitem__, default="")


def accuracy(attackers: Mapping[str, Accuracy], documents: int) -> Figure | None:
    """Accuracy of the attacker who is right most often; None if none gets so many documents."""
    return highest(each.accuracy.get(documents) for each in attackers.values())


def several(attackers: Mapping[str, Accuracy]) -> tuple[int, Figure] | None:
    """The most documents of one author that were attacked together, and the best accuracy.

    None if no two authors have so many: then only single documents were attacked.
    """
    most = max((count for each in attackers.values() for count in each.accuracy), default=1)
    found = accuracy(attackers, most)
    return (most, found) if found and most > 1 else None


def highest(figures: Iterable[Figure | None]) -> Figure | None:
    """The largest of the figures that were measured."""
    return max((each for each in figures if each), key=lambda each: each.value, default=None)
