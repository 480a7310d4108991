"""The study that a report is about: its cells, and the one that is looked at closely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.cell import Cell, counts
from nomdeplume.evaluate.report.reading import (
    at,
    better,
    figure_of,
    mapping,
    number,
    sentences,
    sequence,
    words,
)

FLOORS = (  # what is told of an author without reading a word, weakest guess first
    ("chance", "chance"),
    ("majority", "most frequent author"),
    ("topic_oracle", "true topic alone"),
)
CLOSE = 0.02  # author accuracies that differ by less are taken as equally near to the floor


@dataclass(frozen=True)
class Person:
    """An author: a name, and how many documents there are of him or her."""

    name: str
    documents: float | None


@dataclass(frozen=True, eq=False)
class Study:
    """Results, with the questions that a report asks of them."""

    results: Mapping[str, Any]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        found = enumerate(sequence(at(self.results, "cells")))
        return tuple(Cell(place, facts) for place, facts in found if isinstance(facts, Mapping))

    @cached_property
    def mechanisms(self) -> dict[str, int]:
        """Titles in the order in which they occur: the place decides colour and mark."""
        return {title: i for i, title in enumerate(dict.fromkeys(c.title for c in self.cells))}

    @cached_property
    def people(self) -> tuple[Person, ...]:
        rows = sequence(at(self.results, "authors"))
        return tuple(
            Person(words(at(row, "name")) or f"author {i + 1}", number(at(row, "documents")))
            for i, row in enumerate(rows)
        )

    @cached_property
    def attackers(self) -> tuple[str, ...]:
        named = sentences(at(self.results, "protocol", "attackers"))
        cells = [name for cell in self.cells for name in cell.attackers]
        clean = mapping(at(self.results, "clean", "attackers"))
        return tuple(name for name in dict.fromkeys([*named, *clean, *cells]) if words(name))

    @cached_property
    def counts(self) -> tuple[str, ...]:
        """How many documents of one author an attacker gets, as it is written in results."""
        asked = [str(each) for each in sequence(at(self.results, "protocol", "documents"))]
        found = {count for cell in self.cells for count in counts(cell.attackers)}
        found |= set(counts(mapping(at(self.results, "clean", "attackers"))))
        return tuple(sorted({*asked, *found} & found, key=lambda each: (len(each), each)))

    @property
    def most(self) -> str:
        """The most documents of one author that were attacked together; "1" if only single ones."""
        return self.counts[-1] if self.counts else "1"

    @cached_property
    def floors(self) -> tuple[tuple[str, Figure], ...]:
        floors = at(self.results, "floors")
        found = [(label, floors_figure(at(floors, name))) for name, label in FLOORS]
        return tuple((label, figure) for label, figure in found if figure)

    @property
    def chance(self) -> float | None:
        return number(at(self.results, "floors", "chance"))

    @property
    def floor(self) -> float | None:
        """The best guess at an author without reading a word."""
        return max((figure.value for _, figure in self.floors), default=None)

    def clean_author(self, count: str = "1") -> Figure | None:
        """The best attacker on clean texts that gets so many documents."""
        attackers = mapping(at(self.results, "clean", "attackers"))
        return better(*(figure_of(at(a, "accuracy", count)) for a in attackers.values()))

    @property
    def clean_topic(self) -> Figure | None:
        topic = at(self.results, "clean", "topic")
        return better(*(figure_of(at(topic, kind, "accuracy")) for kind in ("words", "vectors")))

    @property
    def largest_topic(self) -> float | None:
        """The share of documents of the most frequent topic: what guessing it always gives."""
        sizes = [number(at(row, "documents")) for row in sequence(at(self.results, "topics"))]
        known = [size for size in sizes if size]
        return max(known) / sum(known) if known else None

    def cell(self, place: Any) -> Cell | None:
        return next((cell for cell in self.cells if cell.place == place), None)

    @cached_property
    def chosen(self) -> Cell | None:
        """The best balance, as the conclusion has it; else the best topic near the author's floor.

        A cell whose interval reaches down to the floor is as near as a measurement can tell.
        """
        if balance := self.cell(at(self.results, "summary", "balance")):
            return balance
        measured = [(cell, figure) for cell in self.cells if (figure := cell.author())]
        if not measured:
            return max(self.cells, key=_topic, default=None)
        floor = self.floor or 0.0
        hidden = [cell for cell, figure in measured if figure.low <= floor]
        least = min(figure.value for _, figure in measured)
        near = [cell for cell, figure in measured if figure.value <= least + CLOSE]
        return max(hidden or near, key=_topic)


def floors_figure(thing: Any) -> Figure | None:
    """A floor may be a figure, or a number that needs no measuring."""
    value = number(thing)
    return figure_of(thing) if value is None else Figure.exact(value)


def _topic(cell: Cell) -> tuple[float, float]:
    """What of two cells is the better one to look at: more topic, then less author."""
    topic, author = cell.topic(), cell.author()
    return (topic.value if topic else -1.0, -author.value if author else 0.0)
