"""What is promised, apart from what was measured: formula, odds, and what is not covered."""

from __future__ import annotations

import json
import re

from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.reading import at, mapping, number, sentences, sequence, words
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import by_cell, folded, table
from nomdeplume.evaluate.report.wording import NONE
from nomdeplume.picture.writing import safe

WHY = (
    "An attack that fails proves nothing about the next one. What holds against every attacker is "
    "the guarantee: no release shifts the odds between two texts' bags of kept words by more than "
    "e to the power of the formula below. W₁ is how far words move on average when one bag is "
    "turned into the other: by the mean, or between reduced bags. W∞ is how far the farthest word "
    "must move: where words are drawn."
)
NONE_HERE = "These documents were released elsewhere: nothing is promised here, only measured."


def section(study: Study) -> str:
    if not study.cells:
        return ""
    if not any(words(cell.facts.get("formula")) for cell in study.cells):
        return f"<p>{NONE_HERE}</p>" if not any(map(_promise, study.cells)) else _said(study)
    return f"<p>{WHY}</p>\n{_table(study)}{_said(study)}"


def _table(study: Study) -> str:
    pairs = list(dict.fromkeys(pair for cell in study.cells for pair in _odds(cell)))
    rows = by_cell(study, ((cell, _bounds(cell, pairs)) for cell in study.cells))
    heads = ("setting", "loss at most", "per unit of", *(f"{safe(pair)} texts" for pair in pairs))
    caption = "The most that one document gives away."
    if pairs:
        caption += " Of pairs of public texts: by what factor odds can shift at most."
    return table(caption, heads, rows, "plain")


def _bounds(cell: Cell, pairs: list[str]) -> list[str]:
    odds, named = _odds(cell), (words(cell.facts.get(name)) for name in ("formula", "metric"))
    return [*(safe(each) or NONE for each in named), *(odds.get(pair, NONE) for pair in pairs)]


def _odds(cell: Cell) -> dict[str, str]:
    """By what factor odds can shift between public texts, near and far ones."""
    found = {}
    for each in sequence(at(cell.facts, "odds")):
        far, factor = number(at(each, "distance")), words(at(each, "factor"))
        if factor:
            below = f'<span class="set">distance {far:.3g}</span>' if far is not None else ""
            found[words(at(each, "pair")) or "reference"] = _power(factor) + below
    return found


def _power(factor: str) -> str:
    """A factor as it is written by hand: e¹⁰, with the exponent raised."""
    return re.sub(r"\^([\d.,]*\d)", r"<sup>\1</sup>", safe(factor))


def _said(study: Study) -> str:
    """The promise of the cell that is looked at closely, and of the others for who asks."""
    chosen = study.chosen or study.cells[0]
    others = "".join(_promise(cell) for cell in study.cells if cell is not chosen)
    return (
        _promise(chosen)
        + folded("Its certificate, as JSON", _certificate(chosen))
        + folded("The promises of other settings", others)
    )


def _certificate(cell: Cell) -> str:
    facts = mapping(cell.facts.get("certificate"))
    shown = json.dumps(facts, ensure_ascii=False, indent=1) if facts else ""
    lines = "\n".join(map(safe, shown.splitlines()))
    return f'<div class="wide"><pre>{lines}</pre></div>\n' if facts else ""


def _promise(cell: Cell) -> str:
    said = sentences(cell.facts.get("promise"))
    covers = words(cell.facts.get("covers"))
    lines = "".join(f"<p>{safe(each)}</p>\n" for each in said)
    lines += f"<p><b>Not covered.</b> {safe(covers)}</p>\n" if covers else ""
    return f"<h3><bdi>{safe(cell.label)}</bdi></h3>\n{lines}" if lines else ""
