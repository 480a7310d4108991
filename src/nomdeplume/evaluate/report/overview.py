"""Every cell in one table: author, topic, words, and how many authors remain above chance."""

from __future__ import annotations

from nomdeplume.evaluate.report.people import above, risks
from nomdeplume.evaluate.report.strip import drawn
from nomdeplume.evaluate.report.tables import Row, by_cell, table
from nomdeplume.evaluate.report.wording import NONE, percent, shown
from nomdeplume.evaluate.results import Cell, Results

NOTE = "Dot: after, with its interval; ring: before, on clean text; upright line: guessing."


def overview(results: Results) -> str:
    """Clean texts first, then the cells; columns in which nothing was measured are left out."""
    columns = [column for column in COLUMNS if any(column[1](results, c) for c in results.cells)]
    if not columns:
        return ""
    before = {
        "author": results.clean.author(),
        "several": results.clean.author(results.most),
        "topic": results.clean.topic_accuracy,
    }
    rows: list[Row] = []
    if any(before.values()):
        rows.append(("first", "clean text", [shown(before.get(name)) for name, _, _ in columns]))
    rows += by_cell(
        results, ((c, [made(results, c) or NONE for _, made, _ in columns]) for c in results.cells)
    )
    heads = ("setting", *(head.format(results.most) for _, _, head in columns))
    return table(f"Every setting. {NOTE}", heads, rows)


def _author(results: Results, cell: Cell) -> str:
    figure = cell.author()
    return drawn(figure, before=results.clean.author(), floor=results.floor) if figure else ""


def _ceiling(_: Results, cell: Cell) -> str:
    return "" if cell.ceiling is None else percent(cell.ceiling)


def _several(results: Results, cell: Cell) -> str:
    figure = cell.author(results.most) if results.most > 1 else None
    before = results.clean.author(results.most)
    return drawn(figure, before=before, floor=results.floor) if figure else ""


def _topic(results: Results, cell: Cell) -> str:
    figure, share = cell.topic_accuracy, results.largest_topic
    before = results.clean.topic_accuracy
    return drawn(figure, before=before, floor=share, kind="keep") if figure else ""


def _recovered(_: Results, cell: Cell) -> str:
    figure = cell.recovered
    return shown(figure) if figure else ""


def _unchanged(_: Results, cell: Cell) -> str:
    return "" if cell.unchanged is None else percent(cell.unchanged)


def _above(results: Results, cell: Cell) -> str:
    found = risks(cell)
    return f"{above(found, results.chance):,} of {len(found):,}" if found else ""


COLUMNS = (
    ("author", _author, "author named rightly from one document"),
    ("ceiling", _ceiling, "at most, by the promise"),
    ("several", _several, "from {} of one author"),
    ("topic", _topic, "topic told rightly"),
    ("recovered", _recovered, "words recovered"),
    ("unchanged", _unchanged, "words unchanged"),
    ("above", _above, "authors above chance"),
)
