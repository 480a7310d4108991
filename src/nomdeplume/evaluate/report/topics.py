"""Tables of topic accuracy in three directions, and of distances between release and text."""

from __future__ import annotations

from nomdeplume.evaluate.report.chart import glyph
from nomdeplume.evaluate.report.strip import drawn
from nomdeplume.evaluate.report.tables import Row, by_cell, table
from nomdeplume.evaluate.report.wording import NONE, measured, name, percent, shown
from nomdeplume.evaluate.results import Directions, Distances, Limit, Results, Topic

HEADS = [
    f"{way}<br/>from {kind}"
    for way in ("release → release", "release → clean", "clean → release")
    for kind in ("words", "vectors")
]


def utility(results: Results) -> str:
    """Topic accuracy and macro F1, from words and from vectors, in all three directions."""
    known = [(cell, cell.topic) for cell in results.cells if cell.topic]
    if not known:
        return ""
    rows: list[Row] = []
    if results.clean.topic:
        rows.append(("first", "clean → clean", 3 * _both(results.clean.topic)))
    rows += by_cell(results, ((cell, _directions(topic)) for cell, topic in known))
    caption = "Trained on → tested on: accuracy, and below it macro F1. Words: which ones stand "
    caption += "there; vectors: where they lie on average."
    return table(caption, ("setting", *HEADS), rows)


def _directions(topic: Directions) -> list[str]:
    ways = (topic.release_to_release, topic.release_to_clean, topic.clean_to_release)
    return [each for way in ways for each in _both(way)]


def _both(topic: Topic) -> list[str]:
    """Accuracy and macro F1 from words, and from vectors."""
    return [
        f'{shown(each.accuracy)}<span class="set">F1 {shown(each.macro_f1)}</span>'
        for each in (topic.words, topic.vectors)
    ]


def distances(results: Results) -> str:
    """Table of distances between release and text, and of released words that stand in the text."""
    known = [(cell, cell.distances) for cell in results.cells if cell.distances]
    rows = by_cell(results, ((cell, _measured(found)) for cell, found in known))
    heads = (
        "setting",
        "Word Mover’s Distance",
        "between the means",
        "words that stand in the text",
    )
    return table("Between a text and its release, on average.", heads, rows)


def _measured(found: Distances) -> list[str]:
    far = measured(found.word_mover), measured(found.centroid)
    return [*far, drawn(found.kept, kind="keep")]


def at_most(results: Results) -> str:
    """Table of the topic accuracy that is left under limits on the author accuracy."""
    lines = results.summary.by_attack
    limits = sorted({limit.author_at_most for line in lines for limit in line.topic_at})
    rows: list[Row] = []
    for line in lines:
        mark = glyph(results.mechanisms[line.mechanism])
        asked = {limit.author_at_most: limit for limit in line.topic_at}
        cells = [_kept(results, asked.get(limit)) for limit in limits]
        rows.append(("", mark + name(line.mechanism, 30), [*cells, f"{line.area:.3f}"]))
    heads = ("mechanism", *(f"author ≤ {percent(limit)}" for limit in limits), "area")
    caption = (
        "Topic told rightly by the best setting whose author accuracy, from one document, is no "
        "higher. Area: under the frontier, from guessing to clean text; 1 would keep all."
    )
    return table(caption, heads, rows)


def _kept(results: Results, limit: Limit | None) -> str:
    if limit is None or limit.topic is None or limit.cell is None:
        return NONE
    setting = results.cells[limit.cell].setting
    return f'{percent(limit.topic)}<span class="set">{setting}</span>'
