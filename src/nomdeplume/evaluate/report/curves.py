"""Small plots beside the frontier: topic and author over what a release may lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report import chart
from nomdeplume.evaluate.report.chart import Frame
from nomdeplume.evaluate.report.wording import told
from nomdeplume.evaluate.results import Results, Series
from nomdeplume.picture.axis import Axis

WIDTH, HEIGHT = 420, 292
LEFT, RIGHT, TOP, BOTTOM = 60, 404, 40, 234
SAID = {"topic": "topic told rightly", "author": "author named rightly, one document"}
Found = tuple[float, Figure, str]  # a budget, what was measured there, and what a point says


def plots(results: Results, lines: Sequence[Series], axis: str) -> list[str]:
    """Topic and author over one kind of budget, those that were measured."""
    made = [plot(results, lines, name, axis) for name in SAID]
    return [each for each in made if each]


def plot(results: Results, lines: Sequence[Series], name: str, axis: str) -> str:
    """One plot: a line for each mechanism, at its best size and ε of each budget."""
    series = {each.mechanism: list(_found(results, each, name)) for each in lines}
    budgets = [budget for found in series.values() for budget, _, _ in found]
    if not budgets:
        return ""
    tops = [figure.high for found in series.values() for _, figure, _ in found]
    spread = 1.25 if max(budgets) / min(budgets) < 1.5 else 1.08
    x = Axis(min(budgets) / spread, max(budgets) * spread, LEFT, RIGHT, logarithmic=True)
    frame = Frame(WIDTH, HEIGHT, x, Axis(0, chart.upto(tops), BOTTOM, TOP))
    return frame.svg(f"{SAID[name]} over {axis}", _parts(results, frame, series, name, axis))


def _found(results: Results, series: Series, name: str) -> Iterator[Found]:
    for each in series.points:
        figure = each.topic if name == "topic" else each.author
        if figure:
            label, budget = results.cells[each.cell].label, each.budget
            yield budget, figure, f"{label}\nbudget {budget:,.6g}\n{SAID[name]} {told(figure)}"


def _parts(
    results: Results, frame: Frame, series: dict[str, list[Found]], name: str, axis: str
) -> Iterator[str]:
    yield from frame.grid((axis, SAID[name]), (chart.brief, chart.share), most=6)
    if name == "author" and results.chance is not None and results.chance < frame.y.high:
        level = frame.y.at(results.chance)
        yield f'<path class="floor f0" d="M{LEFT},{level:.1f}H{RIGHT}"/>'
        yield chart.text(RIGHT - 2, level - 5, "chance", "soft", "end")
    for title, found in series.items():
        place = results.mechanisms[title]
        at_ = [(frame.x.at(budget), frame.y.at(figure.value)) for budget, figure, _ in found]
        yield chart.line(at_, chart.look(place))
        for (x, y), (budget, figure, said) in zip(at_, found, strict=True):
            whisker = chart.whiskers(frame, Figure.exact(budget), figure)
            yield chart.point(
                (x, y), (chart.mark(place, x, y, 4.2), whisker), said, chart.look(place)
            )
