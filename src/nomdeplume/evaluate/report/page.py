"""The report as one page that needs nothing else: conclusion first, then all it rests on."""

from __future__ import annotations

from nomdeplume.evaluate.report import (
    attacks,
    chart,
    confusion,
    curves,
    frontier,
    guarantee,
    headline,
    heat,
    method,
    people,
    released,
    topics,
)
from nomdeplume.evaluate.report.cards import cards
from nomdeplume.evaluate.report.overview import overview
from nomdeplume.evaluate.report.script import SCRIPT
from nomdeplume.evaluate.report.style import STYLE
from nomdeplume.evaluate.results import Results
from nomdeplume.picture.sheet import sheet
from nomdeplume.picture.writing import safe

Part = tuple[str, str, str]  # id, heading and content


def page(results: Results) -> str:
    """The page; only its own style and script can run in it, and it asks for nothing."""
    title = headline.title(results)
    parts = [part for part in _parts(results) if part[2].strip()]
    body = f"""<header>
<p class="eyebrow">nomdeplume · evaluation</p>
<h1>{safe(title)}</h1>
<p class="corpus">{headline.corpus(results)}</p>
{headline.warnings(results)}{headline.conclusion(results)}
</header>
{_contents(parts)}
<main>
{"".join(_section(part) for part in parts)}</main>
"""
    return sheet(f"{title} {results.corpus.name}".strip(), body, style=STYLE, script=SCRIPT)


def _contents(parts: list[Part]) -> str:
    links = "".join(f'<li><a href="#{key}">{heading}</a></li>' for key, heading, _ in parts)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _section(part: Part) -> str:
    key, heading, content = part
    return f'<section id="{key}">\n<h2>{heading}</h2>\n{content}\n</section>\n'


def _parts(results: Results) -> list[Part]:
    return [
        ("numbers", "Before and after", cards(results) + overview(results)),
        ("frontier", _between(results), _frontier(results)),
        ("attackers", "Attackers against settings", heat.switch(results) + heat.every(results)),
        ("documents", "More documents, more training", attacks.documents(results)),
        (
            "pairs",
            "Pairs of texts, single words" if results.floors else "Single words",
            attacks.pairs(results),
        ),
        ("topic", "What is kept of the topic", topics.utility(results)),
        ("distances", "How far a release is from its text", topics.distances(results)),
        ("confusion", "Who is taken for whom", confusion.section(results)),
        ("people", "Who remains identifiable", people.section(results)),
        ("examples", "What a release looks like", released.section(results)),
        ("guarantee", "What is promised", guarantee.section(results)),
        ("method", "What was done", method.section(results)),
        ("glossary", "How to read the figures", method.glossary()),
    ]


def _between(results: Results) -> str:
    both = results.floors and any(cell.topic_accuracy for cell in results.cells)
    return "Topic against author" if both else "What a budget buys"


def _frontier(results: Results) -> str:
    """The large plot and the small ones beside it, then what a limit on the author leaves."""
    large = frontier.picture(results)
    summary, of_author = results.summary, "budget of all documents of an author"
    small = curves.plots(results, summary.by_budget, "budget E of a document")
    more = curves.plots(results, summary.by_author_budget, of_author)
    said = (
        "<p>Every point is a setting. Up is better for the topic, left is better for the author; a "
        "line joins the settings of a mechanism that none of its others beats.</p>\n"
    )
    left = f'<div class="large">{large}</div>' if large else ""
    plots = f'<div class="plots">{left}{_column("beside", small)}</div>\n' if large or small else ""
    alone = chart.legend(results.mechanisms) + "\n" if plots and not large else ""
    return (said if large else alone) + plots + _column("below", more) + topics.at_most(results)


def _column(kind: str, plots: list[str]) -> str:
    drawn = "\n".join(f"<div>{each}</div>" for each in plots)
    return f'<div class="{kind}">{drawn}</div>\n' if plots else ""
