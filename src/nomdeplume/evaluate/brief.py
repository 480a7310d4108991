"""An evaluation on a terminal: the conclusion, and a line for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.identification import DOCUMENTS
from nomdeplume.evaluate.results import Accuracy, Cell, Results, accuracy

WIDTH = 79
HEADS = ("", "ε", "N", "E", "author", "±", "of 5", "of 20", "topic", "±", "words")


def brief(results: Results) -> str:
    """Text for a terminal: the conclusion in sentences, and a table of figures."""
    said = [fill(each, WIDTH) for each in results.summary.conclusion]
    rows = [HEADS, *_rows(results)]
    used = [i for i in range(len(HEADS)) if any(row[i] for row in rows[1:])]
    return "\n".join([*said, "", *_aligned([[row[i] for i in used] for row in rows]), "", NOTE])


NOTE = fill(
    "author: share named right by the best attacker who learnt from releases or knows their law, "
    "from one document; "
    "of 5, of 20: the same from so many documents of one author, if two authors have so many; "
    "topic: share told right by who learnt from releases; words: share of words that Bayes "
    "recovers (of mean, that text and release share); ±: half the 95 % interval over draws and "
    "folds.",
    WIDTH,
)


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    clean = results.clean
    if floors := results.floors:
        yield ("chance", "", "", "", _number(floors.chance), *[""] * 6)
        if floors.topic_oracle:
            yield ("topic alone", "", "", "", *_figure(floors.topic_oracle), *[""] * 5)
    yield ("clean", "", "", "", *_told(clean.attackers), *_figure(clean.topic_accuracy), "")
    for cell in results.cells:
        rebuilt = cell.reconstruction
        yield (
            cell.title,
            *(f"{each:.4g}" if each else "" for each in (cell.epsilon, cell.size)),
            _budget(cell),
            *_told(cell.adaptive),
            *_figure(cell.topic_accuracy),
            _value(rebuilt.bayes or rebuilt.nearest) if rebuilt else "",
        )


def _told(attackers: Mapping[str, Accuracy]) -> tuple[str, ...]:
    """Accuracy of the best attacker from one document, with its interval, from 5 and from 20."""
    one, five, twenty = (accuracy(attackers, count) for count in DOCUMENTS)
    return (*_figure(one), _value(five), _value(twenty))


def _figure(figure: Figure | None) -> tuple[str, str]:
    return (_number(figure.value), _number((figure.high - figure.low) / 2)) if figure else ("", "")


def _value(figure: Figure | None) -> str:
    return _number(figure.value) if figure else ""


def _number(share: float) -> str:
    return f"{share:.3f}".replace("0.", ".", 1) if share < 1 else "1.00"


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()


def _budget(cell: Cell) -> str:
    """The budget; with its symbol where that is not E."""
    if cell.budget is None:
        return ""
    return f"{cell.budget:.4g}" if cell.symbol == "E" else f"{cell.symbol}={cell.budget:.4g}"
