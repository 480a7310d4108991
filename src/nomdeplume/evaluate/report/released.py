"""Releases as they come out: a few of them, with a warning where they are not private."""

from __future__ import annotations

from nomdeplume.evaluate.report.tables import folded
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.writing import safe

SPENT = "A release that is shown is spent: it counts against the budget of its text, as any other."
SEEDED = "NOT PRIVATE: the noise was seeded, so that the run can be repeated and the noise undone."
MOST, LETTERS = 12, 6000  # cells, and characters of one release


def section(results: Results) -> str:
    """Those of the cell that is looked at closely, then others for those who ask."""
    having = [cell for cell in results.cells if _bags(cell)]
    first = results.chosen if results.chosen in having else next(iter(having), None)
    if first is None:
        return ""
    others = "".join(_of(cell) for cell in having[:MOST] if cell is not first)
    return f"<p>{SPENT}</p>\n{_of(first)}{folded('Releases of other settings', others)}"


def _of(cell: Cell) -> str:
    mark = f'<p class="warning" role="note">{SEEDED}</p>' if cell.not_private else ""
    advice = f"<p>{safe(cell.advice)}</p>\n" if cell.advice else ""
    return f"<h3><bdi>{safe(cell.label)}</bdi></h3>\n{mark}{advice}{''.join(_bags(cell))}"


def _bags(cell: Cell) -> list[str]:
    made = []
    for each in cell.examples:
        topic, words = each.topic, each.words
        if words:
            cut = words if len(words) <= LETTERS else words[:LETTERS] + " …"
            head = f"<figcaption>topic: <bdi>{safe(topic)}</bdi></figcaption>" if topic else ""
            made.append(f'<figure class="bag">{head}<p dir="auto">{safe(cut)}</p></figure>\n')
    return made
