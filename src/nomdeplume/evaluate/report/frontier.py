"""The frontier: topic accuracy over author accuracy."""

from __future__ import annotations

from collections.abc import Iterator

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report import chart
from nomdeplume.evaluate.report.chart import Frame
from nomdeplume.evaluate.report.wording import percent, told
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.axis import Axis
from nomdeplume.picture.writing import safe

WIDTH, HEIGHT = 640, 520
LEFT, RIGHT, BOTTOM = 62, 622, 458
ROW = 22  # px between two names of floors: they stand above the plot, one below the other
NAMES = ("author named rightly from one document, best adaptive attacker", "topic told rightly")
STAR = "m0,-9l2.6,6 6.4,.6 -4.9,4.3 1.5,6.3 -5.6,-3.4 -5.6,3.4 1.5,-6.3 -4.9,-4.3 6.4,-.6z"
Placed = tuple[Cell, Figure, Figure]  # a cell, its author and its topic


def picture(results: Results) -> str:
    """The chart with its legend; nothing where no cell has both an author and a topic."""
    placed = [
        (cell, author, topic)
        for cell in results.cells
        if (author := cell.author()) and (topic := cell.topic_accuracy)
    ]
    if not placed:
        return ""
    frame = _frame(results, placed)
    label = "Topic accuracy over author accuracy, a point for each cell"
    drawn = frame.svg(label, _parts(results, frame, placed))
    return f"{chart.legend(results.mechanisms, _others())}\n{drawn}"


def _frame(results: Results, placed: list[Placed]) -> Frame:
    clean = [figure for figure in (results.clean.author(), results.clean.topic_accuracy) if figure]
    authors = [*(a.high for _, a, _ in placed), *(f.value for _, f in results.blind)]
    authors += [figure.high for figure in clean[:1]]
    topics = [*(t.high for _, _, t in placed), *(figure.high for figure in clean[1:])]
    top = 40 + ROW * len(results.blind)
    x = Axis(0, chart.upto(authors), LEFT, RIGHT)
    return Frame(WIDTH, HEIGHT, x, Axis(0, chart.upto(topics), BOTTOM, top))


def _parts(results: Results, frame: Frame, placed: list[Placed]) -> Iterator[str]:
    yield from frame.grid(NAMES, (chart.share, chart.share))
    yield from _floors(results, frame)
    yield from _lines(results, frame)
    for cell, author, topic in placed:
        yield _point(results, frame, cell, author, topic)
    yield from _clean(results, frame)


def _floors(results: Results, frame: Frame) -> Iterator[str]:
    """Lines of guessing: upright ones for authors, a level one for the largest topic."""
    x, y = frame.x, frame.y
    for i, (label, figure) in enumerate(results.blind):
        at, high = x.at(figure.value), y.end - ROW * (len(results.blind) - 1 - i) - 22
        left = at > (LEFT + RIGHT) / 2
        yield f'<path class="floor f{i}" d="M{at:.1f},{y.start}V{high - 6:.1f}"/>'
        name = f"{label} {percent(figure.value)}"
        yield chart.text(
            at + (-6 if left else 6), high + 6, name, "soft", "end" if left else "start"
        )
    share = results.largest_topic
    if share is not None and share < y.high:
        level = y.at(share)
        yield f'<path class="floor f0" d="M{x.start:g},{level:.1f}H{x.end:g}"/>'
        name = f"largest topic {percent(share)}"
        yield chart.text(x.end - 2, level - 6, name, "soft", "end")


def _lines(results: Results, frame: Frame) -> Iterator[str]:
    """Each mechanism's cells that no other cell of it beats on both sides."""
    for line in results.summary.by_attack:
        pairs = [(point.author, point.topic) for point in line.points]
        drawn = [(frame.x.at(a.value), frame.y.at(t.value)) for a, t in pairs if a and t]
        yield chart.line(drawn, chart.look(results.mechanisms[line.mechanism]))


def _point(results: Results, frame: Frame, cell: Cell, author: Figure, topic: Figure) -> str:
    place = results.mechanisms[cell.title]
    x, y = frame.x.at(author.value), frame.y.at(topic.value)
    said = f"{cell.label}\nauthor {told(author)}, {cell.best()}\ntopic {told(topic)}"
    shape, whisker = chart.mark(place, x, y), chart.whiskers(frame, author, topic)
    ring = cell is results.chosen
    drawn = chart.point((x, y), (shape, whisker), said, chart.look(place))
    return f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="11"/>{drawn}' if ring else drawn


def _clean(results: Results, frame: Frame) -> Iterator[str]:
    """The point of clean texts: the corner from which a release comes."""
    author, topic = results.clean.author(), results.clean.topic_accuracy
    if author is None or topic is None:
        return
    x, y = frame.x.at(author.value), frame.y.at(topic.value)
    said = f"clean text, before any release\nauthor {told(author)}\ntopic {told(topic)}"
    shape = f"M{x:.1f},{y:.1f}{STAR}"
    yield chart.point((x, y), (shape, chart.whiskers(frame, author, topic)), said, "clean")
    left = x > (LEFT + RIGHT) / 2
    yield chart.text(
        x + (-14 if left else 14), y - 8, "clean text", "strong", "end" if left else "start"
    )


def _others() -> str:
    ring = '<circle class="ring" cx="15" cy="9" r="6.5"/>'
    return (
        f'<li><svg class="glyph clean" viewBox="0 0 30 18" aria-hidden="true"><path class="mark" '
        f'd="M15,9{STAR}"/></svg>clean text</li>'
        f'<li><svg class="glyph" viewBox="0 0 30 18" aria-hidden="true">{ring}</svg>'
        f"{safe('looked at closely below')}</li>"
    )
