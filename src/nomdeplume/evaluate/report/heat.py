"""Who finds the author where: attackers against cells, the redder the further above chance."""

from __future__ import annotations

from nomdeplume.evaluate.report.cell import Cell
from nomdeplume.evaluate.report.reading import at, figure_of
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.tables import by_cell, folded, table
from nomdeplume.evaluate.report.wording import NONE, count, percent, points, safe_lines, shown, told
from nomdeplume.picture.writing import safe

STEPS = 10  # shades above chance
CHECKED = ' checked="checked"'
MOST = 4  # counts of documents that can be switched between


def switch(study: Study) -> str:
    """A map for each number of documents; radio buttons choose one, on paper all are there."""
    maps = [(each, _map(study, each)) for each in study.counts[:MOST]]
    maps = [(each, made) for each, made in maps if made]
    if not maps:
        return ""
    buttons = "".join(
        f'<input type="radio" name="documents" id="k{i}" class="k{i}"{CHECKED * (not i)}/>'
        f'<label for="k{i}">{safe(count(float(each), "document"))}</label>\n'
        for i, (each, _) in enumerate(maps)
    )
    panels = "\n".join(f'<div class="panel k{i}">{made}</div>' for i, (_, made) in enumerate(maps))
    lead = '<span class="ask">The attacker gets</span>\n'
    return f'<div class="switch" role="group">\n{lead}{buttons}{panels}\n</div>\n{_scale(study)}'


def _map(study: Study, count_: str) -> str:
    names = study.attackers
    cells = [cell for cell in study.cells if cell.author(count_)]
    rows = by_cell(study, ((c, [_square(study, c, name, count_) for name in names]) for c in cells))
    documents = count(float(count_), "document")
    caption = f"Author named rightly by each adaptive attacker from {documents} of one author."
    return table(caption, ("setting", *map(_head, study.attackers)), rows, "heat")


def _head(name: str) -> str:
    return safe(name).replace("-", "-<wbr/>")


def _square(study: Study, cell: Cell, name: str, count_: str) -> str:
    figure, other = cell.accuracy(name, count_), cell.accuracy(name, count_, way="static")
    if figure is None:
        return f"<td>{NONE}</td>"
    said = f"{name}, {cell.label}\nadaptive {told(figure)}\nstatic {told(other)}"
    if other:
        said += f"\ngap {points(figure.value - other.value)} points"
    best = " best" if name == cell.best(count_) else ""
    star = "★ " if best else ""
    looks = f"tip h{strength(figure.value, study.chance)}{best}"
    return f'<td class="{looks}" title="{safe_lines(said)}">{star}{percent(figure.value)}</td>'


def strength(value: float, chance: float | None) -> int:
    """The shade of a share: none at chance or below, the last at certainty."""
    least = min(chance or 0.0, 0.999)
    return min(STEPS, max(0, round(STEPS * (value - least) / (1 - least))))


def _scale(study: Study) -> str:
    cells = "".join(f'<span class="h{i}"></span>' for i in range(STEPS + 1))
    low = f"chance{f' {percent(study.chance)}' if study.chance is not None else ''}"
    note = "★ the best attacker of the setting"
    ends = f"<span>{low}</span>{cells}<span>always right</span>"
    return f'<p class="scale">{ends}<span>{note}</span></p>'


def every(study: Study) -> str:
    """Each attacker in each cell, adaptive and static, as numbers."""
    rows = by_cell(study, (_numbers(cell, name) for cell in study.cells for name in cell.attackers))
    heads = ("setting", "attacker", "adaptive", "static", "gap in points", "macro F1, adaptive")
    caption = "Every attacker in every setting, one document."
    return folded("All attackers in numbers", table(caption, heads, rows, "plain"))


def _numbers(cell: Cell, name: str) -> tuple[Cell, list[str]]:
    figure, other = cell.accuracy(name), cell.accuracy(name, way="static")
    gap = points(figure.value - other.value) if figure and other else NONE
    f1 = figure_of(at(cell.attackers, name, "adaptive", "macro_f1"))
    return cell, [safe(name), shown(figure), shown(other), gap, shown(f1)]
