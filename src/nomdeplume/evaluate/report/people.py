"""Who remains identifiable: every author's own risk, the highest first."""

from __future__ import annotations

from statistics import median

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.matrix import Matrix
from nomdeplume.evaluate.report.reading import at, figure_of, sequence
from nomdeplume.evaluate.report.strip import strip
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import Row, table
from nomdeplume.evaluate.report.wording import NONE, count, name, percent, points, shown
from nomdeplume.picture.writing import safe

MOST = 30  # authors who are shown
TAIL = 0.025  # of intervals that lie above the truth by chance
Risk = tuple[int, Figure]  # an author's place, and how often he or she is named rightly


def risks(cell: Cell) -> list[Risk]:
    """Authors with their recall, the highest first; equal ones, the surer first."""
    found = enumerate(sequence(at(cell.facts, "per_author")))
    known = [(i, figure) for i, each in found if (figure := figure_of(each, "recall"))]
    return sorted(known, key=lambda risk: (-risk[1].value, -risk[1].low, risk[0]))


def above(found: list[Risk], chance: float | None) -> int:
    """Authors whose whole interval lies above chance."""
    return sum(figure.low > (chance or 0.0) for _, figure in found)


def section(study: Study) -> str:
    cell = study.chosen
    found = risks(cell) if cell else []
    if not cell or not found:
        return ""
    return "\n".join([_said(study, cell, found), _table(study, found), _rest(found)])


def _said(study: Study, cell: Cell, found: list[Risk]) -> str:
    high, lucky = above(found, study.chance), TAIL * len(found)
    people = count(len(found), "author")
    chance = f" ({percent(study.chance)})" if study.chance is not None else ""
    said = (
        f"In {cell.label}, {high:,} of {people} {'is' if high == 1 else 'are'} named above chance"
    )
    said += f"{chance} by more than the interval. By luck alone that would be about {lucky:.1f}."
    return f"<p>{safe(said)}</p>"


def _table(study: Study, found: list[Risk]) -> str:
    clean = Matrix.of(at(study.results, "clean", "confusion"))
    before = clean.diagonal if clean else []
    rows: list[Row] = []
    for place, figure in found[:MOST]:
        person = study.people[place] if place < len(study.people) else None
        was = Figure.exact(before[place]) if place < len(before) else None
        drawn = strip(figure, before=was, floor=study.chance)
        over = points(figure.value - study.chance) if study.chance is not None else NONE
        mark = "above" if figure.low > (study.chance or 0.0) else "–"
        known = NONE if person is None or person.documents is None else f"{person.documents:,.0f}"
        earlier = NONE if was is None else percent(was.value)
        cells = [shown(figure), drawn, earlier, over, mark, known]
        rows.append(("", name(person.name if person else f"author {place + 1}"), cells))
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
