"""What else attackers can do: with more documents, without training on releases, in pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.reading import at, figure_of
from nomdeplume.evaluate.report.strip import drawn
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import Row, by_cell, table
from nomdeplume.evaluate.report.wording import NONE, count, points, shown
from nomdeplume.picture.writing import safe

PAIRS = ("auc", "c_at_1")
GUESSES = ("nearest", "bayes")
BACK = ("words back, each as it came out", "words back, weighed by frequency")


def documents(study: Study) -> str:
    """The best attacker with 1, 5 and 20 documents of one author, and what training gives it."""
    counts = study.counts
    static = any(cell.author(way="static") for cell in study.cells)
    rows: list[Row] = []
    if any(study.clean_author(each) for each in counts):
        cells = [drawn(study.clean_author(each), floor=study.floor) for each in counts]
        rows.append(("first", "clean text", cells + [NONE, NONE] * static))
    rows += by_cell(study, _documents(study, static))
    heads = ["setting", *(safe(count(float(each), "document")) for each in counts)]
    heads += ["static, 1 document", "gap in points"] * static
    caption = "The best adaptive attacker, by how many documents of one author it gets."
    if static:
        caption += (
            " Static: trained on clean texts only; the gap is what training on releases adds."
        )
    return table(caption, heads, rows)


def _documents(study: Study, static: bool) -> Iterator[tuple[Cell, list[str]]]:
    for cell in study.cells:
        if not any(cell.author(each) for each in study.counts):
            continue
        cells = [_best(study, cell, each) for each in study.counts]
        figure, other = cell.author(), cell.author(way="static")
        if static:
            gap = points(figure.value - other.value) if figure and other else NONE
            cells += [shown(other) + _by(cell.best(way="static")), gap]
        yield cell, cells


def _best(study: Study, cell: Cell, count_: str) -> str:
    figure = cell.author(count_)
    if figure is None:
        return NONE
    before = study.clean_author(count_)
    return drawn(figure, before=before, floor=study.floor) + _by(cell.best(count_))


def _by(name: str) -> str:
    return f'<span class="set">{safe(name)}</span>' if name else ""


def pairs(study: Study) -> str:
    """Whether two documents are by one author, and how many words come back."""
    columns = [
        (part, name, head)
        for part, names, heads in (
            ("verification", PAIRS, ("same author? AUC", "same author? c@1")),
            ("reconstruction", GUESSES, BACK),
        )
        for name, head in zip(names, heads, strict=True)
    ]
    clean = at(study.results, "clean")
    everywhere = [clean, *(cell.facts for cell in study.cells)]
    columns = [c for c in columns if any(_found(facts, c) for facts in everywhere)]
    rows: list[Row] = []
    if any(_found(clean, column) for column in columns):
        rows.append(("first", "clean text", [_told(clean, column) for column in columns]))
    known = [c for c in study.cells if any(_found(c.facts, column) for column in columns)]
    rows += by_cell(study, ((c, [_told(c.facts, column) for column in columns]) for c in known))
    return table(
        _caption({part for part, _, _ in columns}),
        ("setting", *(head for _, _, head in columns)),
        rows,
    )


def _caption(parts: set[str]) -> str:
    said = ["Same author: 0.5 is a coin, 1 is certainty."] if "verification" in parts else []
    if "reconstruction" in parts:
        said.append("Words back: the share of a text’s words that is guessed rightly.")
    return " ".join(said)


def _found(facts: Any, column: tuple[str, str, str]) -> Figure | None:
    return figure_of(at(facts, column[0], column[1]))


def _told(facts: Any, column: tuple[str, str, str]) -> str:
    figure = _found(facts, column)
    return _decimal(figure) if column[0] == "verification" else drawn(figure)


def _decimal(figure: Figure | None) -> str:
    """A measure that is usually told as a number between 0 and 1."""
    if figure is None:
        return NONE
    apart = f' <span class="iv">{figure.low:.3f}–{figure.high:.3f}</span>' if figure.wide else ""
    return f"{figure.value:.3f}{apart}"
