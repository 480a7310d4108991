"""Authors who remain identifiable: the accuracy for each, the highest first."""

from __future__ import annotations

from statistics import median

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.matrix import Matrix
from nomdeplume.evaluate.report.strip import strip
from nomdeplume.evaluate.report.tables import Row, table
from nomdeplume.evaluate.report.wording import NONE, count, name, percent, points, shown
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.writing import safe

MOST = 30  # authors who are shown
TAIL = 0.025  # of intervals that lie above the truth by chance
Risk = tuple[int, Figure]  # an author's place, and how often he or she is named rightly


def risks(cell: Cell) -> list[Risk]:
    """Authors with their recall, the highest first; equal ones, the surer first."""
    found = enumerate(cell.per_author)
    return sorted(found, key=lambda risk: (-risk[1].value, -risk[1].low, risk[0]))


def above(found: list[Risk], chance: float | None) -> int:
    """Authors whose whole interval lies above chance."""
    return sum(figure.low > (chance or 0.0) for _, figure in found)


def section(results: Results) -> str:
    cell = results.chosen
    found = risks(cell) if cell else []
    if not cell or not found:
        return ""
    return "\n".join([_said(results, cell, found), _table(results, found), _rest(found)])


def _said(results: Results, cell: Cell, found: list[Risk]) -> str:
    high, lucky = above(found, results.chance), TAIL * len(found)
    people = count(len(found), "author")
    chance = f" ({percent(results.chance)})" if results.chance is not None else ""
    said = (
        f"In {cell.label}, {high:,} of {people} {'is' if high == 1 else 'are'} named above chance"
    )
    said += f"{chance} by more than the interval. By luck alone that would be about {lucky:.1f}."
    return f"<p>{safe(said)}</p>"


def _table(results: Results, found: list[Risk]) -> str:
    before, chance = Matrix(results.clean.confusion).diagonal, results.chance
    rows: list[Row] = []
    for place, figure in found[:MOST]:
        author = results.authors[place]
        was = Figure.exact(before[place]) if before else None
        drawn = strip(figure, before=was, floor=chance)
        over = points(figure.value - chance) if chance is not None else NONE
        mark = "above" if figure.low > (chance or 0.0) else "–"
        earlier = NONE if was is None else percent(was.value)
        cells = [shown(figure), drawn, earlier, over, mark, f"{author.documents:,}"]
        rows.append(("", name(author.name), cells))
    heads = ("author", "after", "", "before", "points over chance", "beyond interval", "documents")
    caption = "Own documents named rightly. Dot: after; ring: before; upright line: chance."
    return table(caption, heads, rows, "people")


def _rest(found: list[Risk]) -> str:
    rest = [figure.value for _, figure in found[MOST:]]
    if not rest:
        return ""
    said = f"The other {count(len(rest), 'author')}: from {percent(min(rest))} to "
    said += f"{percent(max(rest))}, half of them up to {percent(median(rest))}."
    return f'<p class="soft">{said}</p>'
