"""The frontier: how much topic is kept at how much of the author given away."""

from __future__ import annotations

from collections.abc import Sequence

from nomdeplume.evaluate.results import Cell, Frontier, Limit, Point, Results, Series
from nomdeplume.privacy.certificate import ODDS

LEVELS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = 6  # levels of author accuracy in a summary

Spot = tuple[float, float, Point]  # accuracy of authors and of topics, and the cell's point


def by_budget(cells: Sequence[Cell], times: float = 1.0) -> tuple[Series, ...]:
    """For each mechanism with budgets the best size at each, by topic; budgets `times` over.

    Odds between any two texts are no budget for a unit of distance: they are left out.
    """
    spending = [cell for cell in cells if cell.symbol != ODDS]
    return tuple(
        Series(title, tuple(_best_sizes(_points(cells, title, times))))
        for title in _titles(spending)
    )


def by_attack(results: Results) -> tuple[Frontier, ...]:
    """For each mechanism the points that no other beats in both, and what follows from them.

    This axis compares mechanisms whose ε differ in meaning: at equal attack success.
    """
    author, topic = results.clean.author(), results.clean.topic_accuracy
    if author is None or topic is None:
        return ()
    low, high, floor = results.chance or 0.0, author.value, results.largest_topic or 0.0
    levels = [level for level in LEVELS if low < level < high]
    step = max(1, -(-len(levels) // SHOWN))
    found = []
    for title in _titles(results.cells):
        front = _undominated(_points(results.cells, title))
        area = _area(front, low, high, floor) / topic.value if topic.value else 0.0
        limits = tuple(_topic_at(front, level) for level in levels[::step])
        found.append(Frontier(title, tuple(point for *_, point in front), area, limits))
    return tuple(found)


def _titles(cells: Sequence[Cell]) -> list[str]:
    """Titles of the mechanisms that have a budget."""
    return list(dict.fromkeys(cell.title for cell in cells if cell.budget is not None))


def _points(cells: Sequence[Cell], title: str, times: float = 1.0) -> list[Point]:
    """The points of one mechanism; budgets `times` over."""
    return [
        Point(cell.budget * times, cell.epsilon, cell.size, cell.topic_accuracy, cell.author(), i)
        for i, cell in enumerate(cells)
        if cell.title == title and cell.budget is not None
    ]


def _best_sizes(points: Sequence[Point]) -> list[Point]:
    """Of the points with one budget the one that keeps most topic, else the least author told."""
    best: dict[float, Point] = {}
    for point in points:
        budget = round(point.budget, 9)
        if budget not in best or _rank(point) > _rank(best[budget]):
            best[budget] = point
    return [best[budget] for budget in sorted(best)]


def _rank(point: Point) -> tuple[float, float]:
    topic, author = point.topic, point.author
    return (topic.value if topic else 0.0, -author.value if author else 0.0)


def _undominated(points: Sequence[Point]) -> list[Spot]:
    """Points to which no other has more topic at less author, by author ascending."""
    spots = [(p.author.value, p.topic.value, p) for p in points if p.author and p.topic]
    front: list[Spot] = []
    for spot in sorted(spots, key=lambda each: (each[0], -each[1])):
        if not front or spot[1] > front[-1][1]:
            front.append(spot)
    return front


def _area(front: Sequence[Spot], low: float, high: float, floor: float) -> float:
    """The mean over x between low and high of the topic kept at an author accuracy ≤ x.

    Below the first point nothing was tried, and topics are worth their floor.
    """
    if high <= low:
        return 0.0
    area, x, kept = 0.0, low, floor
    for author, topic, _ in front:
        edge = min(max(author, low), high)
        area += (edge - x) * kept
        x, kept = edge, max(kept, topic)
    return (area + (high - x) * kept) / (high - low)


def _topic_at(front: Sequence[Spot], level: float) -> Limit:
    under = [(topic, point.cell) for author, topic, point in front if author <= level]
    topic, cell = under[-1] if under else (None, None)
    return Limit(level, topic, cell)
