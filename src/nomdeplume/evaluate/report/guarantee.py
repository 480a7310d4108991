"""The promise, apart from the figures: formula, odds, and what is not covered."""

from __future__ import annotations

import json
import re

from nomdeplume.evaluate.report.tables import by_cell, folded, table
from nomdeplume.evaluate.report.wording import NONE
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.writing import safe

WHY = (
    "An attack that fails proves nothing about the next one. What holds against every attacker is "
    "the guarantee: no release shifts the odds between two texts' bags of kept words by more than "
    "e to the power of the formula below. W₁ is how far words move on average when one bag is "
    "turned into the other: by the mean, or between reduced bags. W∞ is how far the farthest word "
    "must move: where words are drawn."
)
NONE_HERE = "These documents were released elsewhere: nothing is promised here, only measured."


def section(results: Results) -> str:
    if not results.cells:
        return ""
    if not any(cell.formula for cell in results.cells):
        return f"<p>{NONE_HERE}</p>" if not any(map(_promise, results.cells)) else _said(results)
    return f"<p>{WHY}</p>\n{_table(results)}{_said(results)}"


def _table(results: Results) -> str:
    pairs = list(dict.fromkeys(pair for cell in results.cells for pair in _odds(cell)))
    rows = by_cell(results, ((cell, _bounds(cell, pairs)) for cell in results.cells))
    heads = ("setting", "loss at most", "per unit of", *(f"{safe(pair)} texts" for pair in pairs))
    caption = "The most that one document gives away."
    if pairs:
        caption += " Of pairs of public texts: by what factor odds can shift at most."
    return table(caption, heads, rows, "plain")


def _bounds(cell: Cell, pairs: list[str]) -> list[str]:
    odds, named = _odds(cell), (cell.formula, cell.metric)
    return [*(safe(each) or NONE for each in named), *(odds.get(pair, NONE) for pair in pairs)]


def _odds(cell: Cell) -> dict[str, str]:
    """By what factor odds can shift between public texts, near and far ones."""
    return {
        each.pair: f'{_power(each.factor)}<span class="set">distance {each.distance:.3g}</span>'
        for each in cell.odds
    }


def _power(factor: str) -> str:
    """A factor as it is written by hand: e¹⁰, with the exponent raised."""
    return re.sub(r"\^([\d.,]*\d)", r"<sup>\1</sup>", safe(factor))


def _said(results: Results) -> str:
    """The promise of the cell that is looked at closely, and of the others for who asks."""
    chosen = results.chosen or results.cells[0]
    others = "".join(_promise(cell) for cell in results.cells if cell is not chosen)
    return (
        _promise(chosen)
        + folded("Its certificate, as JSON", _certificate(chosen))
        + folded("The promises of other settings", others)
    )


def _certificate(cell: Cell) -> str:
    if cell.certificate is None:
        return ""
    shown = json.dumps(cell.certificate, ensure_ascii=False, indent=1)
    lines = "\n".join(map(safe, shown.splitlines()))
    return f'<div class="wide"><pre>{lines}</pre></div>\n'


def _promise(cell: Cell) -> str:
    lines = "".join(f"<p>{safe(each)}</p>\n" for each in cell.promise)
    lines += f"<p><b>Not covered.</b> {safe(cell.covers)}</p>\n" if cell.covers else ""
    return f"<h3><bdi>{safe(cell.label)}</bdi></h3>\n{lines}" if lines else ""
