"""A heat map of attackers against cells, the redder the further above chance."""

from __future__ import annotations

from nomdeplume.evaluate.figures import Figure
from nomdeplume.evaluate.report.tables import by_cell, folded, table
from nomdeplume.evaluate.report.wording import NONE, count, percent, points, safe_lines, shown, told
from nomdeplume.evaluate.results import Cell, Results
from nomdeplume.picture.writing import safe

STEPS = 10  # shades above chance
CHECKED = ' checked="checked"'
MOST = 4  # counts of documents that can be switched between


def switch(results: Results) -> str:
    """A map for each number of documents; radio buttons choose one, on paper all are there."""
    maps = [(each, _map(results, each)) for each in results.counts[:MOST]]
    maps = [(each, made) for each, made in maps if made]
    if not maps:
        return ""
    buttons = "".join(
        f'<input type="radio" name="documents" id="k{i}" class="k{i}"{CHECKED * (not i)}/>'
        f'<label for="k{i}">{safe(count(each, "document"))}</label>\n'
        for i, (each, _) in enumerate(maps)
    )
    panels = "\n".join(f'<div class="panel k{i}">{made}</div>' for i, (_, made) in enumerate(maps))
    lead = '<span class="ask">The attacker gets</span>\n'
    return f'<div class="switch" role="group">\n{lead}{buttons}{panels}\n</div>\n{_scale(results)}'


def _map(results: Results, documents: int) -> str:
    names, chance = list(results.clean.attackers), results.chance
    cells = [cell for cell in results.cells if cell.author(documents)]
    rows = by_cell(
        results, ((c, [_square(c, name, documents, chance) for name in names]) for c in cells)
    )
    amount = count(documents, "document")
    caption = f"Author named rightly by each adaptive attacker from {amount} of one author."
    return table(caption, ("setting", *map(_head, names)), rows, "heat")


def _head(name: str) -> str:
    return safe(name).replace("-", "-<wbr/>")


def _square(cell: Cell, name: str, documents: int, chance: float | None) -> str:
    figure, other = _both(cell, name, documents)
    if figure is None:
        return f"<td>{NONE}</td>"
    said = f"{name}, {cell.label}\nadaptive {told(figure)}\nstatic {told(other)}"
    if other:
        said += f"\ngap {points(figure.value - other.value)} points"
    best = " best" if name == cell.best(documents) else ""
    star = "★ " if best else ""
    looks = f"tip h{strength(figure.value, chance)}{best}"
    return f'<td class="{looks}" title="{safe_lines(said)}">{star}{percent(figure.value)}</td>'


def strength(value: float, chance: float | None) -> int:
    """The shade of a share: none at chance or below, the last at certainty."""
    least = min(chance or 0.0, 0.999)
    return min(STEPS, max(0, round(STEPS * (value - least) / (1 - least))))


def _scale(results: Results) -> str:
    cells = "".join(f'<span class="h{i}"></span>' for i in range(STEPS + 1))
    low = f"chance{f' {percent(results.chance)}' if results.chance is not None else ''}"
    note = "★ the best attacker of the setting"
    ends = f"<span>{low}</span>{cells}<span>always right</span>"
    return f'<p class="scale">{ends}<span>{note}</span></p>'


def every(results: Results) -> str:
    """Each attacker in each cell, adaptive and static, as numbers."""
    cells = results.cells
    rows = by_cell(results, (_numbers(cell, name) for cell in cells for name in cell.attackers))
    heads = ("setting", "attacker", "adaptive", "static", "gap in points", "macro F1, adaptive")
    caption = "Every attacker in every setting, one document."
    return folded("All attackers in numbers", table(caption, heads, rows, "plain"))


def _numbers(cell: Cell, name: str) -> tuple[Cell, list[str]]:
    figure, other = _both(cell, name, 1)
    gap = points(figure.value - other.value) if figure and other else NONE
    f1 = cell.attackers[name].adaptive.macro_f1
    return cell, [safe(name), shown(figure), shown(other), gap, shown(f1)]


def _both(cell: Cell, name: str, documents: int) -> tuple[Figure | None, Figure | None]:
    """Accuracy of one attacker, adaptive and static."""
    if (found := cell.attackers.get(name)) is None:
        return None, None
    static = found.static.accuracy.get(documents) if found.static else None
    return found.adaptive.accuracy.get(documents), static
