"""Three numbers before and after, of the cell that is looked at closely."""

from __future__ import annotations

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.strip import strip
from nomdeplume.evaluate.report.wording import between, listed, percent, times
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.writing import safe

LOWER, HIGHER = "lower is better", "higher is better"


def cards(results: Results) -> str:
    cell = results.chosen
    if cell is None:
        return ""
    made = _author(results, cell) + _topic(results, cell) + _words(cell)
    if not made:
        return ""
    setting = f", {safe(cell.setting)}" if cell.setting else ""
    which = f"<b><bdi>{safe(cell.title)}</bdi></b>{setting}"
    return f'<p>Before → after, for {which}.{_why(results)}</p>\n<div class="cards">{made}</div>\n'


def _why(results: Results) -> str:
    """Why this cell and not another."""
    if len(results.cells) == 1:
        return ""
    if not results.authors:
        return " Of all settings it keeps most of the topic."
    if not any(cell.topic_accuracy for cell in results.cells):
        return " Of all settings it gives least of the author away."
    return " Of the settings tried it keeps most topic for what it gives away of the author."


def _author(results: Results, cell: Cell) -> str:
    figure = cell.author()
    if figure is None:
        return ""
    floors = [f"{label} {percent(each.value)}" for label, each in results.blind]
    by = [f"by {cell.best()}", times(figure.value, results.chance)]
    notes = [", ".join(each for each in by if each)]
    notes += [f"Without reading a word: {listed(floors)}."] if floors else []
    notes += [f"The promise alone: at most {percent(cell.ceiling)}."] if cell.ceiling else []
    notes += [_several(results, cell)]
    head = _head("Author named rightly, one document", LOWER)
    return _card(head, figure, notes, before=results.clean.author(), floor=results.floor)


def _several(results: Results, cell: Cell) -> str:
    """Return the accuracy of attacks on several documents of one author."""
    before, after = results.clean.author(results.most), cell.author(results.most)
    if results.most == 1 or after is None:
        return "No two authors have several documents here; several give away more than one."
    first = f"{percent(before.value)} → " if before else ""
    return f"With {results.most} documents of one author: {first}{percent(after.value)}."


def _topic(results: Results, cell: Cell) -> str:
    figure, share = cell.topic_accuracy, results.largest_topic
    if figure is None:
        return ""
    notes = [f"Always the largest topic: {percent(share)}."] if share is not None else []
    head = _head("Topic told rightly", HIGHER)
    return _card(head, figure, notes, before=results.clean.topic_accuracy, floor=share, kind="keep")


def _words(cell: Cell) -> str:
    figure = cell.recovered
    if figure is None:
        return ""
    unchanged, guessed = cell.unchanged, cell.epsilon is not None  # word by word
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
