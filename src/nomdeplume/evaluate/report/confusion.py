"""Who is taken for whom: a matrix before and after, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.matrix import LEVELS, MOST, Matrix
from nomdeplume.evaluate.report.reading import at
from nomdeplume.evaluate.report.squares import COUNTED, figure
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import Row, table
from nomdeplume.evaluate.report.wording import name, percent
from nomdeplume.picture.writing import fit, safe

ROOM = 1_000_000  # characters that matrices of other cells may take
PAIRS = 8
SELECTED, HIDDEN = ' selected="selected"', ' hidden="hidden"'
READ = (
    "Row: the true author; column: the author whom the best attacker names from one document. "
    "Authors who are found best come first. A square is blank where it is close to chance; "
    "the thin diagonal is where names are right."
)


def section(study: Study) -> str:
    """Before and after; another cell can be chosen where the page's script runs."""
    matrices = {c.place: m for c in study.cells if (m := Matrix.of(at(c.facts, "confusion")))}
    having = [cell for cell in study.cells if cell.place in matrices]
    if not having:
        return ""
    first = study.chosen if study.chosen in having else having[0]
    after = matrices[first.place]
    before = Matrix.of(at(study.results, "clean", "confusion"))
    before = before if before and len(before) == len(after) else None
    order = sorted(range(len(after)), key=lambda i: -(before or after).diagonal[i])
    names = [study.people[i].name for i in order] if len(study.people) == len(after) else []
    left = figure(before.ordered(order), "before: clean text", names) if before else ""
    made = {}
    for cell in _fitting(
        first, [cell for cell in having if len(matrices[cell.place]) == len(after)]
    ):
        matrix = matrices[cell.place].ordered(order)
        made[cell] = figure(matrix, f"after: {cell.label}", names)
        if sum(map(len, made.values())) > ROOM:
            break
    cells = [cell for cell in having if cell in made]
    right = "".join(_choice(cell, made[cell], shown=cell is first) for cell in cells)
    pair = f'<div class="pair">{left}<div>{right}</div></div>\n'
    return _select(cells, first) + pair + _scale() + _note(len(order)) + _pairs(study, after)


def _fitting(first: Cell, cells: list[Cell]) -> Iterator[Cell]:
    """The cell that is shown, then the others as long as there is room."""
    yield first
    yield from (cell for cell in cells if cell is not first)


def _choice(cell: Cell, made: str, *, shown: bool) -> str:
    return f'<div class="choice" data-cell="{cell.place}"{HIDDEN * (not shown)}>{made}</div>\n'


def _select(cells: list[Cell], first: Cell) -> str:
    """A list to choose from; the script uncovers it, since it does nothing alone."""
    if len(cells) < 2:
        return ""
    options = "".join(
        f'<option value="{cell.place}"{SELECTED * (cell is first)}>{safe(fit(cell.label, 60))}'
        "</option>"
        for cell in cells
    )
    select = f'<select id="cell">{options}</select>'
    return f'<p class="live"><label>Another setting: {select}</label></p>\n'


def _scale() -> str:
    """What shades stand for, from the first level to certainty."""
    shades = "".join(
        f'<svg class="swatch" viewBox="0 0 24 14" aria-hidden="true"><path class="m{i + 1}" '
        'd="M0,7h24"/></svg>'
        for i in range(len(LEVELS) + 1)
    )
    low, high = percent(LEVELS[0]), percent(LEVELS[-1])
    return f'<p class="scale"><span>below {low}</span>{shades}<span>{high} and more</span></p>\n'


def _note(authors: int) -> str:
    said = READ
    if authors > MOST:
        said += (
            f" {authors:,} authors are drawn in {MOST} groups of neighbours, so a square on the "
        )
        said += "diagonal says that the right group is named, not the right author."
    if authors <= COUNTED:
        said += " Numbers are hundredths."
    return f'<p class="soft">{said}</p>\n'


def _pairs(study: Study, matrix: Matrix) -> str:
    """The authors who are most often taken for one other."""
    n = len(matrix)
    if len(study.people) != n or n < 3:
        return ""
    found = [(matrix.rows[i][j], i, j) for i in range(n) for j in range(n) if i != j]
    found = sorted((each for each in found if each[0] > 1.5 / n), key=lambda each: -each[0])
    rows: list[Row] = [
        ("", name(study.people[i].name), [name(study.people[j].name), percent(share)])
        for share, i, j in found[:PAIRS]
    ]
    caption = f"Most often taken for one other author, in {(study.chosen or study.cells[0]).label}."
    return table(caption, ("true author", "named", "share of documents"), rows)
