"""Every cell in one table: author, topic, words, and how many authors remain above chance."""

from __future__ import annotations

from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.people import above, risks
from nomdeplume.evaluate.report.reading import number
from nomdeplume.evaluate.report.strip import drawn
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import Row, by_cell, table
from nomdeplume.evaluate.report.wording import NONE, percent, shown

NOTE = "Dot: after, with its interval; ring: before, on clean text; upright line: guessing."


def overview(study: Study) -> str:
    """Clean texts first, then the cells; columns in which nothing was measured are left out."""
    columns = [column for column in COLUMNS if any(column[1](study, c) for c in study.cells)]
    if not columns:
        return ""
    before = {
        "author": study.clean_author(),
        "several": study.clean_author(study.most),
        "topic": study.clean_topic,
    }
    rows: list[Row] = []
    if any(before.values()):
        rows.append(("first", "clean text", [shown(before.get(name)) for name, _, _ in columns]))
    rows += by_cell(
        study, ((c, [made(study, c) or NONE for _, made, _ in columns]) for c in study.cells)
    )
    heads = ("setting", *(head.format(study.most) for _, _, head in columns))
    return table(f"Every setting. {NOTE}", heads, rows)


def _author(study: Study, cell: Cell) -> str:
    figure = cell.author()
    return drawn(figure, before=study.clean_author(), floor=study.floor) if figure else ""


def _several(study: Study, cell: Cell) -> str:
    figure = cell.author(study.most) if study.most != "1" else None
    before = study.clean_author(study.most)
    return drawn(figure, before=before, floor=study.floor) if figure else ""


def _topic(study: Study, cell: Cell) -> str:
    figure, share = cell.topic(), study.largest_topic
    return drawn(figure, before=study.clean_topic, floor=share, kind="keep") if figure else ""


def _recovered(_: Study, cell: Cell) -> str:
    figure = cell.recovered()
    return shown(figure) if figure else ""


def _unchanged(_: Study, cell: Cell) -> str:
    share = number(cell.facts.get("unchanged"))
    return "" if share is None else percent(share)


def _above(study: Study, cell: Cell) -> str:
    found = risks(cell)
    return f"{above(found, study.chance):,} of {len(found):,}" if found else ""


COLUMNS = (
    ("author", _author, "author named rightly from one document"),
    ("several", _several, "from {} of one author"),
    ("topic", _topic, "topic told rightly"),
    ("recovered", _recovered, "words recovered"),
    ("unchanged", _unchanged, "words unchanged"),
    ("above", _above, "authors above chance"),
)
