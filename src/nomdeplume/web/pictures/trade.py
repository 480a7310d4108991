"""A chart of topic accuracy over author accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report import chart
from nomdeplume.evaluate.report.chart import Frame
from nomdeplume.evaluate.report.frontier import STAR
from nomdeplume.evaluate.report.wording import told
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.axis import Axis
from nomdeplume.picture.writing import ems, fit
from nomdeplume.web.pictures.paper import NARROW, WIDE, share, svg

LETTERS = 15.0  # of a wide one; the narrow one has smaller ones, of which fewer fit
SMALL = 12.5
NAMES = ("author named correctly, from one text", "topic told correctly")
CLEAN = "clean text"
RING = 11.0
ROW = 1.5  # letters from one line of the legend to the next
Spot = tuple[Cell, float, Figure, Figure | None]  # a cell, its budget, its author and its topic


@dataclass(frozen=True, eq=False)
class Plot:
    """Results, the cell that is chosen among them, and where its points stand."""

    results: Results
    chosen: Cell | None
    spots: tuple[Spot, ...]
    frame: Frame
    letters: float

    @property
    def topics(self) -> bool:
        return self.spots[0][3] is not None

    def at(self, spot: Spot) -> tuple[float, float]:
        _, budget, author, topic = spot
        if topic:
            return self.frame.x.at(author.value), self.frame.y.at(topic.value)
        return self.frame.x.at(budget), self.frame.y.at(author.value)


def trade(results: Results, chosen: int | None = None, *, narrow: bool = False) -> str:
    """Topic over author, a point for each budget; without topics, author over budget.

    `chosen` is the place of a cell among the results' cells. Nothing where none was measured.
    """
    spots = _spots(results)
    if not spots:
        return ""
    cell, letters = None if chosen is None else results.cells[chosen], SMALL if narrow else LETTERS
    plot = Plot(results, cell, spots, _frame(results, spots, narrow=narrow), letters)
    parts = [f'<g class="np-trade" font-size="{plot.letters:g}">', *_parts(plot), "</g>"]
    return svg((plot.frame.width, plot.frame.height), _label(plot), parts)


def _spots(results: Results) -> tuple[Spot, ...]:
    """Cells with an author and, if any has one, a topic; else with a budget."""
    found = [
        (cell, cell.budget or 0.0, author, cell.topic_accuracy)
        for cell in results.cells
        if (author := cell.author())
    ]
    with_topic = tuple(spot for spot in found if spot[3])
    return with_topic or tuple(spot for spot in found if spot[1] > 0)


def _frame(results: Results, spots: tuple[Spot, ...], *, narrow: bool) -> Frame:
    width, height = (NARROW, 330) if narrow else (WIDE, 430)
    left, right, top, low = (46, width - 22, 38, height - 52) if narrow else (62, 612, 46, 368)
    head, row = (14, ROW * SMALL) if narrow else (18, ROW * LETTERS)
    top += int(row * _rows(results))
    clean = [results.clean.author(), results.clean.topic_accuracy]
    authors = [*(author.high for _, _, author, _ in spots), *(f.high for f in clean[:1] if f)]
    if spots[0][3] is None:
        budgets = [budget for _, budget, _, _ in spots]
        x = Axis(min(budgets) / 1.3, max(budgets) * 1.3, left, right, logarithmic=True)
        return Frame(width, height, x, Axis(0, chart.upto(authors), low, top), head)
    topics = [*(t.high for *_, t in spots if t), *(f.high for f in clean[1:] if f)]
    x = Axis(0, chart.upto(authors), left, right)
    return Frame(width, height, x, Axis(0, chart.upto(topics), low, top), head)


def _rows(results: Results) -> int:
    """Lines of the legend: none where there is only one mechanism."""
    return len(results.mechanisms) if len(results.mechanisms) > 1 else 0


def _legend(plot: Plot) -> Iterator[str]:
    """Which mark is which mechanism, below the name of the upright axis."""
    for title, place in list(plot.results.mechanisms.items())[: _rows(plot.results)]:
        y = plot.frame.head + (place + 1) * ROW * plot.letters
        mark = chart.mark(place, 10, y - 0.35 * plot.letters)
        yield f'<path class="mark {chart.look(place)}" d="{mark}"/>'
        room = plot.frame.width / plot.letters - 3
        yield chart.text(24, y, fit(title, room), "", "start")


def _label(plot: Plot) -> str:
    kept = "Topic accuracy over author accuracy" if plot.topics else "Author accuracy over budget"
    said = f"{kept}, {len(plot.spots)} settings"
    for cell, _, author, topic in plot.spots:
        if cell is plot.chosen:
            told_ = f", topic {share(topic.value)}" if topic else ""
            said += f"; chosen {cell.setting}: author {share(author.value)}{told_}"
    return said


def _parts(plot: Plot) -> Iterator[str]:
    write = (chart.share if plot.topics else chart.brief, chart.share)
    below, upright = NAMES if plot.topics else (_parameter(plot), NAMES[0])
    yield from plot.frame.grid((below, upright), write, most=5)
    yield from _legend(plot)
    yield from _chance(plot)
    for title, place in plot.results.mechanisms.items():
        row = sorted((spot for spot in plot.spots if spot[0].title == title), key=lambda s: s[1])
        yield chart.line([plot.at(spot) for spot in row], chart.look(place))
    for spot in plot.spots:
        yield _point(plot, spot)
    yield from _clean(plot)
    for spot in plot.spots:
        if spot[0] is plot.chosen:
            yield from _chosen(plot, spot)


def _parameter(plot: Plot) -> str:
    symbol = plot.spots[0][0].symbol
    return f"{'odds' if symbol == 'w' else 'budget'} {symbol}"


def _chance(plot: Plot) -> Iterator[str]:
    """A dashed line at the accuracy of guessing."""
    chance, x, y = plot.results.chance, plot.frame.x, plot.frame.y
    if chance is None:
        return
    if plot.topics and chance < x.high:
        at = x.at(chance)
        yield f'<path class="floor f1" d="M{at:.1f},{y.start:g}V{y.end:g}"/>'
        yield chart.text(at + 5, y.end + plot.letters, "chance", "soft", "start")
    elif not plot.topics and chance < y.high:
        at = y.at(chance)
        yield f'<path class="floor f1" d="M{x.start:g},{at:.1f}H{x.end:g}"/>'
        yield chart.text(x.end, at - 6, "chance", "soft", "end")


def _point(plot: Plot, spot: Spot) -> str:
    cell, budget, author, topic = spot
    place, (x, y) = plot.results.mechanisms[cell.title], plot.at(spot)
    said = f"{cell.label}\nauthor {told(author)}" + (f"\ntopic {told(topic)}" if topic else "")
    across, along = (author, topic) if topic else (Figure.exact(budget), author)
    parts = (chart.mark(place, x, y), chart.whiskers(plot.frame, across, along))
    return chart.point((x, y), parts, said, chart.look(place))


def _clean(plot: Plot) -> Iterator[str]:
    """The mark of clean texts: a star, or without topics a line."""
    clean, frame = plot.results.clean, plot.frame
    author, topic = clean.author(), clean.topic_accuracy
    if author is None:
        return
    if not plot.topics:
        level = frame.y.at(author.value)
        yield f'<path class="floor f2" d="M{frame.x.start:g},{level:.1f}H{frame.x.end:g}"/>'
        yield chart.text(frame.x.end, level - 6, CLEAN, "strong", "end")
    elif topic is not None:
        x, y = frame.x.at(author.value), frame.y.at(topic.value)
        said = f"{CLEAN}\nauthor {told(author)}\ntopic {told(topic)}"
        whisker = chart.whiskers(frame, author, topic)
        yield chart.point((x, y), (f"M{x:.1f},{y:.1f}{STAR}", whisker), said, "clean")
        left = x > (frame.x.start + frame.x.end) / 2
        anchor, move = ("end", -14) if left else ("start", 14)
        yield chart.text(x + move, y - 10, CLEAN, "strong", anchor)


def _chosen(plot: Plot, spot: Spot) -> Iterator[str]:
    """A ring around the chosen point, and what it is, on the side where there is room."""
    x, y = plot.at(spot)
    said = spot[0].setting or spot[0].title
    right = x + RING + 4 + (ems(said) - 2) * plot.letters < plot.frame.x.end
    anchor, move = ("start", RING + 4) if right else ("end", -RING - 4)
    yield f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{RING:g}"/>'
    yield chart.text(x + move, y + 1.5 * plot.letters, said, "strong", anchor)
