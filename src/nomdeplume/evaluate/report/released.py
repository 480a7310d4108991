"""Releases as they come out: a few of them, with a warning where they are not private."""

from __future__ import annotations

from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.reading import at, sequence, words
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import folded
from nomdeplume.mechanism.noisy_mean import MADE_FOR
from nomdeplume.picture.writing import safe

SPENT = "A release that is shown is spent: it counts against the budget of its text, as any other."
SEEDED = "NOT PRIVATE: the noise was seeded, so that the run can be repeated and the noise undone."
MOST, LETTERS = 12, 6000  # cells, and characters of one release


def section(study: Study) -> str:
    """Those of the cell that is looked at closely, then others for those who ask."""
    having = [cell for cell in study.cells if _bags(cell)]
    first = study.chosen if study.chosen in having else next(iter(having), None)
    if first is None:
        return ""
    others = "".join(_of(cell) for cell in having[:MOST] if cell is not first)
    fit = f"<p>{MADE_FOR}</p>\n" if any(cell.at_once for cell in having) else ""
    return f"<p>{SPENT}</p>\n{fit}{_of(first)}{folded('Releases of other settings', others)}"


def _of(cell: Cell) -> str:
    mark = "" if cell.private else f'<p class="warning" role="note">{SEEDED}</p>'
    return f"<h3><bdi>{safe(cell.label)}</bdi></h3>\n{mark}{''.join(_bags(cell))}"


def _bags(cell: Cell) -> list[str]:
    made = []
    for each in sequence(at(cell.facts, "examples")):
        released, topic = words(at(each, "words")), words(at(each, "topic"))
        if released:
            cut = released if len(released) <= LETTERS else released[:LETTERS] + " …"
            head = f"<figcaption>topic: <bdi>{safe(topic)}</bdi></figcaption>" if topic else ""
            made.append(f'<figure class="bag">{head}<p dir="auto">{safe(cut)}</p></figure>\n')
    return made
