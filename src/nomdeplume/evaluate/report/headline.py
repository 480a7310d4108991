"""What comes first: the question, the corpus, and the conclusion in words."""

from __future__ import annotations

from nomdeplume.evaluate.report.reading import at, number, sentences, words
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.wording import count, looks
from nomdeplume.picture.writing import safe

KEEP = (
    "Figures about private texts are under no promise{shows}. Keep it to those who may see the "
    "corpus."
)
SHOWS = ", and this page shows releases"
UNFINISHED = "This run was ended before all settings were measured: what is missing is not here."
SEEDED = (
    "The noise of this run was seeded, so its releases are NOT PRIVATE. Figures are as they would "
    "be otherwise."
)


def title(study: Study) -> str:
    """The questions that this corpus can answer."""
    asked = ["Is the author hidden?"] if study.floors or study.people else []
    topics = study.clean_topic or any(cell.topic() for cell in study.cells)
    asked += ["Is the topic kept?"] if topics else []
    return " ".join(asked) or "Evaluation of releases"


def corpus(study: Study) -> str:
    """The corpus in one line."""
    facts = at(study.results, "corpus")
    name = words(at(facts, "name"))
    said = [
        count(number(at(facts, "documents")), "document"),
        count(number(at(facts, "authors")) or None, "author"),
        count(number(at(facts, "topics")) or None, "topic"),
        count(len(study.cells) or None, "setting"),
    ]
    parts = [f"<bdi>{safe(name)}</bdi>"] if name else []
    return " · ".join([*parts, *(safe(each) for each in said if each)])


def conclusion(study: Study) -> str:
    """What was found, and with which cautions."""
    first, *others = sentences(at(study.results, "summary", "conclusion")) or [""]
    said = [("lead", first), *(("", each) for each in others)]
    lines = "".join(f"<p{looks(kind)}>{safe(each)}</p>\n" for kind, each in said if each)
    cautions = sentences(at(study.results, "summary", "caveats"))
    rows = "".join(f"<li>{safe(each)}</li>\n" for each in cautions)
    mind = f'<div class="mind"><h2>Bear in mind</h2><ul>\n{rows}</ul></div>\n' if rows else ""
    return lines + mind


def warnings(study: Study) -> str:
    """What a reader has to know before any figure."""
    said = [UNFINISHED] if study.results.get("complete") is False else []
    said += [SEEDED] if not all(cell.private for cell in study.cells) else []
    loud = "".join(f'<p class="warning" role="note">{each}</p>\n' for each in said)
    shows = SHOWS if any(at(cell.facts, "examples") for cell in study.cells) else ""
    return f'{loud}<p class="keepto" role="note">{KEEP.format(shows=shows)}</p>\n'
