"""An evaluation on a terminal: the conclusion, and a line for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from nomdeplume.evaluate.frontier import clean_topic, topic_of

WIDTH = 79
HEADS = ("", "ε", "N", "E", "author", "±", "of 5", "of 20", "topic", "±", "words")


def brief(results: Mapping[str, Any]) -> str:
    """What was found, in sentences and in numbers that fit a terminal."""
    said = [fill(each, WIDTH) for each in results["summary"]["conclusion"]]
    rows = [HEADS, *_rows(results)]
    used = [i for i in range(len(HEADS)) if any(row[i] for row in rows[1:])]
    return "\n".join([*said, "", *_aligned([[row[i] for i in used] for row in rows]), "", NOTE])


NOTE = fill(
    "author: share named right by the best attacker who learnt from releases, from one document; "
    "of 5, of 20: the same from so many documents of one author, if two authors have so many; "
    "topic: share told right by who learnt from releases; words: share of words that Bayes "
    "recovers (of mean, that text and release share); ±: half the 95 % interval over draws and "
    "folds.",
    WIDTH,
)


def _rows(results: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    clean = results["clean"]
    if floors := results["floors"]:
        yield ("chance", "", "", "", _number(floors["chance"]), *[""] * 6)
        if oracle := floors["topic_oracle"]:
            yield ("topic alone", "", "", "", *_figure(oracle), *[""] * 5)
    told = [each["accuracy"] for each in clean["attackers"].values()]
    yield ("clean", "", "", "", *_told(told), *_figure(clean_topic(clean)), "")
    for cell in results["cells"]:
        numbers = (cell[name] for name in ("epsilon", "size", "budget"))
        told = [each["adaptive"]["accuracy"] for each in cell["attackers"].values()]
        rebuilt = cell["reconstruction"] or {}
        words = rebuilt.get("bayes") or rebuilt.get("nearest")
        yield (
            cell["title"],
            *(f"{number:.4g}" if number else "" for number in numbers),
            *_told(told),
            *_figure(topic_of(cell)),
            _value(words),
        )


def _told(accuracies: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the best attacker tells from one document, with its interval, from 5 and from 20."""
    best = {
        m: max((each[m] for each in accuracies if each[m]), key=_of, default=None)
        for m in ("1", "5", "20")
    }
    return (*_figure(best["1"]), _value(best["5"]), _value(best["20"]))


def _of(figure: Mapping[str, float]) -> float:
    return figure["value"]


def _figure(figure: Mapping[str, float] | None) -> tuple[str, str]:
    if not figure:
        return "", ""
    return _number(figure["value"]), _number((figure["high"] - figure["low"]) / 2)


def _value(figure: Mapping[str, float] | None) -> str:
    return _number(figure["value"]) if figure else ""


def _number(share: float) -> str:
    return f"{share:.3f}".replace("0.", ".", 1) if share < 1 else "1.00"


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
