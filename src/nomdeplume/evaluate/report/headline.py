"""The top of the page: the question, the corpus, and the conclusion in words."""

from __future__ import annotations

from nomdeplume.evaluate.report.wording import count, looks
from nomdeplume.evaluate.results import Results
from nomdeplume.picture.writing import safe

KEEP = (
    "Figures about private texts are under no promise{shows}. Keep it to those who may see the "
    "corpus."
)
SHOWS = ", and this page shows releases"
SEEDED = (
    "The noise of this run was seeded, so its releases are NOT PRIVATE. Figures are as they would "
    "be otherwise."
)


def title(results: Results) -> str:
    """The questions that this corpus can answer."""
    asked = ["Is the author hidden?"] if results.authors else []
    asked += ["Is the topic kept?"] if results.clean.topic else []
    return " ".join(asked)


def corpus(results: Results) -> str:
    """The corpus in one line."""
    facts = results.corpus
    said = [
        count(facts.documents, "document"),
        count(facts.authors, "author") if facts.authors else "",
        count(facts.topics, "topic") if facts.topics else "",
        count(len(results.cells), "setting") if results.cells else "",
    ]
    parts = [f"<bdi>{safe(facts.name)}</bdi>"] if facts.name else []
    return " · ".join([*parts, *(safe(each) for each in said if each)])


def conclusion(results: Results) -> str:
    """The conclusion, and the caveats."""
    said = enumerate(results.summary.conclusion)
    lines = "".join(f"<p{looks('lead' * (not i))}>{safe(each)}</p>\n" for i, each in said)
    rows = "".join(f"<li>{safe(each)}</li>\n" for each in results.summary.caveats)
    mind = f'<div class="mind"><h2>Bear in mind</h2><ul>\n{rows}</ul></div>\n' if rows else ""
    return lines + mind


def warnings(results: Results) -> str:
    """Warnings that stand before any figure."""
    seeded = any(cell.not_private for cell in results.cells)
    loud = f'<p class="warning" role="note">{SEEDED}</p>\n' if seeded else ""
    shows = SHOWS if any(cell.examples for cell in results.cells) else ""
    return f'{loud}<p class="keepto" role="note">{KEEP.format(shows=shows)}</p>\n'
