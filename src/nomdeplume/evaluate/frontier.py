"""The frontier: how much topic is kept at how much of the author given away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nomdeplume.evaluate.identification import DOCUMENTS

LEVELS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = 6  # levels of author accuracy in a summary

Cell = Mapping[str, Any]
Facts = dict[str, Any]


def topic_of(cell: Cell) -> Facts | None:
    """How well topics are told by whoever is given the release: the better of the two models."""
    return _better(cell["topic"] and cell["topic"]["release_to_release"])


def clean_topic(before: Cell) -> Facts | None:
    return _better(before["topic"])


def author_of(cell: Cell, documents: str = "1") -> Facts | None:
    """Return the accuracy of the best adaptive attacker from this many documents of one author."""
    name = (cell.get("best") or {}).get(documents)
    return name and cell["attackers"][name]["adaptive"]["accuracy"][documents]


def clean_author(before: Cell, documents: str = "1") -> Facts | None:
    """Return the accuracy of the best attacker on this many clean texts of one author."""
    told = [each["accuracy"].get(documents) for each in (before.get("attackers") or {}).values()]
    return max(filter(None, told), key=lambda each: each["value"], default=None)


def several(told: Callable[[str], Facts | None]) -> tuple[str, Facts] | None:
    """The most documents of one author that were attacked together, and what `told` says of them.

    None if no two authors have so many: then only single documents were attacked.
    """
    counts = [str(count) for count in DOCUMENTS if count > 1]
    return next(((each, found) for each in reversed(counts) if (found := told(each))), None)


def by_budget(cells: Sequence[Cell], times: float = 1.0) -> list[Facts]:
    """For each mechanism the best size at each budget, by topic; budgets `times` over."""
    return [
        {"mechanism": title, "points": [_point(cells, i, times) for i in _best_sizes(cells, mine)]}
        for title, mine in _by_title(cells).items()
    ]


def by_attack(
    cells: Sequence[Cell], before: Cell, floors: Mapping[str, Any], topic_floor: float
) -> list[Facts]:
    """For each mechanism the points that no other beats in both, and what follows from them.

    This axis compares mechanisms whose ε differ in meaning: at equal attack success.
    """
    author, topic = clean_author(before), clean_topic(before)
    if author is None or topic is None:
        return []
    low, high = floors["chance"], author["value"]
    levels = [level for level in LEVELS if low < level < high]
    step = max(1, -(-len(levels) // SHOWN))
    found = []
    for title, mine in _by_title(cells).items():
        front = _undominated([_point(cells, i) for i in mine])
        area = _area(front, low, high, topic_floor) / topic["value"] if topic["value"] else 0.0
        at = [_topic_at(front, level) for level in levels[::step]]
        found.append({"mechanism": title, "points": front, "area": area, "topic_at": at})
    return found


def _better(models: Mapping[str, Any] | None) -> Facts | None:
    """The accuracy of whichever model tells more."""
    told = [each["accuracy"] for each in (models or {}).values()]
    return max(told, key=lambda each: each["value"]) if told else None


def _by_title(cells: Sequence[Cell]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for i, cell in enumerate(cells):
        if cell["budget"] is not None:
            found.setdefault(cell["title"], []).append(i)
    return found


def _best_sizes(cells: Sequence[Cell], mine: Sequence[int]) -> list[int]:
    """Of the cells with one budget the one that keeps most topic, else the least author told."""
    best: dict[float, int] = {}
    for i in mine:
        budget = round(cells[i]["budget"], 9)
        if budget not in best or _rank(cells[i]) > _rank(cells[best[budget]]):
            best[budget] = i
    return [best[budget] for budget in sorted(best)]


def _rank(cell: Cell) -> tuple[float, float]:
    topic, author = topic_of(cell), author_of(cell)
    return (topic["value"] if topic else 0.0, -author["value"] if author else 0.0)


def _point(cells: Sequence[Cell], i: int, times: float = 1.0) -> Facts:
    cell = cells[i]
    return {
        "budget": cell["budget"] * times,
        "epsilon": cell["epsilon"],
        "size": cell["size"],
        "topic": topic_of(cell),
        "author": author_of(cell),
        "cell": i,
    }


def _undominated(points: Sequence[Facts]) -> list[Facts]:
    """Points to which no other has more topic at less author, by author ascending."""
    front: list[Facts] = []
    for point in sorted(points, key=lambda p: (p["author"]["value"], -p["topic"]["value"])):
        if not front or point["topic"]["value"] > front[-1]["topic"]["value"]:
            front.append(point)
    return front


def _area(front: Sequence[Facts], low: float, high: float, floor: float) -> float:
    """The mean over x between low and high of the topic kept at an author accuracy ≤ x.

    Below the first point nothing was tried, and topics are worth their floor.
    """
    if high <= low:
        return 0.0
    area, x, kept = 0.0, low, floor
    for point in front:
        edge = min(max(point["author"]["value"], low), high)
        area += (edge - x) * kept
        x, kept = edge, max(kept, point["topic"]["value"])
    return (area + (high - x) * kept) / (high - low)


def _topic_at(front: Sequence[Facts], level: float) -> Facts:
    under = [point for point in front if point["author"]["value"] <= level]
    return {
        "author_at_most": level,
        "topic": under[-1]["topic"]["value"] if under else None,
        "cell": under[-1]["cell"] if under else None,
    }
