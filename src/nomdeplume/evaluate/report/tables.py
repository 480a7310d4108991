"""Tables: they scroll inside their box, and rows of one mechanism stand together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nomdeplume.evaluate.report.chart import glyph
from nomdeplume.evaluate.report.wording import looks, name
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.writing import safe

Row = tuple[str, str, Sequence[str]]  # class, head, and the rest
CLOSER = '<span class="star">closer look</span>'


def table(caption: str, heads: Sequence[str], rows: Iterable[Row], kind: str = "") -> str:
    """A table with a head for each column and each row; all but the caption is HTML already."""
    body = "".join(_row(row, len(heads)) for row in rows)
    if not body:
        return ""
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    label = safe(caption)
    return (
        f'<p class="caption">{label}</p>\n'
        f'<div class="wide" role="region" tabindex="0" aria-label="{label}">\n'
        f'<table{looks(kind)} aria-label="{label}">\n'
        f"<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def _row(row: Row, columns: int) -> str:
    kind, head, cells = row
    if kind == "group":
        return f'<tr class="group"><th scope="rowgroup" colspan="{columns}">{head}</th></tr>\n'
    data = "".join(each if each.startswith("<td") else f"<td>{each}</td>" for each in cells)
    return f'<tr{looks(kind)}><th scope="row">{head}</th>{data}</tr>\n'


def by_cell(results: Results, found: Iterable[tuple[Cell, Sequence[str]]]) -> list[Row]:
    """Rows of cells: a mechanism with several has a row of its own above them."""
    rows: dict[str, list[Row]] = {}
    for cell, cells in found:
        chosen = cell is results.chosen and len(results.cells) > 1
        head = f"{safe(cell.setting)} {CLOSER if chosen else ''}".strip()
        rows.setdefault(cell.title, []).append(("chosen" if chosen else "", head, cells))
    made: list[Row] = []
    for title, own in rows.items():
        called = f"{glyph(results.mechanisms[title])}{name(title, 44)}"
        if len(own) > 1:
            made += [("group", called, ()), *own]
        else:
            kind, head, cells = own[0]
            below = f'<span class="set">{head}</span>' if head else ""
            made.append((kind, called + below, cells))
    return made


def folded(summary: str, content: str) -> str:
    """Content that is shown when its summary is clicked."""
    return f"<details><summary>{safe(summary)}</summary>\n{content}</details>\n" if content else ""
