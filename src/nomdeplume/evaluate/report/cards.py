"""Three numbers before and after, of the cell that is looked at closely."""

from __future__ import annotations

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.reading import number
from nomdeplume.evaluate.report.strip import strip
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.wording import between, listed, percent, times
from nomdeplume.picture.writing import safe

LOWER, HIGHER = "lower is better", "higher is better"


def cards(study: Study) -> str:
    cell = study.chosen
    if cell is None:
        return ""
    made = _author(study, cell) + _topic(study, cell) + _words(cell)
    if not made:
        return ""
    setting = f", {safe(cell.setting)}" if cell.setting else ""
    which = f"<b><bdi>{safe(cell.title)}</bdi></b>{setting}"
    return f'<p>Before → after, for {which}.{_why(study)}</p>\n<div class="cards">{made}</div>\n'


def _why(study: Study) -> str:
    """Why this cell and not another."""
    if len(study.cells) == 1:
        return ""
    if not study.floors:
        return " Of all settings it keeps most of the topic."
    if not any(cell.topic() for cell in study.cells):
        return " Of all settings it gives least of the author away."
    return " Of the settings tried it keeps most topic for what it gives away of the author."


def _author(study: Study, cell: Cell) -> str:
    figure = cell.author()
    if figure is None:
        return ""
    floors = [f"{label} {percent(each.value)}" for label, each in study.floors]
    by = [f"by {cell.best()}", times(figure.value, study.chance)]
    notes = [", ".join(each for each in by if each)]
    notes += [f"Without reading a word: {listed(floors)}."] if floors else []
    notes += [_several(study, cell)]
    head = _head("Author named rightly, one document", LOWER)
    return _card(head, figure, notes, before=study.clean_author(), floor=study.floor)


def _several(study: Study, cell: Cell) -> str:
    """Return the accuracy of attacks on several documents of one author."""
    before, after = study.clean_author(study.most), cell.author(study.most)
    if study.most == "1" or after is None:
        return "No two authors have several documents here; several give away more than one."
    first = f"{percent(before.value)} → " if before else ""
    return f"With {study.most} documents of one author: {first}{percent(after.value)}."


def _topic(study: Study, cell: Cell) -> str:
    figure, share = cell.topic(), study.largest_topic
    if figure is None:
        return ""
    notes = [f"Always the largest topic: {percent(share)}."] if share is not None else []
    head = _head("Topic told rightly", HIGHER)
    return _card(head, figure, notes, before=study.clean_topic, floor=share, kind="keep")


def _words(cell: Cell) -> str:
    figure = cell.recovered()
    if figure is None:
        return ""
    unchanged = number(cell.facts.get("unchanged"))
    guessed = cell.facts.get("epsilon") is not None  # word by word
    notes = ["The better of two guesses at the words behind a release."] if guessed else []
    notes += [] if guessed else ["Words that a text and its release have in common."]
    notes += [f"Released unchanged: {percent(unchanged)}."] if unchanged is not None else []
    return _card(_head("Words recovered", LOWER), figure, notes)


def _head(name: str, better: str) -> str:
    return f"<h3>{name} <small>{better}</small></h3>"


def _card(
    head: str,
    figure: Figure,
    notes: list[str],
    *,
    before: Figure | None = None,
    floor: float | None = None,
    kind: str = "risk",
) -> str:
    first = f'<span class="was">{percent(before.value)}</span> → ' if before else ""
    apart = f"<p>95 % interval {between(figure)}</p>" if figure.wide else ""
    small = strip(figure, before=before, floor=floor, kind=kind)
    said = "".join(f"<p>{safe(note)}</p>" for note in notes)
    big = f'<p class="big">{first}<b>{percent(figure.value)}</b></p>'
    return f'<div class="card {kind}">{head}{big}{apart}{small}{said}</div>\n'
