"""Tables of attacks on several documents, without training on releases, and on pairs."""

from __future__ import annotations

from collections.abc import Iterator

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.strip import drawn
from nomdeplume.evaluate.report.tables import Row, by_cell, table
from nomdeplume.evaluate.report.wording import NONE, count, points, shown
from nomdeplume.evaluate.results import (
    Cell,
    Reconstruction,
    Results,
    Verification,
    accuracy,
    best,
)
from nomdeplume.picture.writing import safe


def documents(results: Results) -> str:
    """The best attacker with 1, 5 and 20 documents of one author, and what training gives it."""
    counts, clean = results.counts, results.clean
    static = any(cell.static for cell in results.cells)
    rows: list[Row] = []
    if counts:
        cells = [drawn(clean.author(each), floor=results.floor) for each in counts]
        rows.append(("first", "clean text", cells + [NONE, NONE] * static))
    rows += by_cell(results, _documents(results, static))
    heads = ["setting", *(safe(count(each, "document")) for each in counts)]
    heads += ["static, 1 document", "gap in points"] * static
    caption = "The best adaptive attacker, by how many documents of one author it gets."
    if static:
        caption += (
            " Static: trained on clean texts only; the gap is what training on releases adds."
        )
    return table(caption, heads, rows)


def _documents(results: Results, static: bool) -> Iterator[tuple[Cell, list[str]]]:
    for cell in results.cells:
        if not cell.attackers:
            continue
        cells = [_best(results, cell, each) for each in results.counts]
        figure, other = cell.author(), accuracy(cell.static, 1)
        if static:
            gap = points(figure.value - other.value) if figure and other else NONE
            cells += [shown(other) + _by(best(cell.static, 1)), gap]
        yield cell, cells


def _best(results: Results, cell: Cell, documents: int) -> str:
    figure, before = cell.author(documents), results.clean.author(documents)
    if figure is None:
        return NONE
    return drawn(figure, before=before, floor=results.floor) + _by(cell.best(documents))


def _by(name: str) -> str:
    return f'<span class="set">{safe(name)}</span>' if name else ""


def pairs(results: Results) -> str:
    """Table of author verification and of recovered words."""
    clean = _figures(results.clean.verification, None)
    cells = [(cell, _figures(cell.verification, cell.reconstruction)) for cell in results.cells]
    everywhere = [clean, *(found for _, found in cells)]
    columns = [i for i in range(len(COLUMNS)) if any(found[i] for found in everywhere)]
    rows: list[Row] = []
    if any(clean):
        rows.append(("first", "clean text", _written(clean, columns)))
    rows += by_cell(results, ((c, _written(found, columns)) for c, found in cells if any(found)))
    said = ["Same author: 0.5 is a coin, 1 is certainty."] if set(columns) & {0, 1} else []
    if set(columns) & {2, 3}:
        said.append("Words back: the share of a text’s words that is guessed rightly.")
    return table(" ".join(said), ("setting", *(COLUMNS[i][0] for i in columns)), rows)


def _figures(same: Verification | None, back: Reconstruction | None) -> list[Figure | None]:
    """The figures of all columns."""
    pair = (same.auc, same.c_at_1) if same else (None, None)
    words = (back.nearest, back.bayes) if back else (None, None)
    return [*pair, *words]


def _written(found: list[Figure | None], columns: list[int]) -> list[str]:
    return [COLUMNS[i][1](found[i]) for i in columns]


def _decimal(figure: Figure | None) -> str:
    """A measure that is usually told as a number between 0 and 1."""
    if figure is None:
        return NONE
    apart = f' <span class="iv">{figure.low:.3f}–{figure.high:.3f}</span>' if figure.wide else ""
    return f"{figure.value:.3f}{apart}"


COLUMNS = (
    ("same author? AUC", _decimal),
    ("same author? c@1", _decimal),
    ("words back, each as it came out", drawn),
    ("words back, weighed by frequency", drawn),
)
