"""An evaluation on a terminal: the conclusion, and a line for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from nomdeplume.evaluate.frontier import author_of, clean_author, clean_topic, topic_of

WIDTH = 79
HEADS = ("", "ε", "N", "E", "author", "±", "of 5", "of 20", "topic", "±", "words")


def brief(results: Mapping[str, Any]) -> str:
    """What was found, in sentences and in numbers that fit a terminal."""
    said = [fill(each, WIDTH) for each in results["summary"]["conclusion"]]
    rows = [HEADS, *_rows(results)]
    used = [i for i in range(len(HEADS)) if any(row[i] for row in rows[1:])]
    return "\n".join([*said, "", *_aligned([[row[i] for i in used] for row in rows]), "", NOTE])


NOTE = fill(
    "author: share named right by the best attacker who learnt from releases, from one document "
    "and from 5 and 20; topic: share told right by who learnt from releases; words: share of "
    "words that Bayes recovers; ±: half the 95 % interval over draws and folds.",
    WIDTH,
)


def _rows(results: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    clean = results["clean"]
    if floors := results["floors"]:
        yield ("chance", "", "", "", _number(floors["chance"]), *[""] * 6)
        if oracle := floors["topic_oracle"]:
            yield ("topic alone", "", "", "", *_figure(oracle), *[""] * 5)
    several = (
        [clean["attackers"][clean["best"]]["accuracy"][m] for m in ("5", "20")]
        if clean.get("best")
        else [None, None]
    )
    yield (
        "clean",
        "",
        "",
        "",
        *_figure(clean_author(clean)),
        *map(_value, several),
        *_figure(clean_topic(clean)),
        "",
    )
    for cell in results["cells"]:
        best = cell.get("best") or {}
        told = [
            best.get(m) and cell["attackers"][best[m]]["adaptive"]["accuracy"][m]
            for m in ("5", "20")
        ]
        numbers = [
            f"{cell[name]:.4g}" if cell[name] else "" for name in ("epsilon", "size", "budget")
        ]
        words = cell["reconstruction"] and cell["reconstruction"]["bayes"]
        yield (
            cell["title"],
            *numbers,
            *_figure(author_of(cell)),
            *map(_value, told),
            *_figure(topic_of(cell)),
            _value(words),
        )


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
