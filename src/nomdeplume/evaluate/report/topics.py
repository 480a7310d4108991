"""What is kept: the topic in three directions, and how far a release is from its text."""

from __future__ import annotations

from typing import Any

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.cell import KINDS, Cell
from nomdeplume.evaluate.report.chart import glyph
from nomdeplume.evaluate.report.reading import at, figure_of, number, sequence, words
from nomdeplume.evaluate.report.strip import drawn
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import Row, by_cell, table
from nomdeplume.evaluate.report.wording import NONE, measured, name, percent, shown

DIRECTIONS = (
    ("release_to_release", "release → release"),
    ("release_to_clean", "release → clean"),
    ("clean_to_release", "clean → release"),
)
COLUMNS = [(way, kind, name) for way, name in DIRECTIONS for kind in KINDS]


def utility(study: Study) -> str:
    """Topic accuracy and macro F1, from words and from vectors, in all three directions."""
    columns = [each for each in COLUMNS if any(_told(c.facts, *each) for c in study.cells)]
    clean = at(study.results, "clean", "topic")
    rows: list[Row] = []
    if study.clean_topic:
        cells = [_both(at(clean, kind)) for _, kind, _ in columns]
        rows.append(("first", "clean → clean", cells))
    known = [c for c in study.cells if any(_told(c.facts, *each) for each in columns)]
    rows += by_cell(study, ((c, [_told(c.facts, *e) or NONE for e in columns]) for c in known))
    heads = [f"{name}<br/>from {kind}" for _, kind, name in columns]
    caption = "Trained on → tested on: accuracy, and below it macro F1. Words: which ones stand "
    caption += "there; vectors: where they lie on average."
    return table(caption, ("setting", *heads), rows) if columns else ""


def _told(facts: Any, direction: str, kind: str, _: str) -> str:
    found = at(facts, "topic", direction, kind)
    return _both(found) if figure_of(at(found, "accuracy")) else ""


def _both(found: Any) -> str:
    accuracy, f1 = figure_of(at(found, "accuracy")), figure_of(at(found, "macro_f1"))
    return shown(accuracy) + (f'<span class="set">F1 {shown(f1)}</span>' if f1 else "")


def distances(study: Study) -> str:
    """How far a release is from its text, and how many of its words stand in it."""
    known = [cell for cell in study.cells if any(_far(cell))]
    rows = by_cell(study, ((cell, _measured(cell)) for cell in known))
    heads = (
        "setting",
        "Word Mover’s Distance",
        "between the means",
        "words that stand in the text",
    )
    return table("Between a text and its release, on average.", heads, rows)


def _far(cell: Cell) -> list[Figure | None]:
    found = at(cell.facts, "distances")
    return [figure_of(at(found, way)) for way in ("word_mover", "centroid", "kept")]


def _measured(cell: Cell) -> list[str]:
    *far, kept = _far(cell)
    return [*map(measured, far), drawn(kept, kind="keep")]


def at_most(study: Study) -> str:
    """What topic is left if the author may be named no more often than so."""
    series = sequence(at(study.results, "summary", "by_attack"))
    limits = sorted(
        {
            limit
            for each in series
            for asked in sequence(at(each, "topic_at"))
            if (limit := number(at(asked, "author_at_most"))) is not None
        }
    )
    rows: list[Row] = []
    for each in series:
        title = words(at(each, "mechanism"))
        asked = {number(at(one, "author_at_most")): one for one in sequence(at(each, "topic_at"))}
        area = number(at(each, "area"))
        mark = glyph(study.mechanisms[title]) if title in study.mechanisms else ""
        cells = [_kept(study, asked.get(limit)) for limit in limits]
        cells.append(NONE if area is None else f"{area:.3f}")
        rows.append(("", mark + name(title or "unnamed mechanism", 30), cells))
    heads = ("mechanism", *(f"author ≤ {percent(limit)}" for limit in limits), "area")
    caption = (
        "Topic told rightly by the best setting whose author accuracy, from one document, is no "
        "higher. Area: under the frontier, from guessing to clean text; 1 would keep all."
    )
    return table(caption, heads, rows)


def _kept(study: Study, asked: Any) -> str:
    topic = number(at(asked, "topic"))
    if topic is None:
        return NONE
    cell = study.cell(at(asked, "cell"))
    return percent(topic) + (f'<span class="set">{cell.setting}</span>' if cell else "")
