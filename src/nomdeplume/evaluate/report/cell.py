"""A cell as a report sees it: a mechanism at one ε and size, and what was measured there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.reading import at, better, figure_of, mapping, number, words

UNNAMED = "unnamed mechanism"
KINDS = ("words", "vectors")  # what a topic is told from


@dataclass(frozen=True, eq=False)
class Cell:
    """One setting: where it stands among the cells, and its facts."""

    place: int
    facts: Mapping[str, Any]

    @property
    def title(self) -> str:
        return words(self.facts.get("title")) or words(self.facts.get("mechanism")) or UNNAMED

    @property
    def setting(self) -> str:
        """ε, N and E, those that are known."""
        named = (("ε", "epsilon"), ("N", "size"), ("E", "budget"))
        known = [(sign, number(self.facts.get(name))) for sign, name in named]
        return " · ".join(f"{sign}\u00a0{value:,.6g}" for sign, value in known if value is not None)

    @property
    def label(self) -> str:
        return f"{self.title} · {self.setting}" if self.setting else self.title

    @property
    def private(self) -> bool:
        return self.facts.get("not_private") is not True

    @property
    def at_once(self) -> bool:
        """Return True if documents are released by their means: a budget and no ε per word."""
        budget = number(self.facts.get("budget"))
        return budget is not None and number(self.facts.get("epsilon")) is None

    @property
    def attackers(self) -> Mapping[str, Any]:
        return mapping(self.facts.get("attackers"))

    def accuracy(self, name: str, count: str = "1", *, way: str = "adaptive") -> Figure | None:
        return figure_of(at(self.attackers, name, way, "accuracy", count))

    def best(self, count: str = "1", *, way: str = "adaptive") -> str:
        """The attacker who names most authors; as the results say it, where they do."""
        said = words(at(self.facts, "best", count)) if way == "adaptive" else ""
        if said in self.attackers:
            return said
        found = {name: self.accuracy(name, count, way=way) for name in self.attackers}
        known = {name: figure.value for name, figure in found.items() if figure}
        return max(known, key=known.__getitem__, default="")

    def author(self, count: str = "1", *, way: str = "adaptive") -> Figure | None:
        """How often the best attacker names the right author."""
        return self.accuracy(self.best(count, way=way), count, way=way)

    def topic(self, direction: str = "release_to_release") -> Figure | None:
        """How often the right topic is told, from words or from vectors, the better of both."""
        told = at(self.facts, "topic", direction)
        return better(*(figure_of(at(told, kind, "accuracy")) for kind in KINDS))

    def recovered(self) -> Figure | None:
        """The share of words that the better of two reconstructions brings back."""
        rebuilt = at(self.facts, "reconstruction")
        return better(*(figure_of(at(rebuilt, kind)) for kind in ("nearest", "bayes")))


def counts(attackers: Mapping[str, Any]) -> list[str]:
    """For how many documents something was measured, of clean texts or of releases."""
    found: dict[str, None] = {}
    for facts in attackers.values():
        for way in (facts, at(facts, "adaptive"), at(facts, "static")):
            accuracy = mapping(at(way, "accuracy"))
            found |= {
                str(count): None
                for count, f in accuracy.items()
                if figure_of(f) and count.isdigit()
            }
    return list(found)
