"""Confusion of authors: a matrix before and after, side by side."""

from __future__ import annotations

from nomdeplume.evaluate.report.matrix import LEVELS, MOST, Matrix
from nomdeplume.evaluate.report.squares import COUNTED, figure
from nomdeplume.evaluate.report.tables import Row, table
from nomdeplume.evaluate.report.wording import name, percent
from nomdeplume.evaluate.results import Results
from nomdeplume.picture.writing import fit, safe

ROOM = 1_000_000  # characters that matrices of other cells may take
PAIRS = 8
SELECTED, HIDDEN = ' selected="selected"', ' hidden="hidden"'
READ = (
    "Row: the true author; column: the author whom the best attacker names from one document. "
    "Authors who are found best come first. A square is blank where it is close to chance; "
    "the thin diagonal is where names are right."
)


def section(results: Results) -> str:
    """Before and after; another cell can be chosen where the page's script runs."""
    matrices = {i: Matrix(c.confusion) for i, c in enumerate(results.cells) if c.confusion}
    if not matrices:
        return ""
    first = results.summary.balance if results.summary.balance in matrices else min(matrices)
    after, before = matrices[first], Matrix(results.clean.confusion)
    order = sorted(range(len(after)), key=lambda i: -(before if before else after).diagonal[i])
    names = [results.authors[i].name for i in order]
    left = figure(before.ordered(order), "before: clean text", names) if before else ""
    made: dict[int, str] = {}
    for place in (first, *(each for each in matrices if each != first)):  # as long as there is room
        label = f"after: {results.cells[place].label}"
        made[place] = figure(matrices[place].ordered(order), label, names)
        if sum(map(len, made.values())) > ROOM:
            break
    right = "".join(_choice(i, made[i], shown=i == first) for i in sorted(made))
    pair = f'<div class="pair">{left}<div>{right}</div></div>\n'
    select = _select(results, sorted(made), first)
    return select + pair + _scale() + _note(len(order)) + _pairs(results, first, after)


def _choice(place: int, made: str, *, shown: bool) -> str:
    return f'<div class="choice" data-cell="{place}"{HIDDEN * (not shown)}>{made}</div>\n'


def _select(results: Results, places: list[int], first: int) -> str:
    """A list to choose from; the script uncovers it, since it does nothing alone."""
    if len(places) < 2:
        return ""
    options = "".join(
        f'<option value="{i}"{SELECTED * (i == first)}>{safe(fit(results.cells[i].label, 60))}'
        "</option>"
        for i in places
    )
    select = f'<select id="cell">{options}</select>'
    return f'<p class="live"><label>Another setting: {select}</label></p>\n'


def _scale() -> str:
    """The legend of shades, from the first level to certainty."""
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


def _pairs(results: Results, place: int, matrix: Matrix) -> str:
    """The authors who are most often taken for one other."""
    n, authors = len(matrix), results.authors
    if n < 3:
        return ""
    found = [(matrix.rows[i][j], i, j) for i in range(n) for j in range(n) if i != j]
    found = sorted((each for each in found if each[0] > 1.5 / n), key=lambda each: -each[0])
    rows: list[Row] = [
        ("", name(authors[i].name), [name(authors[j].name), percent(share)])
        for share, i, j in found[:PAIRS]
    ]
    caption = f"Most often taken for one other author, in {results.cells[place].label}."
    return table(caption, ("true author", "named", "share of documents"), rows)
